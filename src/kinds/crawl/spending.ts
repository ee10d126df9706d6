import type { JobContext } from "../../job/kind.ts";

/** The tokens of a language model that a job has used. */
export interface Spending {
  readonly total: () => number;
  /** Whether no more may be used. */
  readonly isOver: () => boolean;
  readonly add: (tokens: number) => void;
}

/** A job that is run again by itself counts anew: what is to be had again costs again. */
export function createSpending(most: number, { progress }: Pick<JobContext, "progress">): Spending {
  let used = 0;
  return {
    total: () => used,
    isOver: () => used >= most,
    add: (tokens) => {
      used += tokens;
      if (tokens > 0) progress({ tokens: used });
    },
  };
}
