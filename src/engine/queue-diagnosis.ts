import type { Job } from "../job/job.ts";
import type { Kind } from "../job/kind.ts";
import type { QueuedState } from "../job/state.ts";
import type { Store } from "../store/store.ts";
import type { Dispatcher } from "./dispatcher.ts";
import type { Settings } from "./settings.ts";
import { countText } from "../text/count-text.ts";

/** Why a queued job has not started, in a sentence for a person or an agent. */
export interface QueueDiagnosis {
  readonly reason: string;
  /** How many jobs of its kind go first, counted up to a thousand; absent while the job may not start yet. */
  readonly jobsAhead?: number;
}

const countedUpTo = 1_000;

export async function diagnoseQueue(
  job: Job,
  kind: Kind | undefined,
  parts: { store: Store; dispatcher: Dispatcher; settings: Settings },
): Promise<QueueDiagnosis | undefined> {
  const { store, dispatcher, settings } = parts;
  if (job.state.status !== "queued") return undefined;
  if (kind === undefined) return { reason: `no worker here runs jobs of kind "${job.kind}"` };
  const jobsAhead = await store.jobsAhead(job.id, countedUpTo);
  if (dispatcher.isPaused(job.kind)) return { reason: `kind "${job.kind}" is paused`, jobsAhead };
  const waitMs = job.state.runAt - settings.clock.now();
  if (waitMs > 0) {
    return { reason: `${describePause(job.state)} is due in ${Math.ceil(waitMs / 1_000)} s` };
  }
  if (jobsAhead === undefined) return { reason: await describeDependencies(job, store) };
  return { reason: describeLimit(job, kind, dispatcher.runningCount(kind.name), settings), jobsAhead };
}

function describePause({ because, attempt, losses }: QueuedState): string {
  if (because === "retry") return `its next attempt (${attempt})`;
  if (because !== "interrupted") return "its start";
  return `its worker was lost ${losses} times before it got further, perhaps because of it: going on`;
}

function describeLimit(job: Job, kind: Kind, running: number, settings: Settings): string {
  const limit = kind.concurrency ?? settings.concurrency;
  if (running < limit && kind.perKey !== undefined && job.key !== undefined && job.key !== "") {
    const perKey = kind.perKeyOf?.get(job.key) ?? kind.perKey;
    return `at most ${countText(perKey, "job")} with the key "${job.key}" may run at once`;
  }
  if (running < limit && kind.rate !== undefined) {
    return `at most ${countText(kind.rate.starts, "job")} of kind "${kind.name}" may start in ${kind.rate.perMs / 1_000} s`;
  }
  return `${running} of ${limit} slots for "${kind.name}" are taken`;
}

async function describeDependencies(job: Job, store: Store): Promise<string> {
  const needed = await Promise.all(job.dependsOn.map((id) => store.get(id)));
  const open = needed.filter((other) => other !== undefined && other.state.status !== "succeeded");
  const names = open.slice(0, 3).map((other) => other?.name ?? other?.id ?? "");
  return `it waits for ${countText(open.length, "other job")} (${names.join(", ")})`;
}
