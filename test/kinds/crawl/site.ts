import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";

const words =
  "amber basin cedar delta ember fjord grove harbor island juniper kernel lagoon meadow nectar orchard prairie quartz river summit timber upland valley willow yonder zephyr".split(
    " ",
  );

/** Words by chance, the same for the same seed. */
export function prose(seed: number, count: number): string {
  let state = Math.imul(seed + 1, 2_654_435_761) >>> 0;
  return Array.from({ length: count }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return words[Math.floor((state / 4_294_967_296) * words.length)];
  }).join(" ");
}

const links = (...targets: string[]): string => targets.map((target) => `<a href="${target}">${target}</a>`).join("\n");
const html = (title: string, body: string, head = ""): string =>
  `<!doctype html><html lang="en"><head><title>${title}</title>${head}</head><body><main>${body}</main></body></html>`;
const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

const orphansEach = 7;
const flakyFailures = 2;
/** Words for pages that are compressed a thousandfold: each its own, or they would be taken for one. */
const bombs = ["boom", "crash", "bang"];
const itemsOfLists = 9;
/** Redirects that lead to one another, to a page in the end. */
const chainLength = 5;

interface SiteOptions {
  /** Plain pages, in a tree in which each leads to ten others and back to its start. */
  readonly pages?: number;
  /** How many there are of each difficulty. */
  readonly times?: number;
  /** Answers no sooner than this. */
  readonly delayMs?: number;
  /** Whether every other page is an empty shell that a script fills. */
  readonly isScripted?: boolean;
}

/** What the script of a shell asks for the page itself by. */
const contentHeader = "x-content";
const shell = `<!doctype html><html lang="en"><head><title>Loading</title></head><body><div id="root"></div><script>
fetch(location.href, { headers: { "${contentHeader}": "1" } })
  .then((response) => response.text())
  .then((text) => {
    const made = new DOMParser().parseFromString(text, "text/html");
    document.title = made.title;
    document.getElementById("root").innerHTML = made.body.innerHTML;
  });
</script></body></html>`;
/** Of these, and of the numbered ones every other. */
const scriptedPath = /^\/(landing|chain\/0|rel\/a\/|shop|feed|near\/1.*|(page|orphan|calendar|list)\/\d*[13579])$/;

/** A site with everything that makes crawling hard. It counts what it is asked for. */
export class TestSite {
  readonly requests = new Map<string, number>();
  readonly agents = new Set<string>();
  readonly #server: Server;
  readonly #pages: number;
  readonly #times: number;
  readonly #delayMs: number;
  readonly #isScripted: boolean;
  readonly #bombs = new Map<string, Buffer>();
  #atOnce = 0;
  maxAtOnce = 0;

