import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findPaths } from "../../src/config/paths.ts";
import { createClient, type Client } from "../../src/faces/door/local-client.ts";
import { until } from "../until.ts";

/** A page that was made to stop whoever reads it. */
type Answer = (response: ServerResponse, request: IncomingMessage) => void;

const maxMs = 50;
/** What is loaded, compiled or collected once may take longer once. */
const tries = 4;
const maxMemoryMb = 1_500;
const pageBytes = 400_000;

const home = mkdtempSync(join(tmpdir(), "longhaul-hostile-"));
let server: ChildProcess;
let site: Server;
let client: Client;
let url = "";

/** A piece over and over, with something before it. */
const full = (piece: string, before = ""): string => before + piece.repeat(Math.ceil(pageBytes / piece.length));
const html =
  (text: string, type = "text/html"): Answer =>
  (response) =>
    void response.writeHead(200, { "content-type": type }).end(text);
const packed =
  (encoding: "gzip" | "br", piece: string): Answer =>
  (response) => {
    const bytes = Buffer.alloc(20_000_000, piece);
    const params = { [constants.BROTLI_PARAM_QUALITY]: 3 };
    const body = encoding === "gzip" ? gzipSync(bytes, { level: 1 }) : brotliCompressSync(bytes, { params });
    response.writeHead(200, { "content-type": "text/html", "content-encoding": encoding }).end(body);
  };
/** Until nobody wants to hear more; a gigabyte at most. */
const endless =
  (piece: string, type = "text/html"): Answer =>
  (response) => {
    const chunk = Buffer.alloc(64 * 1_024, piece);
    let left = 1e9;
    const send = (): void => {
      while (left > 0 && !response.destroyed) {
        left -= chunk.length;
        if (!response.write(chunk)) return void response.once("drain", send);
      }
      response.end();
    };
    response.writeHead(200, { "content-type": type });
    send();
  };
const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index);
const json = (depth: number): string => `${'{"@graph":['.repeat(depth)}${"]}".repeat(depth)}`;

