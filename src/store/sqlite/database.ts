import type { JobId } from "../../job/id.ts";
import type { Hint } from "../store.ts";
import type { Statement } from "./driver.ts";
import type { Delays } from "./delays.ts";
import type { Turns } from "./turns.ts";
import type { Found } from "./rows.ts";

/** What the store's verbs work on inside a transaction. */
export interface Database {
  /** The prepared statement for this text; prepared once. */
  readonly sql: (text: string) => Statement;
  /** Queues a hint that goes out after the commit, or nowhere if it is rolled back. */
  readonly hint: (hint: Hint) => void;
  readonly turns: Turns;
  readonly delays: Delays;
  /** The jobs under a lease, as last written: saves reading them for every report of their worker. Emptied by a rollback. */
  readonly held: Map<JobId, Found>;
}

/** Runs an operation in the next commit; resolves once that is on disk. */
export type Write = <T>(run: () => T) => Promise<T>;
