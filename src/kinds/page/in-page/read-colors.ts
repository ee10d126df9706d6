/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
import type { StyleFacts } from "../facts.ts";
import type { PageScript } from "./scripts.ts";

/** The colours of a picture of the page, and how much of it each covers: those that cover most, first. */
export function readColors(picture: Buffer): PageScript<StyleFacts["painted"]> {
  return `(${String(read)})("${picture.toString("base64")}")`;
}

async function read(base64: string): Promise<StyleFacts["painted"]> {
  const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  const picture = await createImageBitmap(new Blob([bytes]));
  const [width, height] = [Math.min(160, picture.width), Math.min(800, picture.height)];
  const canvas = new OffscreenCanvas(width, height).getContext("2d");
  if (canvas === null) return [];
  // Points are taken as they are: what lies beside them is not mixed in.
  canvas.imageSmoothingEnabled = false;
  canvas.drawImage(picture, 0, 0, width, height);
  picture.close();
  const { data } = canvas.getImageData(0, 0, width, height);
  const sums = new Map<number, [count: number, red: number, green: number, blue: number]>();
  for (let at = 0; at < data.length; at += 4) {
    const [red = 0, green = 0, blue = 0] = [data[at], data[at + 1], data[at + 2]];
    const key = ((red >> 3) << 10) | ((green >> 3) << 5) | (blue >> 3);
    const sum = sums.get(key) ?? [0, 0, 0, 0];
    sums.set(key, [sum[0] + 1, sum[1] + red, sum[2] + green, sum[3] + blue]);
  }
  return [...sums.values()]
    .toSorted((one, other) => other[0] - one[0])
    .slice(0, 500)
    .map(([count, ...channels]) => ({
      color: `#${channels
        .map((sum) =>
          Math.round(sum / count)
            .toString(16)
            .padStart(2, "0"),
        )
        .join("")}`,
      share: count / (width * height),
    }));
}
