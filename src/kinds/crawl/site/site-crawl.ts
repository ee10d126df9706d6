import type { RequestOf } from "../contract.ts";
import { JobFailure, messageOf } from "../../../job/failure.ts";
import { CanonicalLinks, type SettledPage } from "./canonical-links.ts";
import type { CrawlRecord } from "./crawl-record.ts";
import type { CrawlSettings } from "../crawl-settings.ts";
import type { CrawlState, Twin } from "./crawl-state.ts";
import type { FrontierEntry } from "./frontier.ts";
import type { Journal } from "./journal.ts";
import { nextPage } from "./page-url.ts";
import type { ParsedPage } from "../parse/parse-plan.ts";
import type { ParsePool } from "../parse/parse-pool.ts";
import type { RenderChoice } from "../page/page-reading.ts";
import type { ReadByModel } from "../page/read-by-model.ts";
import { createPageLoader, type LoadedPage, type LoadEntry } from "./page-loader.ts";
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
  /** Every URL is a page of its own. */
  readonly keepsDuplicates: boolean;
  readonly keepsNearDuplicates: boolean;
  readonly pagination: RequestOf<"crawl">["pagination"];
  readonly render: RenderChoice;
  readonly waitFor: string | undefined;
  readonly takesScreenshots: boolean;
}

/** Visits what the frontier holds until nothing is left or enough was found. Every visit ends as one record. */
export class SiteCrawl {
  readonly #parts: CrawlParts;
  readonly #manner: CrawlLimits;
  readonly #canonicals: CanonicalLinks;
  readonly #template = new SiteTemplate();
  readonly #load: LoadEntry;
  #active = 0;
  #onIdle: (() => void) | undefined;
  #fault: { readonly error: unknown } | undefined;

  constructor(manner: CrawlLimits, parts: CrawlParts) {
    this.#manner = manner;
    this.#parts = parts;
    this.#load = createPageLoader(manner, parts, this.#template);
    const { state, isInScope } = parts;
    const load = async (url: string): Promise<LoadedPage | undefined> => {
      const loaded = await this.#load({ url, depth: 0, hops: 0 });
      return "parsed" in loaded ? loaded : undefined;
    };
    this.#canonicals = new CanonicalLinks({ state, isInScope, load });
  }

  get isFull(): boolean {
    const { journal } = this.#parts;
    return journal.isFull || journal.size >= this.#manner.maxTotalBytes;
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
        return this.record({ type: "duplicate", of: "canonical", kept: from, from, depth, bytes: 0 });
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
    const settled = this.#manner.keepsDuplicates ? loaded : await this.#canonicals.settle(loaded);
    const { readByModel } = this.#parts;
    if (readByModel === undefined || this.#isDropped(this.#findTwin(settled))) return this.#recordPage(entry, settled);
    return this.#recordPage(entry, { ...settled, ...(await readByModel(settled, this.#parts)) });
  }

  /** Tells a new page from one that is known. In one turn with its record, so that of two that come together one is kept. */
  #recordPage({ url: from, depth }: FrontierEntry, page: SettledPage): void {
    const { parsed, bytes, status, tokens, via } = page;
    const twin = this.#findTwin(page);
    const found = this.#linksToFollow(page, depth, twin);
    const next = this.#pagesBeside(page, twin);
    const lead = {
      from,
      depth,
      ...(found.length > 0 ? { found } : {}),
      ...(next.length > 0 ? { next } : {}),
      tokens,
    };
    if (this.#isDropped(twin)) return this.record({ type: "duplicate", ...twin, bytes, ...lead });
    this.#template.learn(page.url, parsed.blocks);
    const { contentHash: content, fingerprint: sketch, outline, title } = parsed;
    const facts = { url: identityOf(page), status, bytes, at: Date.now(), content, sketch, outline, title };
    const languages = this.#parts.state.unknownLanguages([...parsed.alternates, ...(via?.parsed.alternates ?? [])]);
    const { screenshot, note, readBy } = page;
    const reading = { read_by: readBy, note, screenshot };
    return this.record({ type: "page", ...lead, ...facts, languages, ...reading }, parsed.fields);
  }

  #findTwin(page: SettledPage): Twin | undefined {
    const { state } = this.#parts;
    const url = identityOf(page);
    return state.hasPage(url) ? { of: "canonical", kept: url } : state.findTwin(page.parsed);
  }

  #isDropped(twin: Twin | undefined): twin is Twin {
    const { keepsDuplicates, keepsNearDuplicates } = this.#manner;
    if (twin === undefined) return false;
    return twin.of === "canonical" || !(keepsDuplicates || (twin.of === "near" && keepsNearDuplicates));
  }

  /** The links of a page that is there already are known, or lead in a circle. */
  #linksToFollow({ parsed, via }: SettledPage, depth: number, twin: Twin | undefined): string[] {
    if (depth >= this.#manner.depth || twin?.of === "exact") return [];
    const found = this.#unseenLinks(parsed);
    return via === undefined ? found : [...new Set([...found, ...this.#unseenLinks(via.parsed)])];
  }

  /**
   * How a list goes on, a page that the canonical link wrongly leads to, and frames: these are pages of their own, in place of one
   * that says next to nothing itself.
   */
  #pagesBeside(page: SettledPage, twin: Twin | undefined): string[] {
    const { url, parsed } = page.via ?? page;
    const following = nextPage(this.#manner.pagination, url, parsed.next);
    const frames = parsed.frames.filter((frame) => this.#parts.isInScope(frame));
    const onward = twin?.of === "exact" ? [] : [following, ...frames];
    return [...onward, page.other].flatMap((target) =>
      target === undefined || this.#parts.state.frontier.has(target) ? [] : [target],
    );
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

function identityOf({ url, knownAs }: SettledPage): string {
  return knownAs ?? url;
}

/** The page's own fields come from the parser as JSON already; they are only joined to it. */
function toLine(record: CrawlRecord, fields: string | undefined): Uint8Array {
  const text = JSON.stringify(record);
  return Buffer.from(fields === undefined ? `${text}\n` : `${text.slice(0, -1)},${fields}\n`);
}
