export interface Rgb {
  readonly red: number;
  readonly green: number;
  readonly blue: number;
  readonly alpha: number;
}

/** Reads `#rgb`, `#rrggbb` and `#rrggbbaa`. */
export function readHex(hex: string): Rgb | undefined {
  const long = /^#[0-9a-f]{3}$/i.test(hex) ? hex.replace(/[0-9a-f]/gi, "$&$&") : hex;
  if (!/^#[0-9a-f]{6}([0-9a-f]{2})?$/i.test(long)) return undefined;
  const value = (at: number): number => Number.parseInt(long.slice(at, at + 2), 16);
  return { red: value(1), green: value(3), blue: value(5), alpha: long.length === 9 ? value(7) / 255 : 1 };
}

/** WCAG's relative luminance. */
export function luminance({ red, green, blue }: Rgb): number {
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
}

function linear(value: number): number {
  const part = value / 255;
  return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
}

export function toHsl({ red, green, blue }: Rgb): { hue: number; saturation: number; lightness: number } {
  const parts = [red / 255, green / 255, blue / 255] as const;
  const max = Math.max(...parts);
  const least = Math.min(...parts);
  const range = max - least;
  const lightness = (max + least) / 2;
  if (range === 0) return { hue: 0, saturation: 0, lightness };
  const [r, g, b] = parts;
  const sector = max === r ? ((g - b) / range + 6) % 6 : max === g ? (b - r) / range + 2 : (r - g) / range + 4;
  return { hue: sector * 60, saturation: range / (1 - Math.abs(2 * lightness - 1)), lightness };
}

/** How different two colours look, roughly: 0 is the same, above 100 is plain. */
export function distance(one: Rgb, other: Rgb): number {
  const mean = (one.red + other.red) / 2;
  const [red, green, blue] = [one.red - other.red, one.green - other.green, one.blue - other.blue];
  return Math.sqrt((2 + mean / 256) * red ** 2 + 4 * green ** 2 + (2 + (255 - mean) / 256) * blue ** 2);
}