const pages: Readonly<Record<string, Answer>> = {
  "a gigabyte of paragraphs": endless("<p>"),
  "a gigabyte of paragraphs in a gzip file": packed("gzip", "<p>x"),
  "a gigabyte of paragraphs in brotli": packed("br", "<p>x"),
  "headers without end": (response) => {
    response.socket?.write("HTTP/1.1 200 OK\r\n");
    for (let count = 0; count < 2_000; count++) response.socket?.write(`x-${count}: ${"y".repeat(1_000)}\r\n`);
  },
  "elements in elements": html(full("<div>")),
  "attributes in one tag": html(`<p ${numbers(200_000).join("=x a")}>x`),
  "one long text": html(full("words and ")),
  "nothing but links": html(full("<a href=x>y</a>")),
  "unclosed tables": html(full("<table><tr><td>")),
  "unclosed letters": html(full("<b><i><u>x")),
  "unclosed lists": html(full("<ul><li>")),
  "ends without beginnings": html(full("</p></br>", "<div>".repeat(600))),
  "a comment without end": html(full("<!-- -", "<p>x")),
  "a CDATA without end": html(full("]]", "<svg><![CDATA[")),
  "a title without end": html(full("<p>x", "<title>")),
  "a script without end": html(full("</scrip", "<script>")),
  "a style without end": html(full("<p>{", "<style>")),
  "a textarea without end": html(full("&am", "<textarea>")),
  "styles in a drawing": html(full("<style>", "<svg>")),
  "deep JSON-LD": html(`<script type="application/ld+json">${json(20_000)}</script><p>x`),
  "large JSON-LD": html(`<script type="application/ld+json">[${"0,".repeat(200_000)}0]</script><p>x`),
  "many meta tags": html(full(`<meta name="description" content="x"><meta property="og:x" content="y">`)),
  "many entities": html(full("&amp;&lt;&#x41;")),
  "many style rules": html(full("a{b:c}", "<style>")),
  "blocks in blocks": html(full("a{", "<style>")),
  "calculations in calculations": html(full("calc(", "<style>a{b:")),
  "many animations": html(full(".a:hover{animation:x 1s;transition:all 1s,b 2s}", "<style>")),
  "a large inline style": html(`<p style="${full("color:red;")}">x`),
  "large style sheets": html(
    `${numbers(30)
      .map((n) => `<link rel="stylesheet" href="/many%20rules.css?${n}">`)
      .join("")}<p>x`,
  ),
  "many classes": html(
    `<style>${full(".c1:hover{transition:x 1s}")}</style>${numbers(100_000)
      .map((n) => `<b class="c${n}">`)
      .join("")}`,
  ),
  "one large class": html(`<div class="${full("ad-")}">x</div><div id="${full("-")}">y`),
  "long runs of one sign": html(`<article><p>${full("-")}</p><p>${full("a ")}</p></article>`),
  digits: html(full("1", "<li>")),
  "much microdata": html(full(`<div itemscope itemtype="a"><b itemprop="c d e">`)),
  "data addresses": html(`<img src="data:image/png;base64,${full("A")}"><a href="data:text/html,${full("B")}">x</a>`),
  "a long srcset": html(`<img srcset="${full("a.png 1x, ")}">`),
  "a false charset": html(full("<p>x"), "text/html; charset=utf-16le"),
  "invalid bytes": (response) =>
    void response.writeHead(200, { "content-type": "text/html; charset=shift_jis" }).end(Buffer.alloc(pageBytes, 0xff)),
  "zero bytes": html(full("\0", "<p>")),
  "a false type": html(full("%PDF "), "text/html"),
  "a redirect to itself": (response, { url: path }) => void response.writeHead(302, { location: path }).end(),
  "redirects without end": (response, { url: path }) => void response.writeHead(302, { location: `${path}0` }).end(),
};

const others: Readonly<Record<string, Answer>> = {
  "/robots.txt": (response) =>
    endless(`Disallow: /x*y*z$\nSitemap: /sitemap-${response.req.socket.localPort}.xml\nUser-agent: *\n`, "text/plain")(
      response,
      response.req,
    ),
  "/many%20rules.css": endless("a{b:c}", "text/css"),
  "/slow": (response) => {
    response.writeHead(200, { "content-type": "text/html" });
    const timer = setInterval(() => response.write("<"), 1_000);
    response.once("close", () => clearInterval(timer));
  },
};

const sitemaps: Readonly<Record<string, Answer>> = {
  "elements in elements": html(full("<a><title>", "<urlset>"), "text/xml"),
  "many addresses": endless("<url><loc>/x</loc></url>", "text/xml"),
  "itself in a list": html(full("<sitemap><loc>/sitemap.xml</loc></sitemap>", "<sitemapindex>"), "text/xml"),
  "a gzip file": (response) =>
    void response.writeHead(200).end(gzipSync(Buffer.alloc(50_000_000, "<url><x>"), { level: 1 })),
  "one long address": html(full("x&amp;", "<urlset><loc>"), "text/xml"),
};

async function ask(): Promise<number> {
  const answered = once(server, "message");
  server.send("longest?");
  return Number((await answered)[0]);
}

function memoryMb(): number {
  const [, resident = "0"] = readFileSync(`/proc/${server.pid}/statm`, "utf8").split(" ");
  return (Number(resident) * 4_096) / 1e6;
}

/** Runs a job to its end and answers for how long the server stood still meanwhile, at the least of a few tries. */
async function run(kind: string, input: object): Promise<{ shortest: number; ends: string[] }> {
  let shortest = Infinity;
  const ends: string[] = [];
  for (let count = 0; count < tries && shortest > maxMs; count++) {
    await ask();
    const { jobs } = await client.call("job_submit", { jobs: [{ kind, input: Object(input) }] });
    const ids = jobs.map(({ id }) => id);
    await client.call("job_wait", { ids, timeout_ms: 60_000 });
    shortest = Math.min(shortest, await ask());
    const job = await client.call("job_get", { id: ids[0] ?? "" });
    ends.push(job.state);
  }
  return { shortest, ends };
}

