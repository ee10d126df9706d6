import { randomBytes } from "node:crypto";
import { samplePage } from "./sample-page.ts";

const rules = Array.from({ length: 6_000 }, (_, index) => `.part-${index} { margin: ${index % 90}px; color: #1b2a33 }`);
const functions = Array.from(
  { length: 6_000 },
  (_, index) => `function work${index}(boat) { return boat === undefined ? ${index} : boat.length + ${index} }`,
);
/** What is called takes a while, as scripts of many pages do. */
const called = "let sum = 0; for (let nth = 0; nth < 2e7; nth++) sum += nth % 7; document.body.dataset.sum = sum;";
const boats = Array.from(
  { length: 12 },
  (_, index) => `<img src="/boat-${index}.bmp" alt="Boat ${index}" width="200" height="100">`,
);

/** The sample page with a framework's worth of styles and scripts that it hardly uses, and pictures. */
export const heavySite: Readonly<Record<string, { readonly type: string; readonly body: string | Buffer }>> = {
  "/heavy": {
    type: "text/html",
    body: samplePage
      .replace("</head>", '<link rel="stylesheet" href="/all.css"><script src="/all.js" defer></script></head>')
      .replace("<footer>", `<section>${boats.join("")}</section><footer>`),
  },
  "/all.css": { type: "text/css", body: rules.join("\n") },
  "/all.js": { type: "text/javascript", body: `${functions.join("\n")}\n${called}` },
  ...Object.fromEntries(
    boats.map((_, index) => [`/boat-${index}.bmp`, { type: "image/bmp", body: makeBitmap(200, 100) }]),
  ),
};

/** Noise in 24 bits, with the header that says so. */
function makeBitmap(width: number, height: number): Buffer {
  const header = Buffer.alloc(54);
  const pixels = randomBytes(width * height * 3);
  header.write("BM");
  header.writeUInt32LE(header.length + pixels.length, 2);
  header.writeUInt32LE(header.length, 10);
  header.writeUInt32LE(40, 14);
  header.writeInt32LE(width, 18);
  header.writeInt32LE(height, 22);
  header.writeUInt16LE(1, 26);
  header.writeUInt16LE(24, 28);
  return Buffer.concat([header, pixels]);
}
