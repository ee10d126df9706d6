/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
import type { Watched } from "../collect-page.ts";

export const watchFunctions = [
  watchPage,
  nothingWatched,
  nameNode,
  observeEntries,
  watchPaints,
  watchShifts,
  watchCalls,
];

/** Runs before any script of the page, and keeps its notes under one name that does not show up by accident. */
export function watchPage(selectorOf: (element: Element) => string): void {
  const notes = nothingWatched();
  Object.defineProperty(window, "__longhaulWatch", { value: notes, enumerable: false });
  const name = (node: Node | null | undefined): string => nameNode(node, selectorOf);
  watchPaints(notes, name);
  watchShifts(notes, name);
  watchCalls(notes);
}

function observeEntries(type: string, take: (entry: PerformanceEntry) => void): void {
  try {
    new PerformanceObserver((list) => list.getEntries().forEach(take)).observe({ type, buffered: true });
  } catch {
    // This browser does not know that kind of entry.
  }
}

function nameNode(node: Node | null | undefined, selectorOf: (element: Element) => string): string {
  const element = node instanceof Element ? node : node?.parentElement;
  return element?.isConnected === true ? selectorOf(element) : "";
}

function watchPaints(notes: Watched, name: (node: Node | undefined) => string): void {
  observeEntries("largest-contentful-paint", (entry) => {
    notes.largestPaintMs = entry.startTime;
    notes.largestPaintElement = name((entry as PerformanceEntry & { element?: Element }).element);
  });
  observeEntries("paint", ({ name: what, startTime }) => {
    if (what === "first-contentful-paint") notes.firstPaintMs = startTime;
  });
  observeEntries("longtask", ({ startTime, duration }) => {
    notes.longTasks += 1;
    notes.blockingMs += Math.max(0, duration - 50);
    if (notes.tasks.length < 100) notes.tasks.push({ startMs: startTime, durationMs: duration });
  });
}

/** The worst window counts: at most five seconds long, with less than one second between two shifts. */
function watchShifts(notes: Watched, name: (node: Node | undefined) => string): void {
  type Shift = PerformanceEntry & { value: number; hadRecentInput: boolean; sources?: { node?: Node }[] };
  const current = { value: 0, startedAt: -Infinity, lastAt: -Infinity };
  observeEntries("layout-shift", (entry) => {
    const { value, hadRecentInput, sources, startTime } = entry as Shift;
    if (hadRecentInput) return;
    const isNew = startTime - current.lastAt > 1_000 || startTime - current.startedAt > 5_000;
    current.value = (isNew ? 0 : current.value) + value;
    if (isNew) current.startedAt = startTime;
    current.lastAt = startTime;
    notes.layoutShift = Math.max(notes.layoutShift, current.value);
    if (notes.shifts.length >= 20) return;
    notes.shifts.push({ value, selector: name(sources?.[0]?.node), atMs: startTime });
  });
}

/** Counts what scripts that move things by themselves call. */
function watchCalls(notes: Watched): void {
  const request = window.requestAnimationFrame.bind(window);
  window.requestAnimationFrame = (callback) => {
    notes.frameRequests += 1;
    return request(callback);
  };
  window.IntersectionObserver = class extends window.IntersectionObserver {
    constructor(callback: IntersectionObserverCallback, options?: IntersectionObserverInit) {
      super(callback, options);
      notes.intersectionObservers += 1;
    }
  };
  const listen = Reflect.get(EventTarget.prototype, "addEventListener") as (...words: unknown[]) => void;
  const counted = new Proxy(listen, {
    apply: (_listen, target, words: unknown[]) => {
      if (words[0] === "scroll" || words[0] === "wheel") notes.scrollListeners += 1;
      Reflect.apply(listen, target, words);
    },
  });
  Reflect.set(EventTarget.prototype, "addEventListener", counted);
}

export interface Vitals extends Watched {
  readonly responseMs: number;
  readonly interactiveMs: number;
  readonly loadedMs: number;
  readonly protocol: string;
}

export const vitalsFunctions = [readVitals, nothingWatched];

/** With what the page's own world has noted; nothing, where the page undid the watch. */
export function readVitals(watched: Watched | null): Vitals {
  const [navigation] = performance.getEntriesByType("navigation") as PerformanceNavigationTiming[];
  return {
    ...(watched ?? nothingWatched()),
    responseMs: navigation?.responseStart ?? 0,
    interactiveMs: navigation?.domInteractive ?? 0,
    loadedMs: navigation?.loadEventEnd ?? 0,
    protocol: navigation?.nextHopProtocol ?? "",
  };
}

function nothingWatched(): Watched {
  return {
    largestPaintMs: 0,
    largestPaintElement: "",
    firstPaintMs: 0,
    layoutShift: 0,
    shifts: [],
    longTasks: 0,
    blockingMs: 0,
    tasks: [],
    frameRequests: 0,
    intersectionObservers: 0,
    scrollListeners: 0,
  };
}
