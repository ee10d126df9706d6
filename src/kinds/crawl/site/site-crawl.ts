import type { CrawlRequest, RequestOf } from "../contract.ts";
import { JobFailure, messageOf } from "../../../job/failure.ts";
import type { CrawlRecord } from "./crawl-record.ts";
import type { CrawlSettings } from "../crawl-settings.ts";
import type { CrawlState } from "./crawl-state.ts";
import { fetchPage } from "../page/fetch-page.ts";
import type { FrontierEntry } from "./frontier.ts";
import type { Journal } from "./journal.ts";
import { nextPage, normaliseUrl } from "./page-url.ts";
import type { ParsedPage } from "../parse/parse-plan.ts";
import type { ParsePool } from "../parse/parse-pool.ts";
import { renderPage } from "../page/render-page.ts";
import type { ReadByModel } from "../page/read-by-model.ts";
import type { Scope } from "./scope.ts";
import { SiteTemplate } from "./site-template.ts";

/** What a crawl works with; all of it lives as long as its attempt. */
export interface CrawlParts {
  readonly settings: CrawlSettings;
  readonly state: CrawlState;
  readonly journal: Journal;
  readonly pool: ParsePool;
  readonly plan: string;
  readonly isInScope: Scope;
  readonly signal: AbortSignal;
  readonly onVisited: (record: CrawlRecord) => void;
  /** Finds data that the parser could not. */
  readonly readByModel?: ReadByModel;
}

/** How a crawl goes about its pages: said by its input. */
export interface CrawlLimits {
  readonly maxPages: number;
  readonly depth: number;
  readonly concurrency: number;
  readonly delayMs: number;
  readonly timeoutMs: number;
  readonly maxBytes: number;
  readonly maxTotalBytes: number;
  readonly keepsNearDuplicates: boolean;
  readonly pagination: RequestOf<"crawl">["pagination"];
  readonly render: Extract<CrawlRequest, { render: unknown }>["render"];
  readonly waitFor: string | undefined;
  readonly takesScreenshots: boolean;
}

const maxHops = 10;

interface LoadedPage {
  /** After redirects that the browser has followed. */
  readonly url: string;
  readonly status: number;
  readonly bytes: number;
  readonly parsed: ParsedPage;
  readonly screenshot?: string;
  readonly tokens?: number;
}

/** Visits what the frontier holds until nothing is left or enough was found. Every visit ends as one record. */
export class SiteCrawl {
  readonly #parts: CrawlParts;
  readonly #manner: CrawlLimits;
  readonly #template = new SiteTemplate();
  #active = 0;
  #onIdle: (() => void) | undefined;
  #fault: { readonly error: unknown } | undefined;

  constructor(manner: CrawlLimits, parts: CrawlParts) {
    this.#manner = manner;
    this.#parts = parts;
  }

  get isFull(): boolean {
    return this.#parts.journal.size >= this.#manner.maxTotalBytes;
  }

