import { Client, type CallToolResult } from "@modelcontextprotocol/client";
import { createServer, type RequestListener, type Server } from "node:http";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import { until } from "../../../until.ts";
import { openTransport } from "../../mcp/official-client.ts";
import { serveBuilt, type TestServer } from "../../mcp/server-process.ts";

export type Reply = Record<string, unknown>;

const page = (title: string, body: string, head = ""): string =>
  `<!doctype html><html lang="en"><head><title>${title}</title>${head}</head><body><main>${body}</main></body></html>`;

const lamp = JSON.stringify({ "@type": "Product", name: "Lamp", offers: { price: "12.50", priceCurrency: "EUR" } });
const form = `<h1>Form</h1><input id="name"><button onclick="document.querySelector('#out').textContent = 'Hello ' + document.querySelector('#name').value">Go</button><p id="out"></p>`;
const noun = ["amber", "basin", "cedar", "delta", "ember", "fjord", "grove", "harbor"];

/** Eight numbered pages that link to each other, a product, a form, and pages that fail or never answer. */
function answerAsSite(stuck: Set<() => void>): RequestListener {
  return ({ url: path = "/" }, response) => {
    const [, number] = /^\/page\/([0-7])$/.exec(path) ?? [];
    const send = (status: number, body: string): void => {
      response.writeHead(status, { "content-type": path === "/sitemap.xml" ? "application/xml" : "text/html" });
      response.end(body);
    };
    if (path === "/robots.txt") send(404, "");
    else if (path === "/sitemap.xml") {
      send(200, `<urlset><url><loc>http://${response.req.headers.host ?? ""}/product</loc></url></urlset>`);
    } else if (number !== undefined) {
      const words = noun.map((word) => `${word} ${noun[Number(number)]}`).join(" ");
      const links = [0, 1, 2, 3, 4, 5, 6, 7].map((other) => `<a href="/page/${other}">${other}</a>`).join(" ");
      send(200, page(`Page ${number}`, `<h1>Page ${number}</h1><p>${words}</p>${links}`));
    } else if (path === "/half") send(200, page("Half", `<p>One link is dead.</p><a href="/gone">gone</a>`));
    else if (path === "/hanging") send(200, page("Hanging", `<p>One link hangs.</p><a href="/stuck">stuck</a>`));
    else if (path === "/product") {
      send(200, page("Shop", "<h1>Lamp</h1>", `<script type="application/ld+json">${lamp}</script>`));
    } else if (path === "/form") send(200, page("Form", form));
    else if (path === "/app") {
      const made = "<main><h1>App</h1><p>Made by a script.</p></main>";
      send(200, `<title>App</title><div id="root"></div><script>document.all.root.innerHTML = "${made}"</script>`);
    } else if (path === "/long") send(200, page("Long", noun.map((word) => `<a href="/${word}.txt">x</a>`).join("")));
    else if (path.endsWith(".txt")) {
      response.writeHead(200, { "content-type": "text/plain" });
      response.end(`${path.slice(1, -4)} and more of it\n`.repeat(45_000));
    } else if (path === "/stuck") stuck.add(() => send(200, page("Stuck", "<p>At last.</p>")));
    else send(404, page("Gone", "<p>Gone.</p>"));
  };
}

function answerAsSearxng(siteUrl: () => string): RequestListener {
  return ({ url = "/" }, response) => {
    const { pathname, searchParams } = new URL(url, "http://localhost");
    const results = [
      { title: "Lamp", url: `${siteUrl()}/product`, content: "A lamp", engine: "duck" },
      { title: "Gone", url: `${siteUrl()}/gone`, content: "Not there", engine: "goose" },
      { title: "More", url: `${siteUrl()}/page/1`, content: "A page", engine: "duck" },
    ];
    const article = {
      title: "Light",
      url: "https://www.paper.example/1",
      content: "News of light",
      engine: "press",
      publishedDate: "2024-05-01",
      thumbnail: "https://paper.example/t.png",
    };
    const image = {
      title: "Lamp",
      url: "https://a.example/p",
      content: "",
      engine: "pics",
      resolution: "640 x 480",
      img_src: "https://a.example/i.png",
      thumbnail_src: "https://a.example/t.png",
    };
    const byCategory: Record<string, object[]> = { general: results, news: [article], images: [image] };
    const infoboxes = [{ infobox: "Lamp", content: "Gives light", id: "https://wiki.example/lamp" }];
    const found = { results: byCategory[searchParams.get("categories") ?? ""], suggestions: ["lamp shade"], infoboxes };
    response.end(JSON.stringify(pathname === "/autocompleter" ? ["la", ["lamp", "lamps"]] : found));
  };
}

