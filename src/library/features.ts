import type { Wish } from "./library.ts";
import { readHex, toHsl, type Rgb } from "../kinds/page/layout/color.ts";

/** What an entry looks like: every place of the vector is a figure from 0 to 1 that has a name. */
const names = [
  ...["red", "orange", "yellow", "green", "cyan", "blue", "violet", "pink"],
  ...["dark", "gray", "light"],
  ...["gradient", "image", "plain"],
  ...["columns", "grid", "flex", "tall", "images", "links", "buttons", "headings", "paragraphs", "fields"],
  ...["large_heading", "large_text", "serif", "monospace", "bold"],
  ...["transition", "animation", "endless"],
  ...["long", "delayed", "hover", "scroll", "load", "click", "focus", "fade", "move", "recolor", "resize", "eased"],
  ...["narrow_hides", "narrow_restacks", "narrow_menu", "narrow_text", "overflow"],
] as const;

export type Feature = (typeof names)[number];
export type Features = Partial<Record<Feature, number>>;

export const vectorLength = names.length;

const hues = names.slice(0, 8);
const places = new Map<string, number>(names.map((name, place) => [name, place]));

export function placeOf(feature: Feature): number {
  return places.get(feature) ?? 0;
}

export function toVector(features: Features): number[] {
  return names.map((name) => Math.round(Math.min(1, Math.max(0, features[name] ?? 0)) * 1_000) / 1_000);
}

/** The figures of these features as something to look for. */
export function wishesFor(features: Features, wanted: readonly Feature[]): Wish[] {
  return wanted.map((feature) => ({ place: placeOf(feature), value: Math.min(1, features[feature] ?? 0) }));
}

/** The share of each hue, and of dark, gray and light, in what is painted with these weights. */
export function colorFeatures(colors: readonly { readonly color: string; readonly weight: number }[]): Features {
  const features: Features = {};
  const total = colors.reduce((sum, { weight }) => sum + weight, 0);
  for (const { color, weight } of colors) {
    const rgb = readHex(color);
    if (rgb === undefined || total === 0) continue;
    const share = (weight / total) * rgb.alpha;
    const add = (name: Feature, value: number): void => {
      features[name] = (features[name] ?? 0) + value;
    };
    const hue = hueOf(rgb);
    if (hue !== undefined) add(hue, share);
    const { saturation, lightness } = toHsl(rgb);
    if (lightness < 0.25) add("dark", share);
    else if (lightness > 0.85) add("light", share);
    else if (saturation < 0.15) add("gray", share);
  }
  // A small part in a colour is what a section is remembered for.
  for (const name of hues) if (features[name] !== undefined) features[name] = Math.sqrt(features[name]);
  return features;
}

/** The name of a colour's hue; none for what is nearly black, white or gray. */
export function hueOf(rgb: Rgb): Feature | undefined {
  const { hue, saturation, lightness } = toHsl(rgb);
  if (saturation < 0.15 || lightness < 0.08 || lightness > 0.96) return undefined;
  const ends = [15, 45, 70, 165, 195, 255, 290, 345];
  return hues[ends.findIndex((end) => hue < end)] ?? "red";
}

/** A count as a figure from 0 to 1, in which the first ones count most. */
export function level(count: number, many: number): number {
  return Math.min(1, Math.log1p(Math.max(0, count)) / Math.log1p(many));
}
