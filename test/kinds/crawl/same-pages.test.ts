import { describe, expect, it } from "vitest";
import { CrawlState } from "../../../src/kinds/crawl/site/crawl-state.ts";
import { KeptPages } from "../../../src/kinds/crawl/site/kept-pages.ts";
import { prose } from "./site.ts";
import { CrawlWorld, listen, pathsOf, type CrawlResult } from "./world.ts";

interface TestPage {
  readonly body: string;
  readonly head?: string;
  readonly title?: string;
  readonly language?: string;
}

interface SmallSite {
  readonly url: string;
  readonly requests: string[];
}

/** A site of a few pages; what starts with `>` leads elsewhere. All are linked to from `/start`, but for what is hidden. */
async function openPages(
  pages: Readonly<Record<string, TestPage | string>>,
  hidden: readonly string[] = [],
): Promise<SmallSite> {
  const requests: string[] = [];
  const linked = Object.keys(pages).filter((path) => !hidden.includes(path));
  const start: TestPage = { body: linked.map((path) => `<a href="${path}">${path}</a>`).join(" ") };
  const url = await listen(({ url: path = "" }, response) => {
    if (path !== "/robots.txt" && path !== "/sitemap.xml") requests.push(path);
    const found = path === "/start" ? start : pages[path];
    if (typeof found !== "object") {
      if (found === undefined) response.writeHead(404, { "content-type": "text/html" }).end("gone");
      else response.writeHead(302, { location: found.slice(1) }).end();
      return;
    }
    const { body, head = "", title = "Shop", language } = found;
    const lang = language === undefined ? "" : ` lang="${language}"`;
    response.writeHead(200, { "content-type": "text/html; charset=utf-8" });
    response.end(`<html${lang}><head><title>${title}</title>${head}</head><body><main>${body}</main></body></html>`);
  });
  return { url, requests };
}

const canonical = (path: string): string => `<link rel="canonical" href="${path}">`;
const alternates = (paths: Readonly<Record<string, string>>): string =>
  Object.entries(paths)
    .map(([language, path]) => `<link rel="alternate" hreflang="${language}" href="${path}">`)
    .join("");

async function crawlSite(
  { url }: SmallSite,
  input: object = {},
): Promise<{ paths: string[]; result: CrawlResult; languages: (string | undefined)[] }> {
  const world = await CrawlWorld.open();
  const request = { urls: [`${url}/start`], sitemaps: false, concurrency: 1, ...input };
  const { id, result, pages } = await world.crawl(request);
  const read = await world.pages(id, ["url", "language"]);
  const languages = read
    .toSorted((a, b) => (a.url < b.url ? -1 : 1))
    .flatMap(({ url: at, language }) => (at.endsWith("/start") ? [] : [language as string | undefined]));
  return { paths: pathsOf(pages).filter((path) => path !== "/start"), result, languages };
}

const text = prose(1, 200);

