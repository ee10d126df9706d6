import { existsSync } from "node:fs";
import { chromium } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { BrowserAccess } from "../../../src/kinds/crawl/page/render-page.ts";
import { createAddressRules } from "../../../src/net/address/address-rules.ts";
import { guardedBrowserArguments, startBrowserProxy } from "../../../src/net/proxy/browser-proxy.ts";
import { CrawlWorld, listen, openSite, pathsOf } from "./world.ts";
import { containing } from "../../containing.ts";

const executablePath = "/usr/bin/chromium";

/** A browser behind the proxy, as the server has one. */
async function openBrowser(): Promise<BrowserAccess & { close: () => Promise<void> }> {
  const proxy = await startBrowserProxy({
    rules: createAddressRules(["127.0.0.1"]),
    connectTimeoutMs: 10_000,
    idleTimeoutMs: 10_000,
    maxConnections: 100,
  });
  const { server, username, password } = proxy;
  const options = { executablePath, proxy: { server, username, password }, args: [...guardedBrowserArguments] };
  const browser = await chromium.launch(options);
  return {
    use: async (settings, signal, work) => {
      const context = await browser.newContext(settings);
      const stop = (): void => void context.close();
      signal.addEventListener("abort", stop);
      try {
        return await work({ openPage: () => context.newPage() });
      } finally {
        signal.removeEventListener("abort", stop);
        await context.close();
      }
    },
    close: async () => {
      await browser.close();
      await proxy.close();
    },
  };
}

it("a server without a browser says so", async () => {
  const site = await openSite();
  const world = await CrawlWorld.open();
  const job = await world.run("page_markdown", { url: `${site.url}/app`, render: "always" });
  expect(job.state).toMatchObject({ status: "failed", failure: { code: "browser_missing" } });
});

