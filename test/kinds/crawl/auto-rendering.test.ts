import { describe, expect, it } from "vitest";
import { containing } from "../../containing.ts";
import { useOnce } from "../../use-each.ts";
import { hasBrowser, openLocalBrowser } from "./local-browser.ts";
import { prose } from "./site.ts";
import { CrawlWorld, listen, openSite, pathsOf } from "./world.ts";

const shell = (title: string, script: string): string =>
  `<!doctype html><title>${title}</title><div id="root"></div><script>${script}</script>`;
const fill = (html: string): string => `document.getElementById("root").innerHTML = ${JSON.stringify(html)};`;

/** Pages by their paths; any other is missing. Tells how often each was asked for. */
async function serve(
  pages: Readonly<Record<string, string>>,
): Promise<{ readonly url: string; readonly requests: string[] }> {
  const requests: string[] = [];
  const url = await listen(({ url: path = "/", headers }, response) => {
    requests.push(path);
    const page = pages[path];
    const origin = `http://${headers.host ?? ""}`;
    const type = path === "/robots.txt" ? "text/plain" : "text/html; charset=utf-8";
    response.writeHead(page === undefined ? 404 : 200, { "content-type": type });
    response.end(page?.replaceAll("{origin}", origin) ?? "");
  });
  return { url, requests };
}

describe("where there is no browser", () => {
  it("a page that scripts make is read as it came, and the result says that and why it was not rendered", async () => {
    const site = await serve({ "/": shell("App", fill("<p>Made</p>")) });
    const world = await CrawlWorld.open();
    const note = containing("made by scripts. Rendering needs a browser");
    const single = await world.run("page_markdown", { url: site.url });
    expect(single.state).toMatchObject({ status: "succeeded", partial: true });
    expect(await world.engine.result(single.id)).toMatchObject({ markdown: "", read_by: "html", note });
    const extracted = await world.run("page_extract", { url: site.url, schema: { name: "string" } });
    expect(extracted.state).toMatchObject({ status: "succeeded", partial: true });
    expect(await world.engine.result(extracted.id)).toMatchObject({ read_by: "html", note });
  });

  it("a crawl keeps such pages apart, marks each and counts them", async () => {
    const app = shell("App", "");
    const site = await serve({
      "/": `<p>Start</p><a href="/a">a</a><a href="/b">b</a><a href="/c">c</a>`,
      "/a": app,
      "/b": app,
      "/c": `<title>C</title><p>${prose(3, 30)}</p>`,
    });
    const world = await CrawlWorld.open();
    const { id, result } = await world.crawl({ urls: [site.url], sitemaps: false });
    expect(result).toMatchObject({ status: "partial", pages: 4, rendered: 0, not_rendered: 2, failed: 0 });
    const pages = await world.pages(id, ["url", "read_by", "note"]);
    expect(pathsOf(pages.filter(({ note }) => note !== undefined))).toEqual(["/a", "/b"]);
    expect(pages.map(({ read_by: by }) => by)).toEqual(["html", "html", "html", "html"]);
  });

  it("who never wants a page rendered is not told that it was not", async () => {
    const site = await serve({ "/": shell("App", "") });
    const world = await CrawlWorld.open();
    const job = await world.run("page_markdown", { url: site.url, render: "never" });
    expect(job.state).toMatchObject({ status: "succeeded", partial: false });
    expect(await world.engine.result(job.id)).not.toHaveProperty("note");
  });
});

