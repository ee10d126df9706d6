import { createHash } from "node:crypto";
import { createSocket } from "node:dgram";
import { existsSync } from "node:fs";
import { createServer } from "node:http";
import { chromium, type Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createAddressRules } from "../../src/net/address/address-rules.ts";
import { guardedBrowserArguments, startBrowserProxy, type BrowserProxy } from "../../src/net/proxy/browser-proxy.ts";
import { closeAfterTest, listen, listenHttp, listenPrivately, type Listener } from "./listeners.ts";
import { until } from "../until.ts";
import { startNameServer } from "./name-server.ts";
import { forbiddenLocationsFor, forbiddenUrlsFor, oncePerHost } from "./ssrf-table.ts";

const executablePath = "/usr/bin/chromium";

/** In the page: tries to reach every URL in every way that a page has, or in these; done when all have ended, well or not. */
const attack = `async (urls, names) => {
  const patience = (promise) => Promise.race([promise, new Promise((done) => setTimeout(done, 500))]);
  const element = (name, attribute, url) => patience(new Promise((done) => {
    const made = document.createElement(name);
    made.onload = made.onerror = done;
    if (name === "link") made.rel = "stylesheet";
    made[attribute] = url;
    document.body.append(made);
    if (name === "audio") made.load();
  }));
  const ways = {
    image: (url) => element("img", "src", url),
    script: (url) => element("script", "src", url),
    style: (url) => element("link", "href", url),
    frame: (url) => element("iframe", "src", url),
    media: (url) => element("audio", "src", url),
    object: (url) => element("object", "data", url),
    fetch: (url) => patience(fetch(url, { mode: "no-cors" })),
    post: (url) => patience(fetch(url, { mode: "no-cors", method: "POST", body: "x" })),
    beacon: (url) => navigator.sendBeacon(url, "x"),
    socket: (url) => patience(new Promise((done) => {
      const socket = new WebSocket(url.replace(/^http/, "ws"));
      socket.onopen = socket.onerror = done;
    })),
    events: (url) => patience(new Promise((done) => {
      const source = new EventSource(url);
      source.onopen = source.onerror = () => { source.close(); done(); };
    })),
    worker: (url) => patience(new Promise((done) => {
      const code = "fetch(" + JSON.stringify(url) + ", {mode: 'no-cors'}).then(() => postMessage(1), () => postMessage(1))";
      const worker = new Worker(URL.createObjectURL(new Blob([code])));
      worker.onmessage = () => { worker.terminate(); done(); };
    })),
  };
  let tried = 0;
  for (const name of names ?? Object.keys(ways)) {
    await Promise.all(urls.map(async (url) => {
      try { await ways[name](url); } catch {}
      tried += 1;
    }));
    for (const made of document.body.children) made.remove();
  }
  return tried;
}`;

const serviceWorker = `
  self.addEventListener("install", () => self.skipWaiting());
  self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));
  self.addEventListener("message", async (event) => {
    await Promise.all(event.data.map((url) => fetch(url, { mode: "no-cors" }).catch(() => undefined)));
    event.source.postMessage("done");
  });
`;

