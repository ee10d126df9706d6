import type { Attributes } from "./element-rules.ts";

/** Where pages that load images late keep the address. */
const lateNames = ["data-src", "data-original", "data-lazy-src", "data-lazy"];

const longestOffer = 5_000;

/** The address of an image, of those that are offered the one that a reader would see; empty for none. */
export function imageSource(attributes: Attributes, pictureSource: string): string {
  for (const name of lateNames) {
    const late = attributes[name] ?? "";
    if (/[./]/.test(late) && !late.startsWith("data:")) return late;
  }
  const { src = "" } = attributes;
  if (src !== "" && !src.startsWith("data:")) return src;
  const offered = attributes["srcset"] ?? attributes["data-srcset"] ?? attributes["data-lazy-srcset"] ?? "";
  return largestOf(offered) || pictureSource;
}

/** The widest of a `srcset`. */
export function largestOf(offered: string): string {
  let largest = { source: "", size: -1 };
  for (const [, source = "", size = "0"] of offered
    .slice(0, longestOffer)
    .matchAll(/([^\s,]\S*[^\s,])(?:\s+([\d.]+)[wx])?\s*(?:,|$)/g)) {
    if (!source.startsWith("data:") && Number(size) > largest.size) largest = { source, size: Number(size) };
  }
  return largest.source;
}

/** What a program has put where a person was to describe an image. */
export function isFileName(alt: string): boolean {
  return /\.(jpe?g|png|gif|webp|svg|avif)$/i.test(alt);
}