describe.skipIf(!hasBrowser)("with a browser, unless it is told otherwise", () => {
  const browser = useOnce(
    () => openLocalBrowser(),
    (opened) => opened.close(),
  );
  const openWorld = (): Promise<CrawlWorld> => CrawlWorld.open({ browser: browser() });

  it("every way to read a page renders one that scripts make, and the result says so", async () => {
    const made = `<main><h1>Lamp</h1><p class="price">12 €</p><a href="/more">more</a></main>`;
    const site = await serve({ "/": shell("App", fill(made)), "/more": "<title>More</title><p>More of it.</p>" });
    const world = await openWorld();
    const single = await world.result("page_markdown", { url: site.url });
    expect(single).toMatchObject({ read_by: "browser", markdown: containing("# Lamp") });
    expect(single).not.toHaveProperty("note");
    const extracted = await world.result("page_extract", { url: site.url, selectors: { price: ".price" } });
    expect(extracted).toMatchObject({ read_by: "browser", data: { price: "12 €" } });
    const { id, result } = await world.crawl({ urls: [site.url], sitemaps: false });
    expect(result).toMatchObject({ status: "completed", pages: 2, rendered: 1, not_rendered: 0 });
    const pages = await world.pages(id, ["url", "read_by"]);
    expect(Object.fromEntries(pages.map(({ url, read_by: by }) => [new URL(url).pathname, by]))).toEqual({
      "/": "browser",
      "/more": "html",
    });
    const map = await world.result<{ urls: { url: string }[] }>("map_site", { url: site.url, sitemaps: false });
    expect(pathsOf(map.urls)).toEqual(["/", "/more"]);
  });

  it("a page that says no more in the browser is kept as it came", async () => {
    const site = await serve({
      "/": `<p>Loading</p><p>One two three four five six seven.</p><script>document.querySelector("p + p").remove();</script>`,
    });
    const world = await openWorld();
    const result = await world.result("page_markdown", { url: site.url });
    expect(result).toMatchObject({ read_by: "html", markdown: containing("seven") });
  });

  it("a site of short pages with scripts and places for more is rendered a few times in vain, then no more", async () => {
    const paths = Array.from({ length: 40 }, (_, index) => `/${index}`);
    const links = paths.map((path) => `<a href="${path}">${path}</a>`).join(" ");
    const short = (index: number): string =>
      `<title>${index}</title><p>Picture ${index}</p><div id="box"></div><script src="/box.js"></script>`;
    const pages = Object.fromEntries(paths.map((path, index) => [path, short(index)]));
    const site = await serve({ "/": `<p>${prose(1, 60)}</p>${links}`, ...pages, "/box.js": "" });
    const world = await openWorld();
    const { result } = await world.crawl({ urls: [site.url], sitemaps: false, concurrency: 1 });
    expect(result).toMatchObject({ status: "completed", pages: 41, rendered: 0, not_rendered: 0 });
    expect(site.requests.filter((path) => path === "/box.js")).toHaveLength(5);
  });

  it("no more pages are open at once than the browser has places for", async () => {
    const few = await openLocalBrowser(2);
    const paths = Array.from({ length: 10 }, (_, index) => `/${index}`);
    const pages = Object.fromEntries(paths.map((path) => [path, shell(path, fill(`<p>Page ${path}</p>`))]));
    const site = await serve({ "/": paths.map((path) => `<a href="${path}">${path}</a>`).join(" "), ...pages });
    try {
      const world = await CrawlWorld.open({ browser: few });
      const { result } = await world.crawl({ urls: [site.url], sitemaps: false, concurrency: 10 });
      expect(result).toMatchObject({ pages: 11, rendered: 10 });
      expect(few.maxOpen()).toBe(2);
    } finally {
      await few.close();
    }
  });

  it("what frames of the page's own server show is part of a page that scripts make", async () => {
    const site = await serve({
      "/": shell("Framed", fill(`<iframe src="/folder/inside" width="600" height="400"></iframe>`)),
      "/folder/inside": `<h1>Inside</h1><p>Shown in a frame.</p><a href="deeper">deeper</a>`,
    });
    const world = await openWorld();
    const result = await world.result("page_markdown", { url: site.url, fields: ["markdown", "links"] });
    expect(result).toMatchObject({
      read_by: "browser",
      markdown: containing("Shown in a frame."),
      links: [`${site.url}/folder/deeper`],
    });
  });

  it("where scripts lead must be allowed: by the rules for addresses, by robots.txt, by the scope of the crawl", async () => {
    const go = (target: string): string => shell("Gone", `location.href = "${target}";`);
    const site = await serve({
      "/robots.txt": "User-agent: *\nDisallow: /private",
      "/inside": go("http://10.0.0.1/secret"),
      "/forbidden": go("/private"),
      "/private": `<p>${prose(1, 60)}</p>`,
      "/out": go("/elsewhere"),
      "/elsewhere": `<p>${prose(2, 60)}</p>`,
      "/folder/": go("/elsewhere"),
    });
    const world = await openWorld();
    for (const [path, code, words] of [
      ["/inside", "blocked_address", "leads to 10.0.0.1"],
      ["/forbidden", "robots", "its robots.txt forbids it"],
    ] as const) {
      const single = await world.run("page_markdown", { url: site.url + path });
      expect(single.state).toMatchObject({ status: "failed", failure: { code, message: containing(words) } });
      const crawled = await world.run("crawl_site", { urls: [site.url + path], sitemaps: false });
      expect(crawled.state).toMatchObject({ status: "failed", failure: { code, message: containing(words) } });
    }
    expect(await world.result("page_markdown", { url: `${site.url}/out` })).toMatchObject({
      url: `${site.url}/elsewhere`,
      read_by: "browser",
    });
    const narrow = await world.run("crawl_site", { urls: [`${site.url}/folder/`], within: "path", sitemaps: false });
    expect(narrow.state).toMatchObject({ status: "failed", failure: { message: containing("out of its scope") } });
  });
});

