import type { ClaimRequest } from "./store.ts";

export interface KindLimits {
  /** At most this many jobs with the same key are held at once, those that wait for an answer included. The empty key has no limit. */
  readonly perKey?: number;
  /** For keys that have a limit of their own instead of `perKey`. */
  readonly perKeyOf?: ReadonlyMap<string, number>;
  readonly rate?: StartRate;
}

/** At most this many starts in any window of `perMs`. */
export interface StartRate {
  readonly starts: number;
  readonly perMs: number;
}

export interface QueuedFacts {
  readonly isPaused: boolean;
  /** How many jobs of its kind and place would be claimed before it; absent while its time has not come or its dependencies have not succeeded. */
  readonly jobsAhead?: number;
  /** How many jobs with its key may be held at once; absent while there is room for another. */
  readonly fullKey?: number;
  /** The rate at which its kind may start; absent while another may start now. */
  readonly usedUpRate?: StartRate;
}

export interface QueuedRequest extends Pick<ClaimRequest, "now" | "monotonic"> {
  /** Jobs ahead are counted up to this many. */
  readonly countUpTo: number;
}
