import type { Hint } from "../store.ts";
import type { Statement } from "./driver.ts";

/** What the store's verbs work on inside a transaction. */
export interface Database {
  /** The prepared statement for this text; prepared once. */
  readonly sql: (text: string) => Statement;
  /** Queues a hint that goes out after the commit, or nowhere if it is rolled back. */
  readonly hint: (hint: Hint) => void;
}
