import type { Json } from "../../../job/json.ts";
import type { ScopeRules } from "../site/scope.ts";

/** What to take from every page of a crawl. Plain data: it goes to the threads that parse. */
export interface ParsePlan {
  /** Which links are wanted; none without it. */
  readonly scope?: ScopeRules;
  readonly fields: readonly PageField[];
  readonly schema?: Json;
  readonly selectors?: Readonly<Record<string, string>>;
  /** Each element that matches becomes an item of the page's data. */
  readonly listSelector?: string;
  /** The link or button that leads to the next page of a list. */
  readonly nextSelector?: string;
}

export type PageField = "markdown" | "links" | "metadata" | "html";

export interface ParseRequest {
  readonly body: Uint8Array;
  readonly contentType: string;
  readonly url: string;
  /** A plan as JSON: as a text it costs nothing to send, and is looked up by itself. */
  readonly plan: string;
  /** Hashes of the blocks that most pages of the site have. */
  readonly template?: Int32Array | undefined;
}

/** What the crawl needs to know of a page; all the rest is in `fields`. */
export interface ParsedPage {
  /** JSON of the page's other fields, without the brace at its beginning: goes to the disk as it is. */
  readonly fields: string;
  readonly title: string;
  readonly words: number;
  /** Links to follow, one per line, and the hash of each. */
  readonly links: string;
  readonly linkHashes: Float64Array;
  readonly contentHash: number;
  /** Hashes of the blocks that may be the site's. */
  readonly blocks: Int32Array;
  readonly fingerprint: readonly number[] | undefined;
  readonly canonical: string | undefined;
  readonly next: string | undefined;
  /** Little text and many scripts: made in the browser. */
  readonly isScripted: boolean;
}

/** Replies come in the order of the requests. */
export type WorkerReply = { readonly page: ParsedPage } | { readonly error: string };
