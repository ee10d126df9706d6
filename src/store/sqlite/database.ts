import type { Hint } from "../store.ts";
import type { CountChanges } from "./counts.ts";
import type { Statement } from "./driver.ts";
import type { ClockWatch } from "../rules/clock-watch.ts";
import type { Delays } from "./delays.ts";
import type { Starts } from "./starts.ts";
import type { Turns } from "./turns.ts";
import type { JobCache } from "./job-cache.ts";

/** What the store's verbs work on inside a transaction. */
export interface Database {
  /** The prepared statement for this text; prepared once. */
  readonly sql: (text: string) => Statement;
  /** Queues a hint that goes out after the commit, or nowhere if it is rolled back. */
  readonly hint: (hint: Hint) => void;
  readonly turns: Turns;
  readonly delays: Delays;
  readonly starts: Starts;
  /** For claims of jobs, and for claims of deliveries. */
  readonly jobClock: ClockWatch;
  readonly deliveryClock: ClockWatch;
  readonly jobs: JobCache;
  /** Places to which jobs are pinned: for others a claim need not look. */
  readonly places: Set<string>;
  /** Numbers of jobs that others depend on, or that have a checkpoint: all others need no look when they end. */
  readonly needed: Set<number>;
  readonly checkpointed: Set<number>;
  /** How this transaction changes the numbers of jobs that are kept. */
  readonly counts: CountChanges;
}

/** Runs an operation in the next commit; resolves once that is on disk. */
export type Write = <T>(run: () => T) => Promise<T>;
