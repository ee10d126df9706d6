import { expect, it } from "vitest";
import { compilePlan, parsePage } from "../../../src/kinds/crawl/parse/parse-page.ts";
import { SiteTemplate } from "../../../src/kinds/crawl/site/site-template.ts";
import { prose } from "./site.ts";
import { CrawlWorld, listen, pathsOf } from "./world.ts";

const sidebar = `<div class="x1"><ul>${["Chairs", "Tables", "Lamps", "Carpets"].map((name) => `<li><a href="/shelf/${name}">${name}</a></li>`).join("")}</ul></div>`;
const promotion = `<div class="x2">Our catalogue is here, <a href="/page/0">have a look</a>.</div>`;
const notice = `<div class="x3"><p>This page is under the licence that <a href="/page/1">page one</a> tells of.</p></div>`;

function pageOf(number: number, count: number): string {
  const links = [number * 2 + 1, number * 2 + 2]
    .filter((next) => next < count)
    .map((next) => `<a href="/page/${next}">next ${next}</a>`);
  const text = `<p>${prose(number, 120)}</p>${notice}<p>${prose(number + 500, 120)}</p><table><tr><td>Price</td><td>12</td></tr></table>`;
  return `<title>Page ${number}</title><body><main>${sidebar}<div><h1>Page ${number}</h1>${text}${links.join(" ")}</div>${promotion}</main></body>`;
}

/** Pages that all carry the same list of links and the same box, by names that say nothing. */
function openShop(count: number): Promise<string> {
  return listen((request, response) => {
    const number = Number(/^\/page\/(\d+)$/.exec(request.url ?? "")?.[1] ?? (request.url === "/" ? 0 : NaN));
    const isPage = number < count;
    response.writeHead(isPage ? 200 : 404, { "content-type": "text/html" }).end(isPage ? pageOf(number, count) : "");
  });
}

it.each([1, 8])(
  "what stands on most pages of a site beside their text is left out of those that come later, %i at once, and nothing else is",
  async (concurrency) => {
    const world = await CrawlWorld.open();
    const { id, pages, result } = await world.crawl({ urls: [`${await openShop(60)}/page/0`], depth: 9, concurrency });
    expect(pathsOf(pages)).toEqual(Array.from({ length: 60 }, (_, number) => `/page/${number}`).toSorted());
    expect(result.pages).toBe(60);
    const told = await world.pages(id, ["left_out"]);
    expect(told.at(-1)).toMatchObject({ left_out: 2 });
    const late = pages.slice(30).map(({ markdown }) => String(markdown));
    for (const markdown of late) {
      expect(markdown).not.toMatch(/Carpets|catalogue/);
      expect(markdown).toContain("licence that");
      expect(markdown).toContain("| Price | 12 |");
      expect(markdown).toMatch(/^# Page \d+/);
    }
  },
  120_000,
);

it("of a site with few pages nothing is left out", async () => {
  const world = await CrawlWorld.open();
  const { pages } = await world.crawl({ urls: [`${await openShop(2)}/page/0`], depth: 9 });
  for (const { markdown } of pages) expect(markdown).toMatch(/Carpets[^]*catalogue/);
}, 60_000);

it("a block is a site's when four pages have it, and most of them", () => {
  const template = new SiteTemplate();
  const learn = (...blocks: number[]): void => template.learn("https://a.example/x", Int32Array.from(blocks));
  for (let page = 0; page < 3; page++) learn(7, 7);
  expect(template.of("https://a.example/y")).toBeUndefined();
  learn(7, 8);
  expect(template.of("https://a.example/y")).toEqual(Int32Array.of(7));
  expect(template.of("https://b.example/y")).toBeUndefined();
  for (let page = 0; page < 4; page++) learn(8);
  expect(template.of("https://a.example/y")).toEqual(Int32Array.of(8));
});

it("which page it is does not depend on what is left out of it, and a page that would be empty keeps all it has", async () => {
  const plan = await compilePlan({ fields: ["markdown"] });
  const parse = (html: string, template?: Int32Array): ReturnType<typeof parsePage> =>
    parsePage(
      { body: Buffer.from(html), contentType: "text/html", url: "https://a.example/", plan: "", template },
      plan,
    );
  const whole = parse(pageOf(3, 60));
  const short = parse(pageOf(3, 60), whole.blocks);
  expect(whole.fields).toContain("Carpets");
  expect(short.fields).not.toContain("Carpets");
  expect([short.contentHash, short.fingerprint]).toEqual([whole.contentHash, whole.fingerprint]);
  const list = parse(`<main>${sidebar}</main>`);
  expect(list.blocks.length).toBeGreaterThan(0);
  expect(parse(`<main>${sidebar}</main>`, list.blocks).fields).toContain("Carpets");
});