describe("a page that leads on by a refresh", () => {
  const refresh = (target: string, seconds = 0): string =>
    `<meta http-equiv="refresh" content="${seconds}; url=${target}"><title>Moved</title><p>Wait.`;

  it("is followed as a redirect is", async () => {
    const site = await serve({
      "/": refresh("/second", 3),
      "/second": refresh("third"),
      "/third": `<title>Third</title><p>The end.</p>`,
    });
    const world = await CrawlWorld.open();
    expect(await world.result("page_markdown", { url: site.url })).toMatchObject({
      url: `${site.url}/third`,
      markdown: "The end.",
      read_by: "html",
    });
    const { pages, result } = await world.crawl({ urls: [site.url], depth: 0, sitemaps: false });
    expect(pathsOf(pages)).toEqual(["/third"]);
    expect(result).toMatchObject({ redirects: 2 });
  });

  it("has failed where it leads nowhere it may, or in a circle", async () => {
    const site = await serve({
      "/robots.txt": "User-agent: *\nDisallow: /private",
      "/inside": refresh("http://10.0.0.1/secret"),
      "/forbidden": refresh("/private"),
      "/private": "<p>Secret.</p>",
      "/round": refresh("/circle"),
      "/circle": refresh("/round"),
    });
    const world = await CrawlWorld.open();
    for (const [path, code, words] of [
      ["/inside", "blocked_address", "leads to http://10.0.0.1/secret"],
      ["/forbidden", "robots", "/private may not be fetched"],
      ["/round", "too_many_redirects", "redirects in a circle"],
    ] as const) {
      const single = await world.run("page_markdown", { url: site.url + path });
      expect(single.state).toMatchObject({ status: "failed", failure: { code, message: containing(words) } });
    }
    for (const [path, code, words] of [
      ["/inside", "no_pages", "it leads out of its scope"],
      ["/forbidden", "robots", "its robots.txt forbids it"],
      ["/round", "too_many_redirects", "it redirects in a circle"],
    ] as const) {
      const crawled = await world.run("crawl_site", { urls: [site.url + path], sitemaps: false });
      expect(crawled.state).toMatchObject({ status: "failed", failure: { code, message: containing(words) } });
    }
    const anywhere = { urls: [`${site.url}/inside`], within: "any", sitemaps: false };
    const open = await world.run("crawl_site", anywhere);
    expect(open.state).toMatchObject({ status: "failed", failure: { code: "blocked_address" } });
  });

  it("is read where it only loads itself again", async () => {
    const site = await serve({ "/news": refresh("/news?utm_source=reload", 5) });
    const world = await CrawlWorld.open();
    const result = await world.result("page_markdown", { url: `${site.url}/news` });
    expect(result).toMatchObject({ url: `${site.url}/news`, markdown: "Wait." });
    expect(site.requests.filter((path) => path.startsWith("/news"))).toHaveLength(1);
  });
});

describe("a page whose text is in its frames", () => {
  const text = (name: string): string => `<title>${name}</title><h1>${name}</h1><p>Text of ${name}.</p>`;

  it("is read with them, in their order, as far as they are its own and can be had", async () => {
    const other = await serve({ "/": text("another server") });
    const site = await serve({
      "/": `<title>Book</title><frameset><frame src="/menu"><frame src="/inner/"><frame src="/none"><frame src="${other.url.replace("127.0.0.1", "localhost")}/"></frameset>`,
      "/menu": text("the menu"),
      "/inner/": `<frameset><frame src="one"><frame src="two"></frameset>`,
      "/inner/one": text("one"),
      "/inner/two": `${text("two")}<a href="three">three</a>`,
    });
    const world = await CrawlWorld.open();
    const result = await world.result<{ markdown: string }>("page_markdown", {
      url: site.url,
      fields: ["markdown", "links"],
    });
    expect(result).toMatchObject({ title: "Book", read_by: "html", links: [`${site.url}/inner/three`] });
    expect(result.markdown.match(/^# .*/gm)).toEqual(["# the menu", "# one", "# two"]);
    expect(other.requests).toEqual([]);
  });

  it("is read with no more than eight of them", async () => {
    const frames = Array.from({ length: 20 }, (_, index) => `/${index}`);
    const site = await serve({
      "/": `<frameset>${frames.map((path) => `<frame src="${path}">`).join("")}</frameset>`,
      ...Object.fromEntries(frames.map((path) => [path, text(path)])),
    });
    const world = await CrawlWorld.open();
    const { markdown } = await world.result<{ markdown: string }>("page_markdown", { url: site.url });
    expect(markdown.match(/^# .*/gm)).toHaveLength(8);
  });

  it("leads a crawl to them, whatever depth it has", async () => {
    const site = await serve({
      "/": `<title>Book</title><frameset><frame src="/menu"><frame src="/text"></frameset>`,
      "/menu": text("the menu"),
      "/text": `<h1>Text</h1><iframe src="/within"></iframe>`,
      "/within": text("within"),
    });
    const world = await CrawlWorld.open();
    const { pages } = await world.crawl({ urls: [site.url], depth: 0, sitemaps: false });
    expect(pathsOf(pages)).toEqual(["/", "/menu", "/text", "/within"]);
  });
});

it("a crawl of a site without scripts opens no browser", async () => {
  const site = await openSite({ pages: 30 });
  let uses = 0;
  const browser = {
    use: () => {
      uses += 1;
      return Promise.reject(new Error("no browser was to be opened"));
    },
  };
  const world = await CrawlWorld.open({ browser });
  await world.crawl({ urls: [`${site.url}/page/0`], include: ["/page/*"], sitemaps: false });
  expect(uses).toBe(0);
});