  private constructor({ pages = 50, times = 1, delayMs = 0, isScripted = false }: SiteOptions) {
    this.#pages = pages;
    this.#times = times;
    this.#delayMs = delayMs;
    this.#isScripted = isScripted;
    this.#server = createServer(
      { keepAliveTimeout: 75_000 },
      (request, response) => void this.#answer(request, response),
    );
  }

  static async open(options: SiteOptions = {}): Promise<TestSite> {
    const site = new TestSite(options);
    await new Promise<void>((resolve) => {
      site.#server.listen(0, "127.0.0.1", resolve);
    });
    return site;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
  }

  /** How often each path was asked for more than once, robots.txt and sitemaps apart. */
  repeats(): number {
    return [...this.requests].reduce(
      (sum, [path, count]) => sum + (/robots|sitemap|flaky|error/.test(path) ? 0 : count - 1),
      0,
    );
  }

  /** Every path under which the whole site keeps a page, for a crawl from `/` that goes this deep. */
  expected(depth: number): string[] {
    return [
      "/",
      ...this.plainPages(),
      "/shop",
      ...["/broken", "/latin1", "/sjis", "/wrong-charset", "/flaky", "/canon", "/text.txt"].flatMap((path) =>
        this.#variants(path),
      ),
      ...["/huge", "/bomb"].flatMap((path) => this.#few(path)),
      ...this.#groups().flatMap((group) => [`/dup/*${group}`, `/near/*${group}`]),
      "/landing",
      "/chain/0",
      "/rel/a/",
      "/rel/a/a/",
      "/rel/a/a/a/",
      ...numbers(depth).map((day) => `/calendar/${day}`),
      ...this.#orphans().map((orphan) => `/orphan/${orphan}`),
      ...this.#variants("/app"),
      ...(this.#isScripted ? this.#variants("/made") : []),
      "/feed",
      "/product",
      "/list/1",
      "/list/2",
      "/list/3",
    ].toSorted();
  }

  /** How many of these are made by scripts. */
  scripted(depth: number): number {
    const own = this.expected(depth).filter((path) => /^\/(app|feed)/.test(path) || scriptedPath.test(path));
    return own.length;
  }

  /** What the result of such a crawl says. */
  expectedResult(depth: number): object {
    return {
      status: "partial",
      pages: this.expected(depth).length,
      failed: 2 * this.#times + this.#few("/slow").length + itemsOfLists,
      duplicates: { exact: this.#times, near: this.#times, canonical: 2 * this.#times },
      skipped: { robots: 2 * this.#times, type: this.#times, scope: this.#times },
      redirects: this.#times + 2 + chainLength,
    };
  }

  /** `/name`, `/name/1`, `/name/2` … */
  #variants(path: string, times = this.#times): string[] {
    return numbers(times).map((variant) => (variant === 0 ? path : `${path}/${variant}`));
  }

  /** Of what takes long there are but a few. */
  #few(path: string): string[] {
    return this.#variants(path, Math.min(this.#times, bombs.length));
  }

  /** What the pages of a group have in common: "", "-1", "-2" … */
  #groups(): string[] {
    return numbers(this.#times).map((group) => (group === 0 ? "" : `-${group}`));
  }

  #orphans(): number[] {
    return numbers(orphansEach * this.#times);
  }

  plainPages(): string[] {
    return numbers(this.#pages).map((page) => `/page/${page}`);
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url ?? "/";
    this.requests.set(path, (this.requests.get(path) ?? 0) + 1);
    this.agents.add(request.headers["user-agent"] ?? "");
    this.#atOnce += 1;
    this.maxAtOnce = Math.max(this.maxAtOnce, this.#atOnce);
    response.once("close", () => {
      this.#atOnce -= 1;
    });
    if (this.#delayMs > 0) {
      await new Promise((resolve) => {
        setTimeout(resolve, this.#delayMs);
      });
    }
    const send = (
      body: string | Buffer,
      type = "text/html; charset=utf-8",
      headers: Record<string, string> = {},
    ): void => {
      response.writeHead(200, { "content-type": type, ...headers }).end(body);
    };
    const redirect = (to: string): void => {
      response.writeHead(302, { location: to }).end();
    };
    if (this.#isScripted && scriptedPath.test(path) && request.headers[contentHeader] === undefined) return send(shell);
    const [route = "", key = ""] = path.slice(1).split(/[/?]/);
    const number = Number(key);
    const suffix = key === "" ? "" : ` ${key}`;
    switch (route) {
      case "":
        return send(html("Start", `<h1>Start</h1>${links(...this.#sections())}`));
      case "robots.txt":
        return send(`User-agent: *\nDisallow: /private\nSitemap: ${this.url}/sitemap-index.xml\n`, "text/plain");
      case "sitemap-index.xml":
        return send(
          `<?xml version="1.0"?><sitemapindex><sitemap><loc>${this.url}/sitemap-0.xml</loc></sitemap><sitemap><loc>/sitemap-1.xml.gz</loc></sitemap><sitemap><loc>/sitemap-index.xml</loc></sitemap><sitemap><loc>/sitemap-missing.xml</loc></sitemap></sitemapindex>`,
          "application/xml",
        );
      case "sitemap-0.xml":
      case "sitemap-1.xml.gz": {
        const half = this.#orphans().filter((orphan) => orphan % 2 === Number(route[8]));
        const xml = `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${half.map((orphan) => `<url><loc>${this.url}/orphan/${orphan}?utm_source=map</loc></url>`).join("")}</urlset>`;
        return route.endsWith("gz") ? send(gzipSync(xml), "application/gzip") : send(xml, "application/xml");
      }
      case "page": {
        if (!(number < this.#pages)) break;
        const children = numbers(10).map((index) => `/page/${(number * 10 + index + 1) % this.#pages}`);
        return send(
          html(
            `Page ${number}`,
            `<h1>Page ${number}</h1><p>${prose(number, 60)}</p>${links(...children, "/", `/page/${number}#part`)}`,
          ),
        );
      }
      case "orphan":
        return send(html(`Orphan ${key}`, `<p>${prose(9_000 + number, 60)}</p>`));
      case "calendar":
        return send(html(`Day ${key}`, `<p>Day ${key}</p>${links(`/calendar/${number + 1}`)}`));
      case "shop":
        return send(
          html(
            "Shop",
            `<p>Shop</p>${numbers(5)
              .map(() => `<a href="/shop?sid=${Math.random()}&utm_source=x">again</a>`)
              .join("")}`,
          ),
        );
      case "rel":
        return send(html(`Deep ${path}`, `<p>${path}</p><a href="a/">deeper</a>`));
      case "moved": {
        const targets: Record<string, string> = { circle: "/moved/round", round: "/moved/circle" };
        return redirect(key.startsWith("out") ? `http://example.invalid/${key}` : (targets[key] ?? "/landing"));
      }
      case "chain":
        return number > 0 ? redirect(`/chain/${number - 1}`) : send(html("End", "<p>The end of a chain.</p>"));
      case "landing":
        return send(html("Landing", "<p>You have landed.</p>"));
      case "broken":
        return send(
          `<title>Broken${suffix}</title><p>One<p>Two <b>bold <i>both</b> italic</i><table><tr><td>cell<td>cell2<ul><li>item</table><div><a href=/page/0>unquoted</a>`,
        );
      case "latin1":
        return send(
          Buffer.from(html(`Latin${suffix}`, "<p>Café über Ærø</p>"), "latin1"),
          "text/html; charset=iso-8859-1",
        );
      case "sjis":
        return send(
          Buffer.concat([
            Buffer.from(`<meta charset="shift_jis"><title>SJIS${suffix}</title><p>`),
            Buffer.from([0x93, 0xfa, 0x96, 0x7b]),
          ]),
          "text/html",
        );
      case "wrong-charset":
        return send(
          Buffer.from(`<title>Wrong${suffix}</title><p>“caf\u00e9”</p>`, "latin1"),
          "text/html; charset=no-such-thing",
        );
      case "huge":
        return send(`<title>Huge</title><main>${`<p>${prose(77 + number, 40)}</p>`.repeat(8_000)}</main>`);
      case "bomb":
        return send(this.#bomb(key), "text/html", { "content-encoding": "gzip" });
      case "slow":
        response.writeHead(200, { "content-type": "text/html" });
        response.write("<title>Slow</title>");
        return;
      case "error":
        response.writeHead(500).end();
        return;
      case "flaky":
        if ((this.requests.get(path) ?? 0) <= flakyFailures) {
          response.writeHead(503, { "retry-after": "0" }).end();
          return;
        }
        return send(html(`Flaky${suffix}`, "<p>At last.</p>"));
      case "file":
        return send(Buffer.alloc(1_000), "application/octet-stream");
      case "text.txt":
        return send(`# Plain text${suffix}\n\nAs it is.`, "text/plain");
      case "private":
        return send(html("Private", "<p>Secret.</p>"));
      case "canon": {
        const [canonical = "", query = ""] = path.split("?");
        const head = `<link rel="canonical" href="${canonical}">`;
        return send(html(`Canon ${canonical}`, `<p>One of many.</p>${query}`, head));
      }
      case "dup":
        return send(html("Twin", `<p>The very same${key.slice(1)}.</p>`));
      case "near":
        return send(
          html("Near", `<p>${prose(5 + 1_000 * Number(key.split("-")[1] ?? 0), 600)}</p><p>Number ${key[0]}</p>`),
        );
      case "apps":
        return send(html("Apps", links(...this.#variants("/app"), "/feed")));
      case "app":
        return send(
          `<title>App${suffix}</title><div id="root"></div><script>document.getElementById("root").innerHTML = "<main><h1>Made by script${suffix}</h1><a href='/made${key && `/${key}`}'>made</a></main>";</script>`,
        );
      case "made":
        return send(html(`Made${suffix}`, "<p>Linked by a script only.</p>"));
      case "feed":
        return send(
          `<title>Feed</title><main id="feed"></main><script>let count = 0; const more = () => { for (let i = 0; i < 10 && count < 40; i++) { const p = document.createElement("p"); p.style.height = "200px"; p.textContent = "entry " + ++count; document.getElementById("feed").append(p); } }; more(); addEventListener("scroll", () => { if (innerHeight + scrollY >= document.documentElement.scrollHeight - 10) setTimeout(more, 20); });</script>`,
        );
      case "product":
        return send(
          html(
            "Lamp | Shop",
            `<h1>Lamp</h1><span class="stock">In stock</span>`,
            `<script type="application/ld+json">{"@context":"https://schema.org","@type":"Product","name":"Lamp","brand":{"@type":"Brand","name":"Lumen"},"offers":{"@type":"Offer","price":"1,299.50","priceCurrency":"EUR","availability":"https://schema.org/InStock"}}</script><meta property="og:image" content="/lamp.png"><meta name="keywords" content="lamp, light">`,
          ),
        );
      case "list": {
        if (number > 3) break;
        const items = numbers(3).map(
          (item) =>
            `<li class="item"><h3>Item ${key}.${item}</h3><a href="/item/${key}${item}">more</a><b class="price">${number}.${item}0 €</b></li>`,
        );
        const next = number < 3 ? `<a class="next" rel="next nofollow" href="/list/${number + 1}">next</a>` : "";
        return send(html(`List ${key}`, `<ul>${items.join("")}</ul>${next}`));
      }
      default:
    }
    response.writeHead(404, { "content-type": "text/html" }).end("<title>Nothing here</title>");
  }

  /** Small on the way, huge when it is unpacked. */
  #bomb(key: string): Buffer {
    const word = bombs[Number(key)] ?? bombs[0];
    const known = this.#bombs.get(key) ?? gzipSync(Buffer.alloc(10_000_000, `<p>${word} `), { level: 1 });
    this.#bombs.set(key, known);
    return known;
  }

  #sections(): string[] {
    const each = [
      "/broken",
      "/latin1",
      "/sjis",
      "/wrong-charset",
      "/error",
      "/flaky",
      "/missing",
      "/file",
      "/text.txt",
    ];
    return [
      "/page/0",
      "/shop?sid=1",
      ...[...each, "/moved/here", "/moved/out", "/app"].flatMap((path) => this.#variants(path)),
      ...["/huge", "/bomb", "/slow"].flatMap((path) => this.#few(path)),
      ...this.#groups().flatMap((group) => ["/dup/1", "/dup/2", "/near/1", "/near/2"].map((path) => path + group)),
      ...numbers(2 * this.#times).map((page) => `/private/${page}`),
      ...this.#variants("/canon").flatMap((path) => [1, 2, 3].map((variant) => `${path}?variant=${variant}`)),
      "/moved/circle",
      `/chain/${chainLength}`,
      "/rel/a/",
      "/calendar/0",
      "/feed",
      "/product",
      "/list/1",
      "/list/2",
      "/list/3",
      "mailto:a@b.c",
      "javascript:alert(1)",
      "http://other.invalid/",
      "//",
    ];
  }
}
