import { describe, expect, test } from "vitest";
import { listenHttp, listenPrivately } from "../../net/listeners.ts";
import { forbiddenLocationsFor, forbiddenUrlsFor, oncePerHost } from "../../net/ssrf-table.ts";
import { hasBrowser, PageWorld } from "./world.ts";

/** Tries every URL in every way while the page loads, which lasts until all have been tried. */
const script = `
  const urls = URLS;
  const patience = (promise) => Promise.race([promise, new Promise((done) => setTimeout(done, 300))]);
  const add = (name, attribute, url) => patience(new Promise((done) => {
    const made = document.createElement(name);
    made.onload = made.onerror = done;
    if (name === "link") made.rel = "stylesheet";
    made[attribute] = url;
    document.body.append(made);
  }));
  const ways = [
    (url) => add("img", "src", url),
    (url) => add("iframe", "src", url),
    (url) => add("script", "src", url),
    (url) => add("link", "href", url),
    (url) => patience(fetch(url, { mode: "no-cors" })),
    (url) => patience(new Promise((done) => { new WebSocket(url.replace(/^http/, "ws")).onerror = done; })),
  ];
  (async () => {
    navigator.serviceWorker.register("/worker.js").catch(() => undefined);
    for (const way of ways) await Promise.all(urls.map((url) => Promise.resolve().then(() => way(url)).catch(() => undefined)));
    await fetch("/tried");
  })();
`;

describe.skipIf(!hasBrowser)("a page that is analysed", () => {
  test.each(["http", "https"])("and leads on to a private address by %s fails with the reason", async (protocol) => {
    const privately = await listenPrivately();
    const target = `${protocol}://127.0.0.1:${privately.port}/secret`;
    const publicly = await listenHttp((_request, response) => {
      const html = `<!doctype html><meta http-equiv="refresh" content="0;url=${target}"><title>outside</title>`;
      response.writeHead(200, { "content-type": "text/html" }).end(html);
    });
    const world = await PageWorld.open({ allow: [`127.0.0.1:${publicly.port}`] });
    try {
      const state = { status: "failed", failure: { message: expect.stringContaining("not allowed") as string } };
      await expect(world.analyze({ url: `${publicly.origin}/` })).rejects.toMatchObject({ state });
      expect(privately.connections()).toBe(0);
    } finally {
      await world.close();
    }
  });

  test("reaches nothing of the private network, and neither do its redirects, workers and links", async () => {
    const privately = await listenPrivately();
    const forbidden = oncePerHost(forbiddenUrlsFor(privately.port), privately);
    const locations = oncePerHost(forbiddenLocationsFor(privately.port), privately);
    expect(forbidden.length).toBeGreaterThan(15);
    const asked = new Set<string>();
    let finish: (() => void) | undefined;
    const publicly = await listenHttp((request, response) => {
      const path = request.url ?? "/";
      asked.add(path);
      const location = locations[Number(/^\/to\/(\d+)$/.exec(path)?.[1])];
      if (location !== undefined) return void response.writeHead(302, { location }).end();
      const all = JSON.stringify([...forbidden, ...locations.map((_, index) => `${publicly.origin}/to/${index}`)]);
      if (path === "/tried") finish?.();
      if (path === "/last.css") {
        // The page counts as loaded only when it has tried everything.
        finish = () => void response.writeHead(200, { "content-type": "text/css" }).end("");
        return undefined;
      }
      const links = forbidden.map((url) => `<a href="${url}">x</a>`).join("");
      const html = `<!doctype html><title>outside</title><body>${links}<script>${script.replace("URLS", () => all)}</script><img src="/last.css">`;
      return void response.writeHead(200, { "content-type": "text/html" }).end(html);
    });
    const world = await PageWorld.open({ allow: [`127.0.0.1:${publicly.port}`] });
    try {
      const found = await world.analyze({ url: `${publicly.origin}/`, features: ["motion", "quality"] });
      expect(found).toMatchObject({ method: "browser", page: { title: "outside" } });
      expect([...asked]).toEqual(expect.arrayContaining(["/tried", "/to/0"]));
      // No worker of the page's is ever fetched, so none can outlive it or hide what it fetches.
      expect(asked.has("/worker.js")).toBe(false);
      expect(privately.connections()).toBe(0);
    } finally {
      await world.close();
    }
  });
});