describe.skipIf(!existsSync(executablePath))("with Chromium", () => {
  let browser: Awaited<ReturnType<typeof openBrowser>> | undefined;
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(async () => {
    await browser?.close();
  });
  const openWorld = (): Promise<CrawlWorld> => CrawlWorld.open(browser === undefined ? {} : { browser });

  it("pages that scripts make are read, and their links followed", async () => {
    const site = await openSite({ times: 3 });
    const world = await openWorld();
    const { pages } = await world.crawl({ urls: [`${site.url}/apps`], render: "auto", sitemaps: false });
    const expected = ["/app", "/app/1", "/app/2", "/apps", "/feed", "/made", "/made/1", "/made/2"];
    expect(pathsOf(pages)).toEqual(expected);
    const made = pages.filter(({ url }) => url.includes("/app/")).map(({ markdown }) => String(markdown));
    expect(made.toSorted()).toEqual([containing("# Made by script 1"), containing("# Made by script 2")]);
  });

  it.each(["http", "https"])(
    "a page that leads on to a blocked address by %s has failed, with the reason",
    async (protocol) => {
      const target = `${protocol}://10.0.0.1/secret`;
      const url = await listen((_request, response) => {
        const html = `<!doctype html><meta http-equiv="refresh" content="0;url=${target}"><title>outside</title><p>Wait.`;
        response.writeHead(200, { "content-type": "text/html" }).end(html);
      });
      const world = await openWorld();
      const reason = expect.stringMatching(/leads to 10\.0\.0\.1, which .*not allowed/) as string;
      for (const action of ["page_markdown", "page_screenshot"]) {
        const options = action === "page_markdown" ? { render: "always" } : {};
        const job = await world.run(action, { url: `${url}/`, ...options });
        expect([action, job.state]).toMatchObject([action, { status: "failed", failure: { message: reason } }]);
      }
      const browsed = await world.run("page_browse", { url: `${url}/`, actions: [{ type: "extract" }] });
      expect(browsed.state).toMatchObject({ status: "succeeded", partial: true });
      const crawled = await world.run("crawl_site", { urls: [`${url}/`], render: "always", sitemaps: false });
      expect(crawled.state).toMatchObject({ status: "failed", failure: { message: reason } });
    },
  );

  it("a list that grows as one scrolls is read to its end", async () => {
    const site = await openSite();
    const world = await openWorld();
    const pagination = { type: "infinite_scroll" };
    const { pages } = await world.crawl({
      urls: [`${site.url}/feed`],
      depth: 0,
      pagination,
      fields: ["markdown", "screenshot"],
    });
    expect(pages[0]?.["markdown"]).toContain("entry 40");
  });

  it("a picture is taken, and its bytes are output of the job", async () => {
    const site = await openSite();
    const world = await openWorld();
    const job = await world.run("page_screenshot", { url: `${site.url}/landing`, width: 640, height: 480 });
    expect(await world.engine.result(job.id)).toMatchObject({ title: "Landing", format: "png", stream: "image" });
    const { bytes } = await world.engine.readOutput(job.id, { stream: "image", limit: 100_000 });
    expect(Buffer.from(bytes.subarray(1, 4)).toString()).toBe("PNG");
  });

  it("actions are done one after another; one that fails is told, and a wait that fails ends them", async () => {
    const site = await openSite();
    const world = await openWorld();
    const actions = [
      { type: "extract", selector: "h1" },
      { type: "click", selector: "a[href='/made']" },
      { type: "extract", format: "text" },
      { type: "scroll", amount: 100 },
      { type: "screenshot" },
      { type: "navigate", url: `${site.url}/private/1` },
      { type: "navigate", url: `${site.url}/landing` },
      { type: "wait", selector: "#never", timeout: 100 },
      { type: "extract" },
    ];
    const job = await world.run("page_browse", { url: `${site.url}/app`, actions });
    expect(job.state).toMatchObject({ status: "succeeded", partial: true });
    const result = (await world.engine.result(job.id)) as { results: { success: boolean }[] };
    expect(result).toMatchObject({ success: false, final_url: `${site.url}/landing` });
    expect(result.results.map(({ success }) => success)).toEqual([true, true, true, true, true, false, true, false]);
    expect(result.results[0]).toMatchObject({ content: "# Made by script" });
    expect(result.results[2]).toMatchObject({ content: expect.stringContaining("Linked by a script only.") as string });
    expect(result.results[4]).toMatchObject({ data: { stream: "image-5" } });
  });

  it("a script of the caller runs as one of the page's own, and gives its value as text", async () => {
    const site = await openSite();
    const world = await openWorld();
    const expressions: [string, string | null][] = [
      ["document.querySelector('h1').textContent", "Made by script"],
      ["() => ({ links: document.links.length > 0, none: null })", '{"links":true,"none":null}'],
      ["new Promise((resolve) => setTimeout(() => resolve(41 + 1), 10))", "42"],
      ["undefined", null],
      ["const self = {}; self.self = self; self", "[object Object]"],
      ["'x'.repeat(50_000_000)", "x".repeat(100_000)],
      ["[typeof require, typeof process, location.origin].join()", `undefined,undefined,${site.url}`],
    ];
    const actions = expressions.map(([expression]) => ({ type: "evaluate", expression }));
    const job = await world.run("page_browse", { url: `${site.url}/app`, actions });
    const { results } = (await world.engine.result(job.id)) as { results: object[] };
    expect(results).toEqual(expressions.map(([, data]) => ({ action: "evaluate", success: true, data })));
  });

  it("a script of the caller reaches no address that the page itself may not", async () => {
    const secret = await listen((_request, response) => {
      response.writeHead(200, { "access-control-allow-origin": "*" }).end("the secret");
    });
    const site = await openSite();
    const world = await openWorld();
    const inside = "http://169.254.169.254/latest";
    const actions = [inside, secret.replace("127.0.0.1", "[::1]"), "file:///etc/passwd"].map((url) => ({
      type: "evaluate",
      expression: `fetch(${JSON.stringify(url)}, { mode: "cors" }).then((response) => response.ok + "", () => "refused")`,
    }));
    const job = await world.run("page_browse", { url: `${site.url}/app`, actions });
    const { results } = (await world.engine.result(job.id)) as { results: { data: string }[] };
    expect(results.map(({ data }) => data)).toEqual(
      results.map(() => expect.stringMatching(/refused|false/) as string),
    );
  });

  it("a script that fails or never ends is told in words, and the rest goes on", { timeout: 120_000 }, async () => {
    const site = await openSite();
    const world = await openWorld();
    const actions = [
      { type: "evaluate", expression: "missing.part" },
      { type: "evaluate", expression: "while (true) {}" },
      { type: "evaluate", expression: "1 +" },
      { type: "navigate", url: `${site.url}/app` },
      { type: "evaluate", expression: "document.title" },
    ];
    const job = await world.run("page_browse", { url: `${site.url}/app`, actions, page_timeout_ms: 100_000 });
    const { results } = (await world.engine.result(job.id)) as { results: { success: boolean; error: string }[] };
    expect(results.map(({ success }) => success)).toEqual([false, false, false, true, true]);
    expect(results.slice(0, 3).map(({ error }) => error)).toEqual([
      "ReferenceError: missing is not defined",
      "It was not done within 10 s.",
      expect.stringContaining("SyntaxError"),
    ]);
  });
});
