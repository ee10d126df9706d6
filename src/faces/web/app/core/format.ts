import { signal } from "@preact/signals";

/** Ticks once a second while the page is seen, so that ages and times run. */
export const now = signal(Date.now());

setInterval(() => {
  if (!document.hidden) now.value = Date.now();
}, 1_000);

const steps = [
  [86_400_000, "d"],
  [3_600_000, "h"],
  [60_000, "m"],
  [1_000, "s"],
] as const;

/** In its one or two greatest units: `4 s`, `2 m 5 s`, `3 d 2 h`. */
export function formatDuration(ms: number): string {
  if (ms < 1_000) return `${Math.max(0, Math.round(ms))} ms`;
  if (ms < 10_000) return `${(ms / 1_000).toFixed(1)} s`;
  const first = steps.findIndex(([size]) => ms >= size);
  return steps
    .slice(first, first + 2)
    .map(([size, unit], index) => {
      const count = Math.floor((index === 0 ? ms : ms % (steps[first]?.[0] ?? 1)) / size);
      return count === 0 ? "" : `${count} ${unit}`;
    })
    .filter((text) => text !== "")
    .join(" ");
}

export function formatAge(ms: number): string {
  if (ms < 1_000) return "now";
  const [size, unit] = steps.find(([step]) => ms >= step) ?? [1_000, "s"];
  return `${Math.floor(ms / size)} ${unit} ago`;
}

export function formatBytes(bytes: number): string {
  const units = ["B", "kB", "MB", "GB", "TB"];
  const step = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3));
  const value = bytes / 1_000 ** step;
  return `${step === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[step] ?? ""}`;
}

export function formatCount(count: number): string {
  return count.toLocaleString("en-US");
}

/** What would turn the text around or cannot be seen is shown as what it is. */
export function visible(text: string): string {
  return text.replaceAll(
    /(?![\n\t])\p{Cc}|[\u061c\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff\u{e0000}-\u{e007f}]/gu,
    (found) => `‹${(found.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}›`,
  );
}

/** Only web addresses become links. */
export function webAddress(text: string): string | undefined {
  return /^https?:\/\/[^\s"'<>]+$/i.test(text) ? text : undefined;
}

/** In words: `timed_out` is "timed out". */
export function words(name: string): string {
  return name.replaceAll("_", " ");
}
