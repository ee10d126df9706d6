import { roundTo } from "./color-math.ts";

export interface GradientStop {
  /** From 0 to 1. */
  readonly position: number;
  readonly color: string;
  readonly opacity?: number;
}

export interface Gradient {
  readonly type: "linear" | "radial" | "conic";
  /** In degrees, of a linear one. */
  readonly angle?: number;
  readonly stops: readonly GradientStop[];
}

const sides: Readonly<Record<string, number>> = {
  "to top": 0,
  "to right": 90,
  "to bottom": 180,
  "to left": 270,
  "to top right": 45,
  "to right top": 45,
  "to bottom right": 135,
  "to right bottom": 135,
  "to bottom left": 225,
  "to left bottom": 225,
  "to top left": 315,
  "to left top": 315,
};

/** A gradient as a browser writes it; a stop whose colour is in another notation than rgb is left out. */
export function readGradient(value: string): Gradient | undefined {
  const match = /^(?:repeating-)?(linear|radial|conic)-gradient\((.*)\)$/s.exec(value.trim());
  if (match === null) return undefined;
  const type = match[1] as Gradient["type"];
  const parts = (match[2] ?? "").split(/,(?![^(]*\))/).map((part) => part.trim());
  const places = parts.flatMap((part) => readStop(part) ?? []);
  const last = Math.max(1, places.length - 1);
  const stops = places.map(({ color, opacity, position }, index) => ({
    position: position ?? roundTo(3, index / last),
    color,
    ...(opacity < 1 ? { opacity } : {}),
  }));
  return { type, ...(type === "linear" ? { angle: angleOf(parts[0] ?? "") } : {}), stops };
}

function angleOf(first: string): number {
  const degrees = /^(-?[\d.]+)deg/.exec(first)?.[1];
  return degrees === undefined ? (sides[first] ?? 180) : ((Number(degrees) % 360) + 360) % 360;
}

function readStop(part: string): { color: string; opacity: number; position: number | undefined } | undefined {
  const match = /^rgba?\((\d+),? (\d+),? (\d+)(?:(?:,| \/) ([\d.]+))?\)(?: (-?[\d.]+)%)?/.exec(part);
  if (match === null) return undefined;
  const digits = match.slice(1, 4).map((number) => Math.min(255, Number(number)).toString(16).padStart(2, "0"));
  const place = match[5] === undefined ? undefined : Math.min(1, Math.max(0, Number(match[5]) / 100));
  return { color: `#${digits.join("").toUpperCase()}`, opacity: Number(match[4] ?? 1), position: place };
}
