import type { Outline } from "./kept-pages.ts";
import type { PageReading } from "../page/page-reading.ts";

/** What a crawl writes down: enough to show its pages, and to go on after a crash as if nothing had happened. */
export type CrawlRecord =
  | { readonly type: "begun"; readonly at: number }
  | {
      readonly type: "found";
      readonly by: "start" | "sitemap";
      readonly found: readonly string[];
      readonly depth: number;
    }
  | PageRecord
  | (Visited & { readonly type: "redirected"; readonly hops: number })
  | DuplicateRecord
  | (Visited & { readonly type: "skipped"; readonly why: "robots" | "type" | "scope" })
  | (Visited & { readonly type: "failed"; readonly code: string; readonly reason: string });

interface Visited {
  /** The URL that was taken from the frontier. */
  readonly from: string;
  readonly depth: number;
  /** URLs that were not known before, one level further from the start. */
  readonly found?: readonly string[];
  /** As `found`, on the same level: where a redirect leads, how a list goes on. */
  readonly next?: readonly string[];
  /** Of a language model, used for it. */
  readonly tokens?: number;
}

/** A page that was dropped in favour of one that is kept. */
export interface DuplicateRecord extends Visited {
  readonly type: "duplicate";
  readonly of: "exact" | "near" | "canonical";
  /** The URL of that page; records of older versions have none. */
  readonly kept?: string;
  readonly bytes: number;
}

/** A page that is kept. Its own fields (title, markdown …) follow on the same line. */
export interface PageRecord extends Visited {
  readonly type: "page";
  /** Under which the page is known: where redirects and its canonical link lead. */
  readonly url: string;
  readonly status: number;
  readonly bytes: number;
  readonly at: number;
  readonly content: number;
  readonly sketch?: readonly number[];
  /** Records of older versions have none. */
  readonly outline?: Outline;
  /** By URL: what the page says of others, in hreflang, that nobody has said before. */
  readonly languages?: Readonly<Record<string, string>>;
  readonly title: string;
  /** Records of older versions have none. */
  readonly read_by?: PageReading["readBy"];
  /** Why it was not rendered, although it seems to be made by scripts. */
  readonly note?: string;
  /** In base64. */
  readonly screenshot?: string;
}
