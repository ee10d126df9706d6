import type { Job } from "../job/job.ts";
import type { QueuedState } from "../job/state.ts";
import type { QueuedFacts } from "../store/kind-limits.ts";
import type { Member } from "../store/member.ts";
import type { Store } from "../store/store.ts";
import type { Dispatcher } from "./dispatcher.ts";
import type { EngineParts } from "./settings.ts";
import { countText } from "../text/count-text.ts";

/** Why a queued job has not started, in a sentence for a person or an agent. */
export interface QueueDiagnosis {
  readonly reason: string;
  /** How many jobs of its kind go first, counted up to a thousand; absent while the job may not start yet. */
  readonly jobsAhead?: number;
}

interface DiagnosisParts extends EngineParts {
  readonly dispatcher: Dispatcher;
}

const countedUpTo = 1_000;

export async function diagnoseQueue(job: Job, parts: DiagnosisParts): Promise<QueueDiagnosis | undefined> {
  const { store, settings } = parts;
  if (job.state.status !== "queued") return undefined;
  const { clock } = settings;
  const now = clock.now();
  const facts = await store.queued(job.id, { now, monotonic: clock.monotonic(), countUpTo: countedUpTo });
  if (facts === undefined) return undefined;
  const workers = await listWorkers(job, now, parts);
  if (workers.length === 0) return { reason: `no worker runs jobs of kind "${job.kind}"` };
  const { jobsAhead } = facts;
  if (facts.isPaused) return { reason: `kind "${job.kind}" is paused`, jobsAhead };
  const waitMs = job.state.runAt - now;
  if (waitMs > 0) {
    return { reason: `${describePause(job.state)} is due in ${Math.ceil(waitMs / 1_000)} s` };
  }
  if (jobsAhead === undefined) return { reason: await describeDependencies(job, store) };
  return { reason: describeLimit(job, facts) ?? describeWorkers(job, workers), jobsAhead };
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

/** What each machine has for jobs of one kind. */
interface Worker extends Pick<Member, "machine" | "labels"> {
  readonly slots: number;
  readonly running: number;
}

/** This engine as it is now, and the others as they last told. */
async function listWorkers({ kind: name }: Job, now: number, parts: DiagnosisParts): Promise<Worker[]> {
  const { store, kinds, dispatcher, settings } = parts;
  const { machine, labels } = settings;
  const kind = kinds.get(name);
  const slots = kind === undefined ? 0 : (kind.concurrency ?? settings.concurrency);
  const here: Worker = { machine, labels, slots, running: dispatcher.runningCount(name) };
  const others = (await store.members(now)).filter((member) => member.machine !== machine);
  const elsewhere = others.flatMap((member) => {
    const found = member.kinds.find((one) => one.name === name);
    return found === undefined ? [] : [{ ...found, machine: member.machine, labels: member.labels }];
  });
  return [here, ...elsewhere].filter((worker) => worker.slots > 0);
}

function describeWorkers({ kind, place }: Job, workers: readonly Worker[]): string {
  const there = workers.filter(({ machine, labels }) => place === undefined || [machine, ...labels].includes(place));
  if (there.length === 0) {
    return `it may run on "${place}" alone, and no worker that runs jobs of kind "${kind}" has this name or label`;
  }
  let [running, slots] = [0, 0];
  for (const worker of there) {
    running += worker.running;
    slots += worker.slots;
  }
  return `${running} of ${slots} slots for "${kind}" are taken`;
}

async function describeDependencies(job: Job, store: Store): Promise<string> {
  const needed = await Promise.all(job.dependsOn.map((id) => store.get(id)));
  const open = needed.filter((other) => other !== undefined && other.state.status !== "succeeded");
  const names = open.slice(0, 3).map((other) => other?.name ?? other?.id ?? "");
  return `it waits for ${countText(open.length, "other job")} (${names.join(", ")})`;
}
