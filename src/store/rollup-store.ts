import type { Rollup } from "./rules/rollups.ts";

export type { Figures, Rollup } from "./rules/rollups.ts";

/**
 * How many jobs ended in each minute, ten minutes and hour, by owner and kind, and how long they waited and ran. Each end is recorded
 * together with the change that it is, and counted later, once, many at a time: a crash in between loses and doubles nothing.
 */
export interface RollupStore {
  /** Counts some of the ends that are recorded, and forgets figures that are too old; true when more are left. */
  readonly collect: (now: number) => Promise<boolean>;
  /** The figures of each span of this length that begins in the time asked for, in the order of time. */
  readonly read: (request: RollupRequest) => Promise<Rollup[]>;
}

export interface RollupRequest {
  /** One of `rollupSpans`. */
  readonly spanMs: number;
  readonly from: number;
  readonly before: number;
  readonly owner?: string;
  readonly kinds?: readonly string[];
}
