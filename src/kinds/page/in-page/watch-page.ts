/// <reference lib="dom" />
/// <reference lib="dom.iterable" />

/** What the watch in a page has seen since the page began to load. */
export interface Watched {
  largestPaintMs: number;
  largestPaintElement: string;
  firstPaintMs: number;
  layoutShift: number;
  shifts: { value: number; selector: string; atMs: number }[];
  longTasks: number;
  blockingMs: number;
  frameRequests: number;
  intersectionObservers: number;
  scrollListeners: number;
}

/** Runs before any script of the page. It keeps its notes under one name and changes nothing that the page could notice by accident. */
export function watchPage(): void {
  const notes: Watched = {
    largestPaintMs: 0,
    largestPaintElement: "",
    firstPaintMs: 0,
    layoutShift: 0,
    shifts: [],
    longTasks: 0,
    blockingMs: 0,
    frameRequests: 0,
    intersectionObservers: 0,
    scrollListeners: 0,
  };
  Object.defineProperty(window, "__longhaulWatch", { value: notes, enumerable: false });
  const nameOf = (node: Node | null | undefined): string => {
    if (!(node instanceof Element)) return "";
    const [first] = node.classList;
    return node.id === "" ? `${node.localName}${first === undefined ? "" : `.${first}`}` : `#${node.id}`;
  };
  const observe = (type: string, take: (entry: PerformanceEntry) => void): void => {
    try {
      new PerformanceObserver((list) => list.getEntries().forEach(take)).observe({ type, buffered: true });
    } catch {
      // This browser does not know that kind of entry.
    }
  };
  const session = { value: 0, startedAt: -Infinity, lastAt: -Infinity };
  observe("largest-contentful-paint", (entry) => {
    notes.largestPaintMs = entry.startTime;
    notes.largestPaintElement = nameOf((entry as PerformanceEntry & { element?: Element }).element);
  });
  observe("paint", (entry) => {
    if (entry.name === "first-contentful-paint") notes.firstPaintMs = entry.startTime;
  });
  observe("layout-shift", (entry) => {
    const { value, hadRecentInput, sources } = entry as PerformanceEntry & {
      value: number;
      hadRecentInput: boolean;
      sources?: { node?: Node }[];
    };
    if (hadRecentInput) return;
    // The worst window counts: at most five seconds long, with less than one second between two shifts.
    const isNew = entry.startTime - session.lastAt > 1_000 || entry.startTime - session.startedAt > 5_000;
    session.value = (isNew ? 0 : session.value) + value;
    if (isNew) session.startedAt = entry.startTime;
    session.lastAt = entry.startTime;
    notes.layoutShift = Math.max(notes.layoutShift, session.value);
    if (notes.shifts.length < 20)
      notes.shifts.push({ value, selector: nameOf(sources?.[0]?.node), atMs: entry.startTime });
  });
  observe("longtask", (entry) => {
    notes.longTasks += 1;
    notes.blockingMs += Math.max(0, entry.duration - 50);
  });
  const request = window.requestAnimationFrame.bind(window);
  window.requestAnimationFrame = (callback) => {
    notes.frameRequests += 1;
    return request(callback);
  };
  const Observer = window.IntersectionObserver;
  window.IntersectionObserver = class extends Observer {
    constructor(callback: IntersectionObserverCallback, options?: IntersectionObserverInit) {
      super(callback, options);
      notes.intersectionObservers += 1;
    }
  };
  const listen = EventTarget.prototype.addEventListener;
  EventTarget.prototype.addEventListener = function addEventListener(
    this: EventTarget,
    type: string,
    ...rest: unknown[]
  ) {
    if (type === "scroll" || type === "wheel") notes.scrollListeners += 1;
    Reflect.apply(listen, this, [type, ...rest]);
  };
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
    frameRequests: 0,
    intersectionObservers: 0,
    scrollListeners: 0,
  };
}
