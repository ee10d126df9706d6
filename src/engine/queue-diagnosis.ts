import type { Job } from "../job/job.ts";
import type { Kind } from "../job/kind.ts";
import type { QueuedState } from "../job/state.ts";
import type { QueuedFacts } from "../store/kind-limits.ts";
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
  const { clock } = settings;
  const now = clock.now();
  const facts = await store.queued(job.id, { now, monotonic: clock.monotonic(), countUpTo: countedUpTo });
  if (facts === undefined) return undefined;
  const { jobsAhead } = facts;
  if (facts.isPaused) return { reason: `kind "${job.kind}" is paused`, jobsAhead };
  const waitMs = job.state.runAt - now;
  if (waitMs > 0) {
    return { reason: `${describePause(job.state)} is due in ${Math.ceil(waitMs / 1_000)} s` };
  }
  if (jobsAhead === undefined) return { reason: await describeDependencies(job, store) };
  return {
    reason: describeLimit(job, facts) ?? describeSlots(kind, dispatcher.runningCount(kind.name), settings),
    jobsAhead,
  };
}

function describePause({ because, attempt, losses }: QueuedState): string {
  if (because === "retry") return `its next attempt (${attempt})`;
  if (because !== "interrupted") return "its start";
  return `its worker was lost ${losses} times before it got further, perhaps because of it: going on`;
}

function describeLimit({ kind, key = "" }: Job, { fullKey, usedUpRate: rate }: QueuedFacts): string | undefined {
  if (fullKey !== undefined) return `at most ${countText(fullKey, "job")} with the key "${key}" may run at once`;
  if (rate === undefined) return undefined;
  return `at most ${countText(rate.starts, "job")} of kind "${kind}" may start in ${rate.perMs / 1_000} s`;
}

function describeSlots(kind: Kind, running: number, settings: Settings): string {
  return `${running} of ${kind.concurrency ?? settings.concurrency} slots for "${kind.name}" are taken`;
}

async function describeDependencies(job: Job, store: Store): Promise<string> {
  const needed = await Promise.all(job.dependsOn.map((id) => store.get(id)));
  const open = needed.filter((other) => other !== undefined && other.state.status !== "succeeded");
  const names = open.slice(0, 3).map((other) => other?.name ?? other?.id ?? "");
  return `it waits for ${countText(open.length, "other job")} (${names.join(", ")})`;
}
