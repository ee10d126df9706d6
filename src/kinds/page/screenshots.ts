import type { Page } from "playwright-core";

/** A picture of more than this takes the browser's memory and nobody looks at it. */
const tallest = 8_000;

/** The page from its top, as it stands. */
export async function takeScreenshot(page: Page, width: number, pageHeight: number): Promise<Uint8Array> {
  const height = Math.max(1, Math.min(pageHeight, tallest));
  return page.screenshot({ fullPage: true, type: "jpeg", quality: 70, clip: { x: 0, y: 0, width, height } });
}