async function listen(handler: RequestListener): Promise<Server> {
  const server = createServer({ keepAliveTimeout: 75_000 }, handler).listen(0, "127.0.0.1");
  await new Promise((resolve) => {
    server.once("listening", resolve);
  });
  return server;
}

export class SearchclawClient {
  readonly client = new Client({ name: "drop-in", version: "0.0.0" });

  async connect(server: TestServer, token = server.token): Promise<this> {
    await this.client.connect(openTransport({ ...server, url: `${server.url}/searchclaw` }, "http", token));
    return this;
  }

  call(name: string, args: Reply = {}): Promise<CallToolResult> {
    return this.client.callTool({ name, arguments: args });
  }

  /** One text of pretty JSON, and the same as structured content. */
  async data(name: string, args: Reply = {}): Promise<Reply> {
    const { structuredContent, content, isError } = await this.call(name, args);
    const [first] = content;
    const text = first?.type === "text" ? first.text : "";
    if (isError === true) throw new Error(text);
    expect(text).toBe(JSON.stringify(structuredContent, null, 2));
    return structuredContent as Reply;
  }

  /** The status and the detail of an error in SearchClaw's form; of a field that is wrong, what is said of it. */
  async error(name: string, args: Reply = {}): Promise<[number, string]> {
    const { isError, content } = await this.call(name, args);
    const [first] = content;
    const text = isError === true && first?.type === "text" ? first.text : "no error";
    const [, status = "0", body = '{"detail":""}'] = /^SearchClaw API error (\d+): (.*)$/s.exec(text) ?? [];
    const { detail } = JSON.parse(body) as { detail: string | { msg: string }[] };
    return [Number(status), typeof detail === "string" ? detail : (detail[0]?.msg ?? "")];
  }

  status(job: unknown, range: Reply = {}): Promise<Reply> {
    return this.data("job_status", { job_id: job, ...range });
  }

  async end(job: unknown): Promise<Reply> {
    await until(async () => !["queued", "processing"].includes(String((await this.status(job))["status"])));
    return this.status(job);
  }
}

/** A site, a search engine, and servers that may use them. */
export class SearchclawWorld {
  readonly stuck = new Set<() => void>();
  readonly #homes: string[] = [];
  readonly #servers: Server[] = [];
  #site = "";
  #searxng = "";

  static async open(): Promise<SearchclawWorld> {
    const world = new SearchclawWorld();
    world.#site = await world.#listen(answerAsSite(world.stuck));
    world.#searxng = await world.#listen(answerAsSearxng(() => world.#site));
    return world;
  }

  /** The address of a page of the site. */
  readonly at = (path: string): string => this.#site + path;

  get search(): object {
    return { engine: "searxng", base_url: this.#searxng };
  }

  serve(config: object = { search: this.search }): Promise<TestServer> {
    const home = mkdtempSync(join(tmpdir(), "longhaul-searchclaw-"));
    this.#homes.push(home);
    writeFileSync(join(home, "config.json"), JSON.stringify({ net: { allow: ["127.0.0.1"] }, ...config }));
    return serveBuilt(home);
  }

  close(): void {
    for (const server of this.#servers) {
      server.closeAllConnections();
      server.close();
    }
    for (const home of this.#homes) rmSync(home, { recursive: true, force: true });
  }

  async #listen(handler: RequestListener): Promise<string> {
    const server = await listen(handler);
    this.#servers.push(server);
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }
}
