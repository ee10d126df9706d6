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
  | (Visited & { readonly type: "duplicate"; readonly of: "exact" | "near" | "canonical"; readonly bytes: number })
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
  readonly title: string;
  readonly read_by: PageReading["readBy"];
  /** Why it was not rendered, although it seems to be made by scripts. */
  readonly note?: string;
  /** In base64. */
  readonly screenshot?: string;
}
