import type { ReadData } from "../../job/read-data.ts";
import type { GuardedFetch } from "../../net/guarded-fetch.ts";
import type { HostGate } from "../../net/host-gate.ts";
import type { Robots } from "../../net/robots.ts";
import type { ParsePoolOptions } from "./parse/parse-pool.ts";
import type { BrowserAccess } from "./render-page.ts";
import type { SearchSettings } from "./search.ts";

/** How crawl jobs reach the web. */
export interface CrawlSettings {
  readonly web: GuardedFetch;
  readonly robots: Robots;
  readonly gate: HostGate;
  /** How many jobs of this kind run at once. */
  readonly concurrency: number;
  readonly browser?: BrowserAccess;
  readonly search: SearchSettings;
  readonly parse?: ParsePoolOptions;
  /** Before a page that failed for a reason that may pass is tried again; doubled each time. */
  readonly retryMs?: number;
  /** Finds what rules cannot; there is none without a configured language model. */
  readonly askModel?: ReadData;
}
