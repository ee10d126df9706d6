/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
import type { Box } from "../facts.ts";
import type { PageScript } from "./scripts.ts";

/** How much of the page moved by itself, as the browser reckons it, and the part of the window in which it did. */
export interface Shift {
  readonly value: number;
  readonly box: Box;
}

/** The layout shifts since the last call; the first one only begins to watch. */
export function takeShifts(): PageScript<Shift[]> {
  return `(${String(take)})()`;
}

function take(): Shift[] {
  interface LayoutShift extends PerformanceEntry {
    readonly value: number;
    readonly sources: readonly { readonly previousRect: DOMRectReadOnly; readonly currentRect: DOMRectReadOnly }[];
  }
  interface Watch {
    readonly seen: PerformanceEntry[];
    readonly observer: PerformanceObserver;
  }
  const name = "longhaulShifts";
  const watch = Reflect.get(globalThis, name) as Watch | undefined;
  if (watch === undefined) {
    const seen: PerformanceEntry[] = [];
    const observer = new PerformanceObserver((list) => void seen.push(...list.getEntries()));
    observer.observe({ type: "layout-shift" });
    Reflect.set(globalThis, name, { seen, observer });
    return [];
  }
  const entries = [...watch.seen.splice(0), ...watch.observer.takeRecords()] as LayoutShift[];
  return entries.slice(0, 10).flatMap(({ value, sources }) => {
    const rects = sources.flatMap(({ previousRect, currentRect }) => [previousRect, currentRect]);
    const shown = rects.filter(({ width, height }) => width > 0 && height > 0);
    if (shown.length === 0) return [];
    const [x, y] = [Math.min(...shown.map(({ left }) => left)), Math.min(...shown.map(({ top }) => top))];
    const [end, bottom] = [Math.max(...shown.map((rect) => rect.right)), Math.max(...shown.map((rect) => rect.bottom))];
    const box = { x: Math.round(x), y: Math.round(y), width: Math.round(end - x), height: Math.round(bottom - y) };
    return [{ value, box }];
  });
}
