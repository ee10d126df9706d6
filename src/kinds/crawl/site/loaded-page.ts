import type { ParsedPage } from "../parse/parse-plan.ts";

/** A page that was fetched and parsed. */
export interface LoadedPage {
  /** After redirects that the browser has followed. */
  readonly url: string;
  readonly status: number;
  readonly bytes: number;
  readonly parsed: ParsedPage;
  readonly screenshot?: string;
  readonly tokens?: number;
}
