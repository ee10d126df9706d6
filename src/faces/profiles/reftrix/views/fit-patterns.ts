import type { Detection } from "../tools/detect-input.ts";
import type { Found, View } from "./extent.ts";
import { viewDetected } from "./pattern-view.ts";

type Patterns = Found<"motion">["patterns"];

const maxUnshortened = 100_000;
const maxUncut = 500_000;

/** The patterns that a reply carries, and how they were made to fit if they were. */
export function fitPatterns(all: Patterns, told: Patterns, wanted: Detection): View {
  const full = told.map((pattern) => viewDetected(pattern, wanted.summary === true));
  const size = sizeOf(full);
  const isShortened = wanted.auto_optimize && wanted.summary !== true && size > maxUnshortened;
  const views = isShortened ? told.map((pattern) => viewDetected(pattern, true)) : full;
  const max = wanted.truncate_max_chars ?? (wanted.auto_optimize ? maxUncut : undefined);
  const patterns = max === undefined ? views : views.slice(0, countThatFit(views, max));
  const left = views.length - patterns.length;
  const applied = [...(isShortened ? ["summary"] : []), ...(left > 0 ? ["truncate"] : [])];
  return {
    patterns,
    ...(wanted.summary === true || isShortened ? { _summary_mode: true } : {}),
    ...(left > 0
      ? { _truncated: true, _original_size: size, _patterns_truncated_count: all.length - patterns.length }
      : {}),
    ...(wanted.auto_optimize && applied.length > 0
      ? {
          _size_optimization: {
            original_size_bytes: size,
            optimized_size_bytes: sizeOf(patterns),
            reduction_percent: Math.round(100 - (100 * sizeOf(patterns)) / size),
            applied_optimizations: applied,
          },
        }
      : {}),
  };
}

function countThatFit(views: readonly View[], max: number): number {
  let size = 2;
  const first = views.findIndex((view) => (size += sizeOf(view) + 1) > max);
  return first === -1 ? views.length : first;
}

function sizeOf(value: unknown): number {
  return JSON.stringify(value).length;
}
