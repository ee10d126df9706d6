import type { CDPSession } from "playwright-core";

/** What lies further down is left out: nobody looks at it, and the browser would need much memory for it. */
const tallest = 8_000;
/** So that no picture of a wide window has more bytes than a client takes in one message. */
const mostPixels = 16_000_000;
/** Of a page taller than this only the window is drawn: the browser takes half a minute to draw beyond it. */
const tallestDrawnWhole = 60_000;

/** The page from its top, as it stands. */
export async function takeScreenshot(
  devtools: CDPSession,
  { width, height }: { readonly width: number; readonly height: number },
  pageHeight: number,
): Promise<Uint8Array> {
  // The page notices when more than its window is drawn, so it is done only where there is more.
  const isWhole = pageHeight > height && pageHeight <= tallestDrawnWhole;
  const clip = { x: 0, y: 0, width, height: Math.min(pageHeight, tallest, Math.floor(mostPixels / width)), scale: 1 };
  const picture = { format: "jpeg", quality: 70, optimizeForSpeed: true } as const;
  const { data } = await devtools.send("Page.captureScreenshot", {
    ...picture,
    ...(isWhole ? { clip, captureBeyondViewport: true } : {}),
  });
  return Buffer.from(data, "base64");
}
