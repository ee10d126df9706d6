import type { CrawlRecord, DuplicateRecord, PageRecord } from "./crawl-record.ts";
import { Duplicates } from "./similarity.ts";
import type { Alternate } from "../parse/page-language.ts";
import { PageLanguages } from "./page-languages.ts";
import { Frontier } from "./frontier.ts";
import { KeptPages, type Outline } from "./kept-pages.ts";
import type { ParsedPage } from "../parse/parse-plan.ts";

export interface CrawlCounts {
  pages: number;
  rendered: number;
  /** Pages that scripts make, as it seems, and that were not rendered. */
  unread: number;
  failed: number;
  exact: number;
  near: number;
  canonical: number;
  redirected: number;
  robots: number;
  type: number;
  scope: number;
  bytes: number;
  /** Of a language model. */
  tokens: number;
}

export interface FailedPage {
  readonly url: string;
  readonly code: string;
  readonly reason: string;
}

/** A kept page, by its URL, that another is like. */
export interface Twin {
  readonly of: DuplicateRecord["of"];
  readonly kept: string;
}

const maxFailuresListed = 100;
const maxDroppedListed = 100;
const maxPagesListed = 20;

/** Where a crawl stands. It changes by its records alone, so that reading them back gives the same state. */
export class CrawlState {
  readonly frontier: Frontier;
  readonly counts: CrawlCounts = {
    pages: 0,
    rendered: 0,
    unread: 0,
    failed: 0,
    exact: 0,
    near: 0,
    canonical: 0,
    redirected: 0,
    robots: 0,
    type: 0,
    scope: 0,
    bytes: 0,
    tokens: 0,
  };
  readonly failures: FailedPage[] = [];
  /** What was dropped, and in favour of which page. */
  readonly dropped: ({ readonly url: string } & Twin)[] = [];
  readonly firstPages: { readonly url: string; readonly title: string }[] = [];
  /** By the URLs that they are known under. */
  readonly #pages = new KeptPages();
  readonly #duplicates = new Duplicates();
  readonly #languages = new PageLanguages();
  #visits = 0;
  #beganAt: number | undefined;
  #hasReadSitemaps = false;

  constructor(maxUrls: number) {
    this.frontier = new Frontier(maxUrls);
  }

  get beganAt(): number | undefined {
    return this.#beganAt;
  }

  get hasReadSitemaps(): boolean {
    return this.#hasReadSitemaps;
  }

  /** Frontier entries that are done with, whatever came of them. */
  get visits(): number {
    return this.#visits;
  }

  hasPage(url: string): boolean {
    return this.#pages.has(url);
  }

  /** Undefined for a page that is not kept. */
  outlineOf(url: string): Outline | undefined {
    return this.#pages.outlineOf(url);
  }

  /** The page that says the same and was kept already. */
  findTwin({ contentHash, fingerprint }: ParsedPage): Twin | undefined {
    const twin = this.#duplicates.find(contentHash, fingerprint);
    return twin === undefined ? undefined : { of: twin.of, kept: this.#pages.urlOf(twin.page) };
  }

  /** What other pages say its language is. */
  languageOf(url: string): string | undefined {
    return this.#languages.of(url);
  }

  /** Those of the alternates that no record tells of; undefined for none. */
  unknownLanguages(alternates: readonly Alternate[]): Readonly<Record<string, string>> | undefined {
    return this.#languages.unknown(alternates);
  }

  apply(record: CrawlRecord): void {
    if (record.type === "begun") {
      this.#beganAt = record.at;
      return;
    }
    const hops = record.type === "redirected" ? record.hops + 1 : 0;
    for (const url of record.found ?? []) this.frontier.add({ url, depth: record.depth + 1, hops: 0 });
    if (record.type === "found") {
      if (record.by === "sitemap") this.#hasReadSitemaps = true;
      return;
    }
    this.frontier.claim(record.from);
    for (const url of record.next ?? []) this.frontier.add({ url, depth: record.depth, hops });
    this.#visits += 1;
    this.#count(record);
  }

  #count(record: Exclude<CrawlRecord, { type: "begun" | "found" }>): void {
    const { counts } = this;
    counts.tokens += record.tokens ?? 0;
    switch (record.type) {
      case "page":
        this.#addPage(record);
        break;
      case "duplicate":
        this.#addDuplicate(record);
        break;
      case "skipped":
        counts[record.why] += 1;
        break;
      case "redirected":
        counts.redirected += 1;
        break;
      case "failed":
        counts.failed += 1;
        if (this.failures.length < maxFailuresListed) {
          this.failures.push({ url: record.from, code: record.code, reason: record.reason });
        }
        break;
    }
  }

  #addDuplicate({ of, from: url, kept, bytes }: DuplicateRecord): void {
    this.counts[of] += 1;
    this.counts.bytes += bytes;
    const isListed = kept !== undefined && kept !== url && this.dropped.length < maxDroppedListed;
    if (isListed) this.dropped.push({ url, kept, of });
  }

  #addPage({ url, title, bytes, content, sketch, outline, languages, read_by: readBy, note }: PageRecord): void {
    this.counts.pages += 1;
    if (readBy === "browser") this.counts.rendered += 1;
    if (note !== undefined) this.counts.unread += 1;
    this.counts.bytes += bytes;
    const number = this.#pages.add(url, outline ?? []);
    // A page that another URL has led to needs no visit of its own.
    this.frontier.claim(url);
    this.#duplicates.add(content, sketch, number);
    if (languages !== undefined) this.#languages.add(languages);
    if (this.firstPages.length < maxPagesListed) this.firstPages.push({ url, title });
  }
}
