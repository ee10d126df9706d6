import type { StyleFacts } from "../facts.ts";
import { distance, luminance, readHex, toHsl, type Rgb } from "./color.ts";
import type { Layout } from "./layout.ts";

type Palette = Layout["palette"];

const maxColors = 12;
/** Below this two colours count as one. */
const sameColor = 24;

export function readPalette(styles: StyleFacts): Palette {
  const backgrounds = merge(styles.painted.length === 0 ? declaredBackgrounds(styles) : paintedBackgrounds(styles));
  const texts = merge(styles.texts.map(({ color, characters }) => ({ color, weight: characters })));
  const borders = merge(styles.borders.map(({ color, count }) => ({ color, weight: count })));
  const taken: Rgb[] = [];
  const colors: Palette["colors"][number][] = [];
  const take = (role: "background" | "text" | "border", entries: readonly Weighted[], max: number): void => {
    for (const { color, rgb, share } of entries.slice(0, max)) {
      if (colors.length >= maxColors || taken.some((known) => distance(known, rgb) < sameColor)) continue;
      const { saturation, lightness } = toHsl(rgb);
      const isAccent =
        saturation > 0.35 && lightness > 0.1 && lightness < 0.9 && (role !== "background" || share < 0.3);
      taken.push(rgb);
      colors.push({ color, role: isAccent ? "accent" : role, share: Math.round(share * 1_000) / 1_000 });
    }
  };
  take("background", backgrounds, 6);
  take("text", texts, 5);
  take("border", borders, 2);
  return {
    colors,
    theme: themeOf(styles.painted),
    gradients: styles.gradients.map(({ value, selector, region }) => ({ value, selector, region })),
    backgrounds: styles.backgroundKinds,
  };
}

interface Weighted {
  readonly color: string;
  readonly rgb: Rgb;
  readonly share: number;
}

function merge(entries: readonly Color[]): Weighted[] {
  const total = entries.reduce((sum, { weight }) => sum + weight, 0) || 1;
  const sums = new Map<string, number>();
  for (const { color, weight } of entries) sums.set(color, (sums.get(color) ?? 0) + weight);
  return [...sums]
    .flatMap(([color, weight]) => {
      const rgb = readHex(color);
      return rgb === undefined || rgb.alpha < 0.1 ? [] : [{ color, rgb, share: weight / total }];
    })
    .toSorted((a, b) => b.share - a.share);
}

interface Color {
  readonly color: string;
  readonly weight: number;
}

function declaredBackgrounds({ backgrounds }: StyleFacts): Color[] {
  return backgrounds.map(({ color, area }) => ({ color, weight: area }));
}

/** What is painted counts for the background that it comes from; what no element has as its own, as the white canvas, for itself. */
function paintedBackgrounds({ painted, backgrounds }: StyleFacts): Color[] {
  const declared = backgrounds.flatMap(({ color }) => {
    const rgb = readHex(color);
    return rgb === undefined || rgb.alpha < 1 ? [] : [{ color, rgb }];
  });
  return painted.flatMap(({ color, share }) => {
    const rgb = readHex(color);
    if (rgb === undefined) return [];
    const near = declared
      .map((known) => ({ color: known.color, difference: distance(known.rgb, rgb) }))
      .toSorted((one, other) => one.difference - other.difference)[0];
    if (near !== undefined && near.difference < sameColor) return [{ color: near.color, weight: share }];
    return share < leastShare ? [] : [{ color, weight: share }];
  });
}

/** Less than this may be a picture's. */
const leastShare = 0.05;

/** By what is seen, picture and canvas included. */
function themeOf(painted: StyleFacts["painted"]): Palette["theme"] {
  const total = painted.reduce((sum, { share }) => sum + share, 0);
  if (total === 0) return "unknown";
  const dark = painted.reduce((sum, { color, share }) => sum + (isDark(color) ? share : 0), 0) / total;
  return dark > 0.6 ? "dark" : dark < 0.3 ? "light" : "mixed";
}

function isDark(color: string): boolean {
  return luminance(readHex(color) ?? white) < 0.18;
}

const white: Rgb = { red: 255, green: 255, blue: 255, alpha: 1 };