describe.skipIf(!existsSync(executablePath))("a browser behind the proxy", () => {
  let browser: Browser;

  beforeAll(async () => {
    // Every context has a proxy of its own, so the browser's must be one that leads nowhere.
    browser = await chromium.launch({
      executablePath,
      chromiumSandbox: false,
      proxy: { server: "http://127.0.0.1:9" },
      args: [
        "--disable-gpu",
        "--disable-background-networking",
        "--disable-component-update",
        ...guardedBrowserArguments,
      ],
    });
  });
  afterAll(() => browser.close());

  async function openPage(
    publicly: Listener,
    allow: string[] = [],
  ): Promise<{ page: Awaited<ReturnType<Browser["newPage"]>>; proxy: BrowserProxy }> {
    const { resolve } = await startNameServer((name) => [name === "inside.example" ? "127.0.0.1" : "10.1.2.3"]);
    const proxy = await startBrowserProxy({
      rules: createAddressRules([`127.0.0.1:${publicly.port}`, ...allow]),
      resolve,
      connectTimeoutMs: 5_000,
      idleTimeoutMs: 5_000,
      maxConnections: 512,
    });
    closeAfterTest(proxy.close);
    const context = await browser.newContext({ proxy });
    closeAfterTest(() => context.close());
    const page = await context.newPage();
    await page.goto(publicly.origin);
    return { page, proxy };
  }

  it("reaches nothing of the table, by whatever means a page has", async () => {
    const privately = await listenPrivately();
    const publicly = await listenHttp((_request, response) => {
      response.writeHead(200, { "content-type": "text/html" }).end("<!doctype html><title>outside</title><body>");
    });
    const { page, proxy } = await openPage(publicly);
    expect(await page.title()).toBe("outside");
    const urls = [
      `http://inside.example:${privately.port}/`,
      ...oncePerHost(forbiddenUrlsFor(privately.port), privately),
    ];
    expect(urls.length).toBeGreaterThan(20);
    const tried = await page.evaluate(`(${attack})(${JSON.stringify(urls)})`);
    expect(tried).toBe(urls.length * 12);
    await until(() => proxy.refusals().count > 100);
    expect(privately.connections()).toBe(0);
  });

  it("reaches nothing of the table through redirects", async () => {
    const privately = await listenPrivately();
    const locations = oncePerHost(forbiddenLocationsFor(privately.port), privately);
    const publicly = await listenHttp((request, response) => {
      const location = locations[Number(request.url?.slice(1))];
      if (request.url === "/" || location === undefined) response.end("<!doctype html><body>");
      else response.writeHead(302, { location, "access-control-allow-origin": "*" }).end();
    });
    const { page, proxy } = await openPage(publicly);
    const urls = locations.map((_, index) => `${publicly.origin}/${index}`);
    // Before the attack, whose requests leave no connection for it.
    expect((await page.goto(`${publicly.origin}/0`))?.status()).toBe(403);
    await page.goto(publicly.origin);
    await page.evaluate(`(${attack})(${JSON.stringify(urls)}, ["image", "fetch", "post", "beacon", "worker"])`);
    await until(() => proxy.refusals().count > 20);
    expect(privately.connections()).toBe(0);
  });

  it("reaches nothing of the table from a service worker", async () => {
    const privately = await listenPrivately();
    const publicly = await listenHttp((request, response) => {
      const isScript = request.url === "/worker.js";
      response.writeHead(200, { "content-type": isScript ? "text/javascript" : "text/html" });
      response.end(isScript ? serviceWorker : "<!doctype html><body>");
    });
    const { page, proxy } = await openPage(publicly);
    const urls = forbiddenUrlsFor(privately.port).filter((url) => url.startsWith("http") && URL.canParse(url));
    const answer = await page.evaluate(`(async () => {
      await navigator.serviceWorker.register("/worker.js");
      const { active } = await navigator.serviceWorker.ready;
      const done = new Promise((resolve) => { navigator.serviceWorker.onmessage = ({ data }) => resolve(data); });
      active.postMessage(${JSON.stringify(urls)});
      return done;
    })()`);
    expect(answer).toBe("done");
    await until(() => proxy.refusals().count > 40);
    expect(privately.connections()).toBe(0);
  });

  it("sends no packet of its own for WebRTC", async () => {
    const privately = await listenPrivately();
    let packets = 0;
    const udp = createSocket("udp4").on("message", () => (packets += 1));
    await new Promise<void>((resolve) => {
      udp.bind(0, "127.0.0.1", resolve);
    });
    closeAfterTest(async () => void udp.close());
    const publicly = await listenHttp((_request, response) => response.end("<!doctype html><body>"));
    const { page } = await openPage(publicly);
    const servers = [
      { urls: `stun:127.0.0.1:${udp.address().port}` },
      { urls: `turn:127.0.0.1:${privately.port}?transport=tcp`, username: "x", credential: "y" },
      { urls: `turn:127.0.0.1:${udp.address().port}?transport=udp`, username: "x", credential: "y" },
    ];
    const state = await page.evaluate(`(async () => {
      const connection = new RTCPeerConnection({ iceServers: ${JSON.stringify(servers)} });
      connection.createDataChannel("x");
      await connection.setLocalDescription();
      const ended = new Promise((done) => { connection.onicegatheringstatechange = () => connection.iceGatheringState === "complete" && done(); });
      await Promise.race([ended, new Promise((done) => setTimeout(done, 3000))]);
      return connection.iceGatheringState;
    })()`);
    expect(state).toMatch(/complete|gathering/);
    expect([packets, privately.connections()]).toEqual([0, 0]);
  });

  it("lets WebSockets and pages through to what is allowed", async () => {
    const server = createServer((request, response) => response.end(`<!doctype html><title>${request.url}</title>`));
    server.on("upgrade", (request, socket) => {
      const key = `${request.headers["sec-websocket-key"]}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`;
      const accept = createHash("sha1").update(key).digest("base64");
      const head = ["HTTP/1.1 101 Switching Protocols", "Upgrade: websocket", "Connection: Upgrade"];
      socket.write(`${[...head, `Sec-WebSocket-Accept: ${accept}`].join("\r\n")}\r\n\r\n`);
      socket.write(Buffer.from([0x81, 2, ...Buffer.from("hi")]));
    });
    const publicly = await listen(server);
    const { page } = await openPage(publicly);
    await page.goto(`${publicly.origin}/second`);
    expect(await page.title()).toBe("/second");
    const heard = await page.evaluate(`new Promise((resolve, reject) => {
      const socket = new WebSocket("ws://127.0.0.1:${publicly.port}/");
      socket.onmessage = ({ data }) => resolve(data);
      socket.onerror = reject;
    })`);
    expect(heard).toBe("hi");
  });
});
