import { describe, expect, test } from "vitest";
import type { PageAnalysis } from "../../../src/kinds/page/contract.ts";
import { startSite } from "./site.ts";
import { hasBrowser, usePageWorld } from "./world.ts";

type Sections = NonNullable<PageAnalysis["layout"]>["sections"];

const head = `<!doctype html><html lang="en"><head><title>x</title><meta name="viewport" content="width=device-width">`;
const sentence = "The harbour lay quiet in the morning, and nobody had yet seen the boat that came in at night. ";
const prose = (count: number): string => Array.from({ length: count }, () => `<p>${sentence.repeat(4)}</p>`).join("");

/** As many news sites are built: wrappers in wrappers, floats, a bar over a picture, no element that says what it is. */
const newsPage = `${head}<style>body { margin: 0 } .bar { position: absolute; top: 0; left: 0; right: 0; height: 70px } .pic { height: 420px; background: #345 }
  .cols { height: 0 } .left { float: left; width: 900px } .right { float: left; width: 380px } .right > div { height: 300px } .end { clear: both; padding-top: 20px; height: 160px }</style></head>
  <body><div id="app" style="height:100%"><div class="outer"><div class="bar"><a href="/a">One</a> <a href="/b">Two</a> <a href="/c">Three</a></div>
  <div class="pic"><h1 style="margin:0;padding-top:120px">A boat came in at night</h1></div>
  <div class="cols"><div class="left story">${prose(12)}<blockquote>${sentence}</blockquote><blockquote>${sentence}</blockquote><table><tr><td>12</td><td>34</td><td>5,600</td></tr></table>${prose(6)}</div>
  <aside class="right"><div><h3>Read next</h3><ul><li><a href="/d">The tide</a></li><li><a href="/e">The bill</a></li></ul></div><div>More</div></aside></div>
  <div class="end"><p>© 2026 The Harbour Post. All rights reserved.</p></div></div></div></body></html>`;

/** Written by hand, with no division at all. */
const plainPage = `${head}</head><body><h1>Notes</h1>${prose(20)}<ul><li>One</li><li>Two</li></ul>${prose(5)}</body></html>`;

/** Paragraphs between parts that say what they are. */
const mixedPage = `${head}</head><body><header><a href="/">Home</a> <a href="/b">B</a></header><h2>Before</h2>${prose(3)}
  <section class="pricing" style="min-height:300px"><h2>Prices</h2><p>€10 a month</p><p>€20 a month</p></section><h2>After</h2>${prose(4)}<footer>© 2026</footer></body></html>`;

const feedPage = `${head}</head><body><main><div class="list">${`<article class="teaser"><h3>News</h3><p>${sentence}</p></article>`.repeat(25)}</div></main><footer>© 2026</footer></body></html>`;

/** The share of the page's height that lies in a section, from where its content begins to where it ends. */
function coverage(sections: Sections, height: number): number {
  const rows = new Set(
    sections.flatMap(({ top, height: tall }) =>
      Array.from({ length: Math.ceil(tall / 4) }, (_, row) => Math.floor(top / 4) + row),
    ),
  );
  return [...rows].filter((row) => row * 4 < height).length / Math.ceil(height / 4);
}

function overlapping(sections: Sections): string[] {
  return sections.flatMap((one, index) =>
    sections
      .slice(index + 1)
      .filter(
        (other) =>
          Math.min(one.left + one.width, other.left + other.width) - Math.max(one.left, other.left) > 1 &&
          Math.min(one.top + one.height, other.top + other.height) - Math.max(one.top, other.top) > 1,
      )
      .map((other) => `${one.selector} and ${other.selector}`),
  );
}

describe.skipIf(!hasBrowser)("the sections of a page", () => {
  const world = usePageWorld();

  const analyze = async (html: string): Promise<PageAnalysis & { sections: Sections }> => {
    const { url } = await startSite({ "/": html });
    const found = await world().analyze({ url: `${url}/`, features: ["layout"], screenshots: false });
    return { ...found, sections: found.layout?.sections ?? [] };
  };

  test.each([
    ["of wrappers, floats and a bar over a picture", newsPage],
    ["without any division", plainPage],
    ["with text between its parts", mixedPage],
    ["of many teasers", feedPage],
  ])("cover a page %s, in its order, and none lies in another", async (_what, html) => {
    const { sections, page } = await analyze(html);
    expect(coverage(sections, page.height)).toBeGreaterThanOrEqual(0.9);
    expect(overlapping(sections)).toEqual([]);
    expect(sections.map(({ position }) => position)).toEqual(sections.map((_section, index) => index));
    const columns = new Map<number, number>();
    for (const { left, top } of sections) {
      expect(top).toBeGreaterThanOrEqual(columns.get(left) ?? 0);
      columns.set(left, top);
    }
  });

  test("are called what they are: running text that quotes and counts is an article", async () => {
    const { sections } = await analyze(newsPage);
    expect(sections.map(({ type }) => type)).toEqual(["navigation", "hero", "article", "sidebar", "footer"]);
    expect((await analyze(plainPage)).sections).toMatchObject([{ type: "article", selector: "body" }]);
  });

  test("are unknown where nothing speaks for a type strongly enough", async () => {
    const { sections } = await analyze(
      `${head}</head><body><div style="height:400px">One</div><div style="height:500px"><button>Go</button></div></body></html>`,
    );
    expect(sections.map(({ type }) => type)).toEqual(["unknown", "unknown"]);
  });

  test("have a selector that finds all of their elements, and nothing else", async () => {
    const { url } = await startSite({ "/": mixedPage });
    const { layout } = await world().analyze({ url: `${url}/`, features: ["layout"], screenshots: false });
    expect(layout?.sections.map(({ type }) => type)).toEqual(["navigation", "content", "pricing", "article", "footer"]);
    const counts = await world().browser.use({}, new AbortController().signal, async ({ openPage }) => {
      const page = await openPage();
      await page.goto(url);
      return Promise.all((layout?.sections ?? []).map(({ selector }) => page.locator(selector).count()));
    });
    expect(counts).toEqual([1, 4, 1, 5, 1]);
  });
});

describe.skipIf(!hasBrowser)("the framework of a page's styles", () => {
  const world = usePageWorld();
  const utilities = `mt-4 px-6 text-lg bg-slate-100 rounded-lg shadow-md flex-col grid-cols-3 gap-4 items-center`;

  test.each([
    [
      "tailwind",
      `<style>*, ::before { --tw-ring-color: red; --tw-shadow: none }</style><div class="${utilities}">x</div>`,
    ],
    // Utilities without their style sheet, and words that others have as well, are no proof.
    ["vanilla", `<div class="${utilities}">x</div>`],
    [
      "bootstrap",
      `<style>:root { --tblr-primary: #066fd1; --tblr-border-radius: 4px }</style><div class="page d-flex mt-4 p-2 rounded shadow gap-2"><a class="btn btn-primary">x</a><div class="card-body row col-md-6">x</div></div>`,
    ],
    [
      "vanilla",
      `<style>.row { display: flex }</style><p class="row">A page about <a href="/tailwind-or-bootstrap">tailwind</a></p>`,
    ],
  ])("is %s only where the evidence is strong", async (framework, body) => {
    const { url } = await startSite({ "/": `<!doctype html><title>x</title>${body}` });
    const { layout } = await world().analyze({ url: `${url}/`, features: ["layout"], screenshots: false });
    expect(layout?.framework.framework).toBe(framework);
  });
});
