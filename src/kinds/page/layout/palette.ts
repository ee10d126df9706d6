import type { StyleFacts } from "../facts.ts";
import { distance, luminance, readHex, toHsl, type Rgb } from "./color.ts";
import type { Layout } from "./layout.ts";

type Palette = Layout["palette"];

const maxColors = 12;
/** Below this two colours count as one. */
const sameColor = 24;

export function readPalette(styles: StyleFacts): Palette {
  const backgrounds = merge(styles.backgrounds.map(({ color, area }) => ({ color, weight: area })));
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
    theme: themeOf(backgrounds),
    gradients: styles.gradients.map(({ value, selector, region }) => ({ value, selector, region })),
    backgrounds: styles.backgroundKinds,
  };
}

interface Weighted {
  readonly color: string;
  readonly rgb: Rgb;
  readonly share: number;
}

function merge(entries: readonly { color: string; weight: number }[]): Weighted[] {
  const total = Math.max(
    1,
    entries.reduce((sum, { weight }) => sum + weight, 0),
  );
  const sums = new Map<string, number>();
  for (const { color, weight } of entries) sums.set(color, (sums.get(color) ?? 0) + weight);
  return [...sums]
    .flatMap(([color, weight]) => {
      const rgb = readHex(color);
      return rgb === undefined || rgb.alpha < 0.1 ? [] : [{ color, rgb, share: weight / total }];
    })
    .toSorted((a, b) => b.share - a.share);
}

function themeOf(backgrounds: readonly Weighted[]): Palette["theme"] {
  const opaque = backgrounds.filter(({ rgb }) => rgb.alpha > 0.9);
  const total = opaque.reduce((sum, { share }) => sum + share, 0);
  if (total === 0) return "light";
  const dark = opaque.reduce((sum, { rgb, share }) => sum + (luminance(rgb) < 0.18 ? share : 0), 0) / total;
  return dark > 0.6 ? "dark" : dark < 0.3 ? "light" : "mixed";
}