describe("a crawl keeps every page that says something of its own", () => {
  it("products that differ in colour and price are all kept, with and without a schema that asks for the price", async () => {
    const colours = ["red", "blue", "green", "black", "white"];
    const pages = Object.fromEntries(
      colours.map((colour, index) => [
        `/product/${index}`,
        { body: `<h2>A lamp</h2><p>${text}</p><p>Colour: ${colour}</p><p>${20 + index} €</p>` },
      ]),
    );
    const site = await openPages(pages);
    const all = await crawlSite(site);
    expect(all.paths).toEqual(Object.keys(pages));
    const hidden = Object.fromEntries(
      colours.map((_colour, index) => [
        `/product/${index}`,
        { body: `<p>${text}</p><i class="price" title="${20 + index}"></i>` },
      ]),
    );
    const silent = await openPages(hidden);
    expect((await crawlSite(silent)).paths).toHaveLength(1);
    const asked = await crawlSite(silent, { schema: { price: "number" }, selectors: { price: ".price@title" } });
    expect(asked.paths).toEqual(Object.keys(hidden));
  });

  it("the same text in two languages is two pages, whether html or hreflang tells them apart", async () => {
    const said = await openPages({
      "/da/": { body: text, language: "da" },
      "/en/": { body: text, language: "en", head: canonical("/da/") },
    });
    expect((await crawlSite(said)).paths).toEqual(["/da/", "/en/"]);
    const all = alternates({ da: "/da/", "en-GB": "/gb/", "en-US": "/us/", "x-default": "/gb/" });
    const page = { body: text, head: all };
    const told = await openPages({ "/da/": page, "/gb/": page, "/us/": page }, ["/gb/", "/us/"]);
    const { paths, languages } = await crawlSite(told);
    expect(paths).toEqual(["/da/", "/gb/", "/us/"]);
    expect(languages).toEqual(["da", "en-gb", "en-us"]);
  });

  it("pages that say nothing of their language have that which another says they have", async () => {
    const head = alternates({ da: "/da/", sv: "/sv/" });
    const site = await openPages(
      { "/en/": { body: text, head, language: "en" }, "/da/": { body: text }, "/sv/": { body: text } },
      ["/da/", "/sv/"],
    );
    const { paths, languages } = await crawlSite(site);
    expect(paths).toEqual(["/da/", "/en/", "/sv/"]);
    expect(languages).toEqual(["da", "en", "sv"]);
  });
});

describe("a canonical link", () => {
  it("counts where it leads to the same content, which is kept under it, and whose links are followed", async () => {
    const variant = (colour: string): TestPage => ({
      body: `${text} ${colour} <a href="/from-${colour}">more</a>`,
      head: canonical("/lamp"),
    });
    const found = { body: "found", title: "Found" };
    const site = await openPages(
      {
        "/lamp?c=red": variant("red"),
        "/lamp?c=blue": variant("blue"),
        "/lamp": variant("plain"),
        "/from-red": { ...found, body: "one" },
        "/from-blue": { ...found, body: "two" },
        "/from-plain": { ...found, body: "three" },
      },
      ["/lamp", "/from-red", "/from-blue", "/from-plain"],
    );
    const { paths, result } = await crawlSite(site);
    expect(paths).toEqual(["/from-blue", "/from-plain", "/from-red", "/lamp"]);
    expect(result.duplicates).toEqual({
      exact: 0,
      near: 0,
      canonical: 1,
      dropped: [{ url: `${site.url}/lamp?c=blue`, kept: `${site.url}/lamp`, of: "canonical" }],
    });
    expect(site.requests.filter((path) => path === "/lamp")).toHaveLength(1);
  });

  it.each<[string, Record<string, TestPage | string>]>([
    ["to other content", { "/a": { body: text, head: canonical("/b") }, "/b": { body: prose(2, 200) } }],
    [
      "to the first page of a list",
      {
        "/list?page=2": { body: prose(3, 200), head: canonical("/list") },
        "/list?page=3": { body: prose(4, 200), head: canonical("/list") },
        "/list": { body: prose(2, 200), head: canonical("/list") },
      },
    ],
    [
      "to the front page",
      { "/": { body: text, title: "Front" }, "/a": { body: `${text} more of it`, head: canonical("/") } },
    ],
    [
      "to other facts",
      {
        "/a": { body: text, head: `${canonical("/b")}<meta property="product:price:amount" content="20">` },
        "/b": { body: text, head: `<meta property="product:price:amount" content="25">` },
      },
    ],
  ])("that leads %s is not believed", async (_where, pages) => {
    const site = await openPages(pages);
    const { paths, result } = await crawlSite(site);
    expect(paths).toEqual(Object.keys(pages).toSorted());
    expect(result).toMatchObject({ failed: 0, duplicates: { exact: 0, near: 0, canonical: 0 } });
    // What only a canonical link leads to is a page as well.
    const [first = "", ...others] = Object.keys(pages);
    const alone = await crawlSite(site, { urls: [site.url + first], depth: 0 });
    expect(alone.paths).toContain(first);
    if (others.length === 1 && first !== "/") expect(alone.paths).toEqual([first, ...others].toSorted());
  });

  it("that leads in a circle keeps the page that came first", async () => {
    const pages = {
      "/a": { body: text, head: canonical("/b") },
      "/b": { body: `${text} and so on ever`, head: canonical("/a") },
    };
    const { paths, result } = await crawlSite(await openPages(pages));
    expect(paths).toEqual(["/a"]);
    expect(result.duplicates).toMatchObject({ canonical: 1 });
  });

  it("that leads to nothing, or on to elsewhere, does not swallow pages, and is looked at once", async () => {
    const page = (seed: number, path: string): TestPage => ({ body: prose(seed, 200), head: canonical(path) });
    const site = await openPages(
      {
        "/a": page(1, "/gone"),
        "/b": page(2, "/gone"),
        "/c": page(3, "/moved"),
        "/d": page(4, "/moved"),
        "/moved": ">/elsewhere",
        "/elsewhere": { body: prose(5, 200) },
      },
      ["/moved", "/elsewhere"],
    );
    const { paths, result } = await crawlSite(site);
    expect(paths).toEqual(["/a", "/b", "/c", "/d"]);
    expect(result.failed).toBe(0);
    expect(site.requests.filter((path) => path === "/gone" || path === "/moved")).toHaveLength(2);
  });
});

