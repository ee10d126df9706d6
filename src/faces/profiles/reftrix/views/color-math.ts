/** Parts from 0 to 1, as the screen has them. */
export type Rgb = readonly [red: number, green: number, blue: number];

export interface Oklch {
  readonly l: number;
  readonly c: number;
  readonly h: number;
}

/** `#rrggbb` of any hexadecimal colour, without its transparency. */
export function toHex6(color: string): string | undefined {
  const digits = /^#([0-9a-f]{3,8})$/i.exec(color)?.[1];
  if (digits === undefined || digits.length === 5 || digits.length === 7) return undefined;
  const long = digits.length < 5 ? digits.replace(/./g, "$&$&") : digits;
  return `#${long.slice(0, 6).toUpperCase()}`;
}

export function readRgb(hex: string): Rgb {
  const at = (index: number): number => Number.parseInt(hex.slice(index, index + 2), 16) / 255;
  return [at(1), at(3), at(5)];
}

/** WCAG's relative luminance. */
export function luminanceOf(hex: string): number {
  const [red, green, blue] = readRgb(hex).map(toLinear) as unknown as Rgb;
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** WCAG's contrast, from 1 to 21. */
export function contrastOf(one: string, other: string): number {
  const [light, dark] = [luminanceOf(one), luminanceOf(other)].toSorted((a, b) => b - a) as [number, number];
  return roundTo(2, (light + 0.05) / (dark + 0.05));
}

export function toOklch(hex: string): Oklch {
  const { l, c, h } = exactOklch(hex);
  // A grey has no hue, only what is left of the arithmetic.
  return { l: roundTo(3, l), c: roundTo(3, c), h: c < 0.0005 ? 0 : roundTo(1, h) };
}

function exactOklch(hex: string): Oklch {
  const [red, green, blue] = readRgb(hex).map(toLinear) as unknown as Rgb;
  const long = Math.cbrt(0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue);
  const medium = Math.cbrt(0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue);
  const short = Math.cbrt(0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue);
  const a = 1.9779984951 * long - 2.428592205 * medium + 0.4505937099 * short;
  const b = 0.0259040371 * long + 0.7827717662 * medium - 0.808675766 * short;
  return {
    l: 0.2104542553 * long + 0.793617785 * medium - 0.0040720468 * short,
    c: Math.hypot(a, b),
    h: ((Math.atan2(b, a) * 180) / Math.PI + 360) % 360,
  };
}

/** The same colour with its hue turned, in degrees. */
export function turnHue(hex: string, degrees: number): string {
  const { l, c, h } = exactOklch(hex);
  const angle = ((h + degrees) * Math.PI) / 180;
  const [a, b] = [c * Math.cos(angle), c * Math.sin(angle)];
  const long = (l + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const medium = (l - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const short = (l - 0.0894841775 * a - 1.291485548 * b) ** 3;
  const parts = [
    4.0767416621 * long - 3.3077115913 * medium + 0.2309699292 * short,
    -1.2684380046 * long + 2.6097574011 * medium - 0.3413193965 * short,
    -0.0041960863 * long - 0.7034186147 * medium + 1.707614701 * short,
  ];
  const digits = parts.map((part) =>
    Math.round(toScreen(part) * 255)
      .toString(16)
      .padStart(2, "0"),
  );
  return `#${digits.join("").toUpperCase()}`;
}

export function roundTo(digits: number, value: number): number {
  return Math.round(value * 10 ** digits) / 10 ** digits;
}

function toLinear(part: number): number {
  return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
}

function toScreen(part: number): number {
  const within = Math.min(1, Math.max(0, part));
  return within <= 0.0031308 ? within * 12.92 : 1.055 * within ** (1 / 2.4) - 0.055;
}
