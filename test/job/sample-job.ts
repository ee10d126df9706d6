import { createIdSource } from "../../src/job/id.ts";
import type { Job, JobSpec, Limits } from "../../src/job/job.ts";
import { defaultBackoff } from "../../src/job/retry.ts";
import { submitted, type Change } from "../../src/job/transitions.ts";

export const t0 = 1_800_000_000_000;
export const second = 1_000;

const newId = createIdSource(() => t0);

/** A job that was just submitted. */
export function sampleJob(limits: Partial<Limits> = {}, runAt = t0): Job {
  const spec: JobSpec = {
    id: newId(),
    kind: "work",
    owner: "ann",
    tags: [],
    dependsOn: [],
    priority: 0,
    limits: { graceMs: 5 * second, attempts: 3, backoff: defaultBackoff, ...limits },
    retention: { succeededMs: 1 * second, failedMs: 7 * second },
    createdAt: t0,
  };
  const { state, events } = submitted(spec, runAt);
  return { ...spec, state, lastSeq: events.length };
}

/** The job after a change, as a store keeps it. */
export function applied(job: Job, change: Change | undefined): Job {
  if (change === undefined) throw new Error(`a job that is ${job.state.status} was not changed`);
  return { ...job, state: change.state, lastSeq: job.lastSeq + change.events.length };
}