describe("what is dropped", () => {
  const twins = {
    "/a": { body: `${text} Seen 1 times` },
    "/b": { body: `${text} Seen 1 times` },
    "/c": { body: `${text} Seen 2 times` },
    "/d": { body: `${text} Seen 1 times`, head: canonical("/a") },
  };

  it("is told with the page that was kept in its place, the one that came first", async () => {
    const site = await openPages(twins);
    const { paths, result } = await crawlSite(site);
    expect(paths).toEqual(["/a"]);
    expect(result.duplicates).toEqual({
      exact: 1,
      near: 1,
      canonical: 1,
      dropped: [
        { url: `${site.url}/b`, kept: `${site.url}/a`, of: "exact" },
        { url: `${site.url}/c`, kept: `${site.url}/a`, of: "near" },
        { url: `${site.url}/d`, kept: `${site.url}/a`, of: "canonical" },
      ],
    });
  });

  it("is kept on request: near-duplicates alone, or every URL", async () => {
    const site = await openPages(twins);
    expect((await crawlSite(site, { near_duplicates: "keep" })).paths).toEqual(["/a", "/c"]);
    const all = await crawlSite(site, { duplicates: "keep" });
    expect(all.paths).toEqual(["/a", "/b", "/c", "/d"]);
    expect(all.result.duplicates).toEqual({ exact: 0, near: 0, canonical: 0, dropped: [] });
  });
});

describe("what a crawl remembers of the pages it has kept", () => {
  it("is each one's URL by its number, however many there are", () => {
    const pages = new KeptPages();
    const urls = Array.from({ length: 1_000 }, (_, page) => `https://a.example/${page}`);
    expect(urls.map((url) => pages.add(url, [1, 2, 3]))).toEqual(urls.map((_url, index) => index));
    expect(urls.map((_url, index) => pages.urlOf(index))).toEqual(urls);
    expect(pages.outlineOf("https://a.example/999")).toEqual([1, 2, 3]);
    expect(pages.outlineOf("https://a.example/1000")).toBeUndefined();
  });

  it("is read back from a journal of an older version, which says less", () => {
    const state = new CrawlState(100);
    const page = { type: "page", status: 200, bytes: 10, at: 0, content: 5, title: "", depth: 0 } as const;
    state.apply({ ...page, from: "https://a.example/1", url: "https://a.example/1" });
    state.apply({ type: "duplicate", of: "exact", from: "https://a.example/2", depth: 0, bytes: 10 });
    expect(state.counts).toMatchObject({ pages: 1, exact: 1, bytes: 20 });
    expect(state.hasPage("https://a.example/1")).toBe(true);
    expect(state.dropped).toEqual([]);
    state.apply({
      type: "duplicate",
      of: "near",
      kept: "https://a.example/1",
      from: "https://a.example/3",
      depth: 0,
      bytes: 10,
    });
    expect(state.dropped).toEqual([{ url: "https://a.example/3", kept: "https://a.example/1", of: "near" }]);
  });
});
