import { expect, it } from "vitest";
import type { ParsedPage } from "../../../src/kinds/crawl/parse/parse-plan.ts";
import { compilePlan, parsePage } from "../../../src/kinds/crawl/parse/parse-page.ts";
import { prose } from "./site.ts";

async function parse(html: string, contentType = "text/html", url = "https://a.example/here/"): Promise<ParsedPage> {
  return parsePage(
    { body: Buffer.from(html), contentType, url, plan: "" },
    await compilePlan({ fields: ["markdown"] }),
  );
}

const script = `<script src="/main.js"></script>`;

it.each([
  ["nothing but a root", `<div id="root"></div>${script}`],
  ["a root with empty elements", `<div id="__next"><div class="spin"><i></i></div></div>${script}`],
  ["a root that asks for scripts", `<noscript>You need to enable JavaScript.</noscript><div id="app"></div>${script}`],
  ["a root in a frame of few words", `<header>Shop</header><p>The shop of the town.</p><app-root></app-root>${script}`],
  ["a loading message", `<div id="root"><p>Loading, please wait …</p></div>${script}`],
  ["a loading message in German", `<p>Wird geladen</p>${script}`],
  ["a text that asks for scripts", `<p>This page requires JavaScript to be shown.</p>${script}`],
  ["a noscript that asks for scripts", `<p>Our shop</p><noscript>Bitte JavaScript aktivieren</noscript>${script}`],
  ["no text at all", `<title>App</title><body>${script}`],
  ["an inline module", `<div id="app"></div><script type="module">start()</script>`],
])("a page with %s is made by scripts", async (_what, html) => {
  expect((await parse(html)).needsBrowser).toBe("yes");
});

it.each([
  ["few words and an empty place", `<h1>Prices</h1><div id="table"></div>${script}`],
  ["a picture and no text", `<img src="/a.png">${script}`],
  ["a frame and no text", `<iframe src="https://video.example/1"></iframe>${script}`],
])("a page with %s may be made by scripts", async (_what, html) => {
  expect((await parse(html)).needsBrowser).toBe("maybe");
});

it.each([
  ["few words and a script that counts visitors", `<p>${prose(1, 15)}</p>${script}`],
  ["a root that is filled", `<div id="root"><p>Not found</p></div>${script}`],
  ["many words beside an empty root", `<main>${prose(1, 60)}</main><div id="root"></div>${script}`],
  ["no scripts", `<div id="root"></div>`],
  ["nothing but data for machines", `<div id="root"></div><script type="application/ld+json">{}</script>`],
  ["comments made by scripts", `<p>Short.</p><noscript>Enable JavaScript to view the comments.</noscript>${script}`],
  ["a frameset", `<frameset><frame src="a.html"></frameset>${script}`],
])("a page with %s is not", async (_what, html) => {
  expect((await parse(html)).needsBrowser).toBe("no");
});

it("a plain text is never made by scripts, whatever it says", async () => {
  expect((await parse(`<div id="root"></div>${script}`, "text/plain")).needsBrowser).toBe("no");
});

it.each([
  ["0; url=/next", "https://a.example/next"],
  ["0;URL='next.html'", "https://a.example/here/next.html"],
  [`3, url = "https://b.example/"`, "https://b.example/"],
  ["5 /plain", "https://a.example/plain"],
  ["; url=/none", "https://a.example/none"],
  ["30; url=/later", "https://a.example/later"],
  ["31; url=/late", undefined],
  ["5", undefined],
  ["0; url=", undefined],
  ["0; url=/here/#part", undefined],
  ["0; url=javascript:alert(1)", undefined],
  ["0; url=data:text/html,x", undefined],
])("a refresh of %s leads to %s", async (content, target) => {
  const html = `<meta http-equiv="Refresh" content="${content.replaceAll('"', "&quot;")}"><p>Moved.`;
  expect((await parse(html)).refresh).toBe(target);
});

it("a page with much to say is left only by a refresh that comes at once", async () => {
  const page = (seconds: number): string =>
    `<meta http-equiv="refresh" content="${seconds}; url=/next"><p>${prose(1, 80)}`;
  expect((await parse(page(20))).refresh).toBeUndefined();
  expect((await parse(page(1))).refresh).toBe("https://a.example/next");
});

it("a refresh for readers without scripts counts for nobody", async () => {
  const html = `<noscript><meta http-equiv="refresh" content="0; url=/nojs"></noscript><p>Text.`;
  expect((await parse(html)).refresh).toBeUndefined();
});

it("frames count where a page has next to no text of its own, but for those that nobody sees", async () => {
  const frames = `<iframe src="/a"></iframe><iframe src="/b" width="0"></iframe><iframe src="/c" hidden></iframe><iframe src="/here/"></iframe>`;
  expect((await parse(`<h1>Title</h1>${frames}`)).frames).toEqual(["https://a.example/a"]);
  expect((await parse(`<p>${prose(1, 60)}</p>${frames}`)).frames).toEqual([]);
  const set = `<frameset><frame src="menu.html"><frame src="text.html"></frameset><noframes><body>${prose(1, 60)}</body></noframes>`;
  const parsed = await parse(set);
  expect(parsed.frames).toEqual(["https://a.example/here/menu.html", "https://a.example/here/text.html"]);
  expect(parsed.words).toBe(0);
});
