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
  readonly status: number;
  readonly bytes: number;
  readonly failure: string;
}
