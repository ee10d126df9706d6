/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
import type { PageScript } from "./scripts.ts";

/**
 * How much of the window changed by itself since the frame before: of what both show, once the scrolling in between is taken into
 * account, the share of points that differ. Null where there is nothing to compare.
 */
export function compareFrame(picture: Buffer, scrolledPx: number): PageScript<number | null> {
  return `(${String(compare)})("${picture.toString("base64")}", ${scrolledPx})`;
}

export function scrollWindow(top: number): PageScript<{ top: number; scrollable: number }> {
  return `(${String(scroll)})(${top})`;
}

async function compare(base64: string, scrolledPx: number): Promise<number | null> {
  const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  const frame = await createImageBitmap(new Blob([bytes]));
  const before = Reflect.get(globalThis, "longhaulFrame") as ImageBitmap | undefined;
  Reflect.set(globalThis, "longhaulFrame", frame);
  const shared = frame.height - scrolledPx;
  if (before === undefined || before.width !== frame.width || shared < 8) return null;
  // Smaller copies, so that the traces of compression do not count.
  const [width, height] = [Math.ceil(frame.width / 4), Math.ceil(shared / 4)];
  const read = (picture: ImageBitmap, top: number): Uint8ClampedArray => {
    const canvas = new OffscreenCanvas(width, height).getContext("2d");
    canvas?.drawImage(picture, 0, top, frame.width, shared, 0, 0, width, height);
    return canvas?.getImageData(0, 0, width, height).data ?? new Uint8ClampedArray();
  };
  const [earlier, later] = [read(before, scrolledPx), read(frame, 0)];
  before.close();
  let changed = 0;
  for (let at = 0; at < later.length; at += 4) {
    const differs = [0, 1, 2].some((part) => Math.abs((earlier[at + part] ?? 0) - (later[at + part] ?? 0)) > 32);
    if (differs) changed += 1;
  }
  return changed / (width * height);
}

async function scroll(top: number): Promise<{ top: number; scrollable: number }> {
  scrollTo({ top, behavior: "instant" });
  // Pages in the background get no frames.
  await Promise.race([new Promise(requestAnimationFrame), new Promise((resolve) => setTimeout(resolve, 100))]);
  return { top: Math.round(scrollY), scrollable: document.documentElement.scrollHeight - innerHeight };
}
