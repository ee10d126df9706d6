import type { JobContext } from "../../job/kind.ts";
import { locateScript } from "./in-page/scripts.ts";
import type { LivePage } from "./live-page.ts";
import type { Place } from "./places.ts";

/** What an element is looked up for: pictures are taken of as many as there is room for, the first first. */
export interface Wanted {
  readonly selector: string;
  /** The name of its picture, without an ending; none is taken without one. */
  readonly crop?: string;
}

export interface CropOptions {
  readonly live: LivePage;
  readonly artifacts: JobContext["artifacts"];
  readonly signal: AbortSignal;
  readonly viewport: { readonly width: number; readonly height: number };
  /** Pixels of the screen for each pixel of the page. */
  readonly scale: number;
  readonly maxCrops: number;
}

const maxLocated = 100;
const maxCropBytes = 60_000;
/** Around an element, so that one sees where it stands. */
const margin = 12;
const widest = 900;
const highest = 500;
/** No picture is wider than this. */
const drawnWidth = 480;
/** The browser takes long to draw what lies further down. */
const lowest = 20_000;

/** Where elements are, what they look like in the source, and small pictures of the first ones. Elements that are gone are left out. */
export async function placeElements(wanted: readonly Wanted[], options: CropOptions): Promise<Map<string, Place>> {
  const selectors = [...new Set(wanted.map(({ selector }) => selector))].slice(0, maxLocated);
  const located = selectors.length === 0 ? [] : await options.live.evaluate(locateScript(selectors));
  const places = new Map<string, Place>(located.map((place) => [place.selector, place]));
  let left = options.maxCrops;
  for (const { selector, crop } of wanted) {
    const place = places.get(selector);
    if (left === 0 || crop === undefined || !place?.box || place.crop !== undefined) continue;
    options.signal.throwIfAborted();
    const name = `${crop}.jpg`;
    if (await saveCrop(place.box, name, options)) {
      places.set(selector, { ...place, crop: name });
      left -= 1;
    }
  }
  return places;
}

/** False where there is nothing to be seen of it, or too much. */
async function saveCrop(
  { x, y, width, height }: NonNullable<Place["box"]>,
  name: string,
  { live, artifacts, viewport, scale: density }: CropOptions,
): Promise<boolean> {
  const [left, top] = [Math.max(0, x - margin), Math.max(0, y - margin)];
  const clip = {
    x: left,
    y: top,
    width: Math.min(x + width + margin - left, widest, viewport.width - left),
    height: Math.min(y + height + margin - top, highest),
  };
  if (clip.width < 1 || clip.height < 1 || top > lowest) return false;
  const scale = Math.min(1, drawnWidth / clip.width) / density;
  for (const share of [1, 0.5]) {
    const { data } = await live.devtools.send("Page.captureScreenshot", {
      format: "jpeg",
      quality: 70,
      optimizeForSpeed: true,
      clip: { ...clip, scale: scale * share },
      // The page notices when more than its window is drawn, so it is done only where there is more.
      captureBeyondViewport: clip.y + clip.height > viewport.height,
    });
    const picture = Buffer.from(data, "base64");
    if (picture.length > maxCropBytes) continue;
    await artifacts.save(name, picture);
    return true;
  }
  return false;
}