async function expectCalm(kind: string, input: object, end = /^(succeeded|partial|failed)$/): Promise<void> {
  const { shortest, ends } = await run(kind, input);
  for (const state of ends) expect(state).toMatch(end);
  expect(memoryMb()).toBeLessThan(maxMemoryMb);
  expect(shortest).toBeLessThan(maxMs);
}

beforeAll(async () => {
  site = createServer((request, response) => {
    const path = (request.url ?? "/").split("?")[0] ?? "/";
    const [, group = "", name = ""] = path.split("/");
    const wanted = decodeURIComponent(name).replace(/0+$/, "");
    const answer = group === "page" ? pages[wanted] : others[path];
    if (answer === undefined) response.writeHead(404).end();
    else answer(response, request);
  }).listen(0, "127.0.0.1");
  await once(site, "listening");
  url = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
  const config = { net: { allow: ["127.0.0.1"] }, browser: { executable: "/nonexistent/chromium" } };
  writeFileSync(join(home, "config.json"), JSON.stringify(config));
  server = fork(resolve("dist/server/main.js"), ["serve", "--port", "0"], {
    execArgv: ["--import", resolve(".build/test/fixtures/watch-event-loop.js")],
    env: { ...process.env, LONGHAUL_HOME: home },
    stdio: ["ignore", "ignore", "ignore", "ipc"],
  });
  client = createClient(findPaths({ LONGHAUL_HOME: home }).socket);
  await until(async () => (await client.call("server_status", {}).catch(() => undefined)) !== undefined, {
    timeoutMs: 30_000,
  });
}, 120_000);

afterAll(async () => {
  const ended = once(server, "exit");
  server.kill();
  await ended;
  site.closeAllConnections();
  site.close();
  rmSync(home, { recursive: true, force: true });
});

const settings = { respect_robots: false, screenshots: false, timeouts_ms: { load: 20_000 } };
const selectors = { first: "p:first", all: "a@href", has: "div:has(b)" };
const schema = { name: "string", price: "number" };

describe("the server's event loop is not stopped by a page of", () => {
  it.each(Object.keys(pages))("%s", async (name) => {
    const page = `${url}/page/${encodeURIComponent(name)}`;
    await expectCalm("page", { url: page, ...settings });
    await expectCalm("crawl", {
      action: "extract",
      url: page,
      selectors,
      schema,
      fields: ["markdown", "links", "metadata"],
    });
  });

  it("a byte a second", async () => {
    const end = /^(failed|timed_out)$/;
    await expectCalm("crawl", { action: "markdown", url: `${url}/slow`, page_timeout_ms: 1_500 }, end);
    await expectCalm("page", { url: `${url}/slow`, ...settings, timeouts_ms: { load: 1_500 } }, end);
  });
});

describe("the server's event loop is not stopped by a sitemap of", () => {
  it.each(Object.entries(sitemaps))("%s", async (_name, answer) => {
    const own = createServer((request, response) => {
      if (request.url === "/sitemap.xml") answer(response, request);
      else if (request.url === "/robots.txt") response.writeHead(404).end();
      else response.writeHead(200, { "content-type": "text/html" }).end("<p>x");
    }).listen(0, "127.0.0.1");
    await once(own, "listening");
    const at = `http://127.0.0.1:${(own.address() as AddressInfo).port}/`;
    try {
      await expectCalm("crawl", { action: "map", url: at, max_urls: 100, max_pages: 2, max_seconds: 20 });
    } finally {
      own.closeAllConnections();
      own.close();
    }
  });
});
