import type { IncomingMessage, ServerResponse } from "node:http";
import { gzipSync } from "node:zlib";
import { makePng } from "./png.ts";

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

const head = (more: string): string =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Loading</title><meta name="viewport" content="width=device-width"><link rel="icon" href="data:,">${more}</head>`;

/** As a careful server sends it: packed, and to be kept. */
export function sent(type: string, body: string | Buffer): Answer {
  const isText = typeof body === "string";
  return (_request, response) => {
    response.writeHead(200, {
      "content-type": type,
      "cache-control": "public, max-age=31536000, immutable",
      ...(isText ? { "content-encoding": "gzip" } : {}),
    });
    response.end(isText ? gzipSync(body) : body);
  };
}

/** As a careless one does. */
export function bare(type: string, body: string | Buffer, headers: Record<string, string> = {}): Answer {
  return (_request, response) => void response.writeHead(200, { "content-type": type, ...headers }).end(body);
}

/** A page that loads as well as a page can. */
export const wellMade: Record<string, Answer> = {
  "/": sent(
    "text/html",
    `${head('<link rel="stylesheet" href="/a.css"><script src="/a.js" defer></script>')}
    <body><h1>Harbour</h1><img id="boat" src="/boat.png" width="300" height="200" alt="A boat"><p>${"Text of the page. ".repeat(200)}</p>
    <div style="height:3000px"></div><img src="/late.png" width="300" height="200" loading="lazy" alt="Another"></body></html>`,
  ),
  // Fonts and steps of animations match no element, and are no rules that are of no use.
  "/a.css": sent(
    "text/css",
    `h1 { color: #123456 } p { margin: 0 } @font-face { font-family: "A"; src: url(data:font/woff2;base64,${"A".repeat(20_000)}) } @keyframes turn { ${"to { opacity: 0 } ".repeat(900)} } ${"/* a word */ ".repeat(1_000)}`,
  ),
  "/a.js": sent("text/javascript", `document.title = "Loaded";\n${"// a word\n".repeat(3_000)}`),
  "/boat.png": sent("image/png", makePng(600, 400, "flat")),
  "/late.png": sent("image/png", makePng(600, 400, "flat")),
};

/** A function that nobody calls, of so many characters. */
const uncalled = `function uncalled() {${'"padding";'.repeat(3_000)}}`;
const called = `document.documentElement.dataset.ran = "yes";\n`;
const unusedRules = ".nowhere { color: red; background: blue }".repeat(400);
const usedRules = "h1 { color: #123456 }\n";

/** What is wrong with the page below, to the byte. */
export const faults = {
  css: { bytes: usedRules.length + unusedRules.length, unusedBytes: unusedRules.length },
  script: { bytes: called.length + uncalled.length, unusedBytes: uncalled.length },
  packedCss: gzipSync(usedRules + unusedRules).length,
  packedScript: gzipSync(called + uncalled).length,
  rows: 1_500,
  photo: makePng(800, 600, "noise"),
};

/** Loads badly in every way that a server on this machine can show. */
export const badlyMade: Record<string, Answer> = {
  "/": bare(
    "text/html",
    `${head('<link rel="stylesheet" href="/big.css"><script src="/big.js"></script>')}
    <body><h1>Harbour</h1><img id="first" loading="lazy" src="/small.png" width="400" height="300" alt="A boat">
    <div id="moved"><p>${"Text of the page. ".repeat(100)}</p></div><img id="large" src="/photo.png" style="width:200px;height:150px" alt="A photo">
    <img id="roomless" src="/late.png" alt="Late"><p id="after">${"More text. ".repeat(40)}</p>
    <ul id="list">${"<li>row</li>".repeat(faults.rows)}</ul><div style="height:4000px"></div><img id="far" src="/far.png" width="300" height="225" alt="Far">
    <iframe src="/frame" title="A frame"></iframe><script src="/moved.js"></script></body></html>`,
  ),
  "/big.css": bare("text/css", usedRules + unusedRules, { "cache-control": "max-age=3600" }),
  "/big.js": bare("text/javascript", called + uncalled, { "cache-control": "no-store" }),
  "/frame": bare("text/html", '<!doctype html><title>x</title><script src="/big.js"></script>'),
  "/moved.js": (_request, response) => void response.writeHead(302, { location: "/there.js" }).end(),
  "/there.js": sent("text/javascript", "void 0"),
  "/small.png": sent("image/png", makePng(400, 300, "flat")),
  "/photo.png": sent("image/png", faults.photo),
  "/far.png": sent("image/png", makePng(300, 225, "noise")),
  // After what is below it was painted.
  "/late.png": (request, response) =>
    void setTimeout(() => sent("image/png", makePng(400, 300, "flat"))(request, response), 600),
};
