/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
import type { PageScript } from "./scripts.ts";

/** Waits until nothing has changed for a moment, or long enough. */
export function settlePage(): PageScript<number> {
  return `(${String(settle)})(200, 1500)`;
}

/** Goes once through the page, so that what waits to be seen is loaded, and back to its top. */
export function showWholePage(): PageScript<number> {
  return `(${String(showWhole)})(15, 1000, 100)`;
}

/** Waits for movements that end by themselves soon: in the middle of one, text is half transparent and things are out of place. */
export function endMovements(): PageScript<number> {
  return `(${String(awaitMovements)})(1500)`;
}

async function awaitMovements(maxMs: number): Promise<number> {
  const ending = document.getAnimations().filter(({ playState, timeline, currentTime, effect }) => {
    const leftMs = Number(effect?.getComputedTiming().endTime) - Number(currentTime);
    return playState === "running" && timeline === document.timeline && leftMs <= maxMs;
  });
  const ended = Promise.allSettled(ending.map(({ finished }) => finished));
  // Pages in the background get no frames.
  await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, maxMs))]);
  return ending.length;
}

function settle(quietMs: number, maxMs: number): Promise<number> {
  return new Promise((resolve) => {
    const startedAt = performance.now();
    let timer = 0;
    const end = (): void => {
      observer.disconnect();
      resolve(performance.now() - startedAt);
    };
    const wait = (): void => {
      clearTimeout(timer);
      timer = window.setTimeout(end, Math.min(quietMs, Math.max(0, maxMs - (performance.now() - startedAt))));
    };
    const observer = new MutationObserver(wait);
    observer.observe(document, {
      childList: true,
      subtree: true,
      attributes: true,
      attributeFilter: ["class", "src", "hidden"],
    });
    wait();
  });
}

async function showWhole(maxSteps: number, maxMs: number, frameMs: number): Promise<number> {
  const frame = (): Promise<unknown> => {
    const next = new Promise(requestAnimationFrame);
    // Pages in the background get no frames.
    return Promise.race([next, new Promise((resolve) => setTimeout(resolve, frameMs))]);
  };
  const startedAt = performance.now();
  const height = document.documentElement.scrollHeight;
  const lazy =
    [...document.images].some((image) => image.loading === "lazy") ||
    document.querySelector("[data-src], [data-aos]") !== null;
  if (height <= innerHeight * 1.2 || !lazy) return 0;
  const step = Math.max(innerHeight, height / maxSteps);
  for (let top = step; top < height; top += step) {
    scrollTo({ top, behavior: "instant" });
    await frame();
  }
  scrollTo({ top: 0, behavior: "instant" });
  await frame();
  while (performance.now() - startedAt < maxMs && [...document.images].some((image) => !image.complete)) await frame();
  return performance.now() - startedAt;
}
