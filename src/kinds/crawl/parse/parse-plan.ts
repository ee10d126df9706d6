import type { Json } from "../../../job/json.ts";
import type { Outline } from "../site/kept-pages.ts";
import type { Alternate } from "./page-language.ts";
import type { ScopeRules } from "../site/scope.ts";
import type { NeedsBrowser } from "./needs-browser.ts";

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
  /** What other pages say its language is. */
  readonly language?: string;
  /** A plan as JSON: as a text it costs nothing to send, and is looked up by itself. */
  readonly plan: string;
  /** Hashes of the blocks that most pages of the site have. */
  readonly template?: Int32Array | undefined;
  /** What is shown within the page: its text follows the page's own. */
  readonly frames?: readonly FrameBody[];
}

export interface FrameBody {
  readonly url: string;
  readonly body: Uint8Array;
  readonly contentType: string;
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
  readonly outline: Outline;
  readonly canonical: string | undefined;
  /** Within the scope. */
  readonly alternates: readonly Alternate[];
  readonly next: string | undefined;
  readonly needsBrowser: NeedsBrowser;
  /** Where the page leads by itself, as a redirect does. */
  readonly refresh: string | undefined;
  /** Frames that hold what the page has to say: it has next to no text of its own. */
  readonly frames: readonly string[];
}

/** Replies come in the order of the requests. */
export type WorkerReply = { readonly page: ParsedPage } | { readonly error: string };
