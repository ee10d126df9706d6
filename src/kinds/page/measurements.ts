import type { Vitals } from "./in-page/watch-page.ts";

/** What only loading the page in a browser tells. */
export interface Measurements {
  readonly vitals: Vitals;
  readonly requests: readonly RequestFacts[];
  readonly consoleErrors: readonly string[];
  readonly dialogs: readonly string[];
  readonly downloads: readonly string[];
  readonly isHttps: boolean;
  readonly headers: Readonly<Record<string, string>>;
}

export interface RequestFacts {
  readonly url: string;
  readonly type: string;
  readonly method: string;
  readonly status: number;
  /** Over the wire, headers included. */
  readonly bytes: number;
  /** Of the body, unpacked. */
  readonly bodyBytes: number;
  readonly failure: string;
  readonly mimeType: string;
  readonly encoding: string;
  readonly protocol: string;
  readonly cacheControl: string;
  readonly expires: string;
  readonly isFromCache: boolean;
  /** The first paint waits for it. */
  readonly isBlocking: boolean;
  /** Where it was asked for before it was sent on. */
  readonly redirects: readonly string[];
  /** Of the browser's clock. */
  readonly startMs: number;
  readonly respondedMs: number;
  readonly endMs: number;
  /** The page itself, and not one of its frames. */
  readonly isMain: boolean;
}