  /** Resolves when nothing is left to visit, or no more is wanted. */
  async drain(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#onIdle = resolve;
      this.#fill();
    });
    if (this.#fault !== undefined) throw this.#fault.error;
    this.#parts.signal.throwIfAborted();
  }

  /** Adds what the sitemaps of these URLs' sites list. */
  async addSitemaps(starts: readonly string[]): Promise<void> {
    const { settings, signal, isInScope, state } = this.#parts;
    const { readSitemaps } = await import("./sitemaps.ts");
    const found: string[] = [];
    for (const url of new Set(starts.map((start) => new URL("/", start).href))) {
      const onUrl = (page: string): boolean => {
        if (isInScope(page) && !state.frontier.has(page)) found.push(page);
        return found.length < state.frontier.room;
      };
      await readSitemaps({ url, signal, onUrl }, settings);
    }
    this.record({ type: "found", by: "sitemap", found: [...new Set(found)], depth: 0 });
  }

  record(record: CrawlRecord, fields?: string): void {
    const { state, journal, onVisited } = this.#parts;
    journal.append(toLine(record, fields));
    state.apply(record);
    onVisited(record);
  }

  #fill(): void {
    while (this.#mayStart()) {
      const entry = this.#parts.state.frontier.take();
      if (entry === undefined) break;
      this.#active += 1;
      void this.#visit(entry);
    }
    if (this.#active === 0) this.#onIdle?.();
  }

  /** Never more at once than pages are wanted, so that not one too many is fetched. */
  #mayStart(): boolean {
    const { state, signal } = this.#parts;
    const { concurrency, maxPages } = this.#manner;
    const isWanted = state.counts.pages + this.#active < maxPages && !this.isFull;
    return this.#active < concurrency && isWanted && !signal.aborted && this.#fault === undefined;
  }

  async #visit(entry: FrontierEntry): Promise<void> {
    try {
      await this.#open(entry);
    } catch (error) {
      // A record that cannot be written, or a fault of our own, ends the crawl; a stop ends it anyway.
      if (!this.#parts.signal.aborted) this.#fault ??= { error };
    }
    this.#active -= 1;
    this.#fill();
  }

  async #open(entry: FrontierEntry): Promise<void> {
    const { url: from, depth, hops } = entry;
    let loaded;
    try {
      // Another page has turned out to be this one since it was found.
      if (this.#parts.state.hasPage(from))
        return this.record({ type: "duplicate", of: "canonical", from, depth, bytes: 0 });
      loaded = await this.#load(entry);
    } catch (error) {
      this.#parts.signal.throwIfAborted();
      if (!(error instanceof JobFailure)) throw error;
      return this.record({ type: "failed", from, depth, code: error.code, reason: messageOf(error) });
    }
    if ("skipped" in loaded) return this.record({ type: "skipped", why: loaded.skipped, from, depth });
    if ("redirect" in loaded) {
      return this.record({ type: "redirected", from, depth, hops, next: [loaded.redirect] });
    }
    const { readByModel } = this.#parts;
    if (readByModel === undefined) return this.#recordPage(entry, loaded);
    return this.#recordPage(entry, { ...loaded, ...(await readByModel(loaded, this.#parts)) });
  }

  async #load({
    url,
    hops,
  }: FrontierEntry): Promise<
    LoadedPage | { readonly skipped: "robots" | "type" | "scope" } | { readonly redirect: string }
  > {
    const { signal, settings } = this.#parts;
    const { delayMs, timeoutMs, maxBytes, render } = this.#manner;
    const fetched = await fetchPage(url, { signal, timeoutMs, maxBytes, delayMs }, settings);
    if (fetched.type === "robots") return { skipped: "robots" };
    if (fetched.type === "other") return { skipped: "type" };
    if (fetched.type === "redirect") return this.#redirect(url, fetched.to, hops);
    const { response, contentType } = fetched;
    const { body, status } = response;
    const bytes = body.length;
    if (render === "always") return this.#render(url, status);
    const parsed = await this.#parse(url, body, contentType);
    if (render === "auto" && parsed.isScripted) return this.#render(url, status);
    return { url, status, bytes, parsed };
  }

  #redirect(
    url: string,
    location: string,
    hops: number,
  ): { readonly redirect: string } | { readonly skipped: "scope" } {
    const target = normaliseUrl(location, url);
    if (target === undefined || hops >= maxHops || target === url) {
      throw new JobFailure("too_many_redirects", "The server redirects in a circle, too often or nowhere.");
    }
    return this.#parts.isInScope(target) ? { redirect: target } : { skipped: "scope" };
  }

  async #render(url: string, status: number): Promise<LoadedPage | { readonly skipped: "scope" }> {
    const { settings, isInScope, signal } = this.#parts;
    const { timeoutMs, waitFor, takesScreenshots, pagination } = this.#manner;
    const scrolls = pagination?.type === "infinite_scroll" ? pagination.scrolls : 0;
    const request = { timeoutMs, waitFor, scrolls, takesScreenshot: takesScreenshots, signal };
    const shown = await renderPage(settings.browser, url, request);
    const reached = normaliseUrl(shown.url) ?? url;
    if (reached !== url && !isInScope(reached)) return { skipped: "scope" };
    const body = new TextEncoder().encode(shown.html);
    const bytes = body.length;
    const parsed = await this.#parse(reached, body, "text/html; charset=utf-8");
    return {
      url: reached,
      status,
      bytes,
      parsed,
      screenshot: shown.screenshot,
    };
  }

  #parse(url: string, body: Uint8Array, contentType: string): Promise<ParsedPage> {
    return this.#parts.pool.parse({ url, body, contentType, plan: this.#parts.plan, template: this.#template.of(url) });
  }

  /** Tells a new page from one that is known. In one turn with its record, so that of two that come together one is kept. */
  #recordPage({ url: from, depth }: FrontierEntry, { parsed, bytes, status, ...loaded }: LoadedPage): void {
    const { state } = this.#parts;
    const url = this.#identity(loaded.url, parsed.canonical);
    const isKnown = url !== from && state.hasPage(url);
    const twin = isKnown ? "canonical" : state.duplicates.find(parsed.contentHash, parsed.fingerprint);
    const isKept = twin === undefined || (twin === "near" && this.#manner.keepsNearDuplicates);
    // The links of a page that is there already are known, or lead in a circle.
    const follows = depth < this.#manner.depth && twin !== "exact";
    const found = follows ? this.#unseenLinks(parsed) : [];
    const following = nextPage(this.#manner.pagination, loaded.url, parsed.next);
    const next = following === undefined || twin === "exact" || state.frontier.has(following) ? [] : [following];
    const { tokens } = loaded;
    const lead = {
      from,
      depth,
      ...(found.length > 0 ? { found } : {}),
      ...(next.length > 0 ? { next } : {}),
      tokens,
    };
    if (!isKept) return this.record({ type: "duplicate", of: twin, bytes, ...lead });
    this.#template.learn(url, parsed.blocks);
    const { contentHash: content, fingerprint: sketch, title } = parsed;
    const facts = { url, status, bytes, at: Date.now(), content, sketch, title };
    const { screenshot } = loaded;
    const shot = screenshot === undefined ? {} : { screenshot };
    return this.record({ type: "page", ...lead, ...facts, ...shot }, parsed.fields);
  }

  /** A canonical link counts within the crawl; one from deep inside to the front page is a common mistake. */
  #identity(url: string, canonical: string | undefined): string {
    if (canonical === undefined || canonical === url || !this.#parts.isInScope(canonical)) return url;
    return new URL(canonical).pathname === "/" && new URL(url).pathname !== "/" ? url : canonical;
  }

  /** Links that nobody has found before. */
  #unseenLinks({ links, linkHashes }: ParsedPage): string[] {
    const { frontier } = this.#parts.state;
    const fresh: number[] = [];
    linkHashes.forEach((hash, index) => {
      if (!frontier.hasHash(hash)) fresh.push(index);
    });
    if (fresh.length === 0) return [];
    const urls = links.split("\n");
    return fresh.flatMap((index) => urls[index] ?? []).slice(0, frontier.room);
  }
}

/** The page's own fields come from the parser as JSON already; they are only joined to it. */
function toLine(record: CrawlRecord, fields: string | undefined): Uint8Array {
  const text = JSON.stringify(record);
  return Buffer.from(fields === undefined ? `${text}\n` : `${text.slice(0, -1)},${fields}\n`);
}
