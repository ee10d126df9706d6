import type { LoadingFacts } from "../in-page/collect-loading.ts";
import type { Vitals } from "../in-page/watch-page.ts";
import type { RequestFacts } from "../measurements.ts";
import type { Coverage } from "./coverage.ts";
import type { Conditions } from "./performance.ts";

/** What was seen of one load of the page, before anything is concluded from it. */
export interface LoadFacts extends LoadingFacts {
  readonly url: string;
  readonly conditions: Conditions;
  readonly vitals: Vitals;
  readonly requests: readonly RequestFacts[];
  /** undefined where it could not be measured. */
  readonly css: readonly Coverage[] | undefined;
  readonly script: readonly Coverage[] | undefined;
  /** By URL, of text that was sent as it is. */
  readonly packed: readonly { readonly url: string; readonly bytes: number; readonly compressedBytes: number }[];
  /** By host. */
  readonly domains: Readonly<Record<string, string>>;
  readonly notes: readonly string[];
}
