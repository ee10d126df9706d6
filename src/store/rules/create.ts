import { LonghaulError } from "../../job/error.ts";
import type { JobId } from "../../job/id.ts";
import type { Job } from "../../job/job.ts";
import { submitted } from "../../job/transitions.ts";
import type { Created, Hint, JobDraft } from "../store.ts";
import { numberEvents, toHints, toSearched, type NumberedEvent, type SearchedState } from "./change.ts";
import { countBlocking } from "./dependencies.ts";

/** A draft whose owner and key are known already stands for the job that is there, if it asks for the same. */
export function toDuplicate({ spec, input }: JobDraft, known: { job: Job; input: string }): Created {
  const { job } = known;
  if (job.kind === spec.kind && known.input === input) return { job, isDuplicate: true };
  throw new LonghaulError(
    "conflict",
    `The idempotency key "${spec.idempotencyKey}" belongs to job ${job.id}, which has another kind or input. Use a new key for new work.`,
    { details: { job: job.id } },
  );
}

/**
 * A draft may depend on an earlier one of the same call whose job was there before: it then depends on that job.
 * `known` leads from the ids of such drafts to those of their jobs.
 */
export function withKnownDependencies(draft: JobDraft, known: ReadonlyMap<JobId, JobId>): JobDraft {
  const dependsOn = [...new Set(draft.spec.dependsOn.map((id) => known.get(id) ?? id))];
  return { ...draft, spec: { ...draft.spec, dependsOn } };
}

/** All that is written together for a new job, and what is told once that is committed. */
export interface NewJob {
  readonly job: Job;
  readonly blocked: number;
  readonly searched: SearchedState;
  readonly events: readonly NumberedEvent[];
  readonly hints: readonly Hint[];
}

/** `needed` are the jobs that it depends on. */
export function toNewJob({ spec, runAt, by }: JobDraft, needed: readonly Job[]): NewJob {
  const blocked = countBlocking(needed);
  const { state, events } = submitted(spec, runAt, by);
  const job: Job = { ...spec, state, lastSeq: events.length };
  return {
    job,
    blocked,
    searched: toSearched(job, blocked, spec.createdAt),
    events: numberEvents(0, events),
    hints: toHints(job, events),
  };
}
