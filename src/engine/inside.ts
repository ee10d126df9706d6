import { LonghaulError } from "../job/error.ts";
import type { JobId } from "../job/id.ts";
import type { AttemptHandlers, InsideHandlers } from "../job/kind.ts";
import { demandAttempt, type Actor, type AttemptReference } from "./access.ts";
import type { AttemptTokens } from "./attempt-tokens.ts";

/** What a command does to the job that runs it. */
export interface Inside {
  /** Whom the token of an attempt stands for; "ended" once the attempt has, undefined if it is no such token. */
  readonly check: (token: string) => Actor | "ended" | undefined;
  /** What the actor may do to the one job that is theirs. */
  readonly open: (actor: Actor) => InsideHandlers & { readonly job: JobId };
}

interface RunningAttempts {
  readonly attemptOf: (id: JobId) => number | undefined;
  readonly handlers: (id: JobId) => AttemptHandlers;
}

export function createInside(tokens: AttemptTokens, runs: RunningAttempts): Inside {
  const isRunning = ({ job, attempt }: AttemptReference): boolean => runs.attemptOf(job) === attempt;
  return {
    check: (token) => {
      const attempt = tokens.read(token);
      if (attempt === undefined) return undefined;
      // No kind and nobody's jobs: what does not demand an attempt is closed to it twice.
      return isRunning(attempt) ? { attempt, owner: "", kinds: [], by: `the command of job ${attempt.job}` } : "ended";
    },
    open: (actor) => {
      const attempt = demandAttempt(actor);
      const { inside } = runs.handlers(attempt.job);
      if (inside !== undefined && isRunning(attempt)) return { ...inside, job: attempt.job };
      throw new LonghaulError("conflict", `Attempt ${attempt.attempt} of job ${attempt.job} has ended.`);
    },
  };
}
