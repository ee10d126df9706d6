import { BoundedMap } from "../../job/bounded-map.ts";
import type { WorkerCounts } from "./remote-endpoint.ts";
import { countText } from "../../text/count-text.ts";

/** Why a job waits in the queue of its endpoint, as far as the workers tell. */
export interface QueueHint {
  readonly workers: WorkerCounts & { readonly total: number };
  readonly hint: string;
}

/** Some platforms count them all, and name those that are unhealthy. */
export type CountedWorkers = WorkerCounts & { readonly total?: number; readonly unhealthyIds?: readonly string[] };

const keptMs = 15_000;
const maxKept = 500;

/** Asks for an endpoint's workers at most every 15 s; an endpoint that does not tell has no hint. Never fails. */
export class QueueHints {
  readonly #kept = new BoundedMap<string, { readonly at: number; readonly hint: Promise<QueueHint | undefined> }>(
    maxKept,
  );

  get(endpoint: string, count: () => Promise<CountedWorkers>): Promise<QueueHint | undefined> {
    const known = this.#kept.get(endpoint);
    if (known !== undefined && performance.now() - known.at < keptMs) return known.hint;
    const hint = count().then(toQueueHint, () => undefined);
    this.#kept.set(endpoint, { at: performance.now(), hint });
    return hint;
  }
}

export function toQueueHint({ unhealthyIds = [], ...workers }: CountedWorkers): QueueHint {
  const { idle, initializing, running, throttled, unhealthy } = workers;
  const total = workers.total ?? idle + initializing + running + throttled + unhealthy;
  return { workers: { ...workers, total }, hint: describe(workers, total, unhealthyIds) };
}

function describe(
  { initializing, running, throttled, unhealthy }: WorkerCounts,
  total: number,
  unhealthyIds: readonly string[],
): string {
  if (unhealthy > 0) {
    const which = unhealthyIds.length === 0 ? "" : ` (${unhealthyIds.join(", ")})`;
    return `crash loop: ${unhealthy} of ${countText(total, "worker")} unhealthy${which}. This is not a lack of capacity: read the workers' logs.`;
  }
  if (total === 0) return "no workers: the endpoint scales up from zero, or there is no capacity for it.";
  if (throttled > 0 && running === 0)
    return `no capacity: ${throttled} of ${countText(total, "worker")} throttled, none running.`;
  if (initializing > 0) return `cold start: ${initializing} of ${countText(total, "worker")} starting.`;
  return "no worker is unhealthy, but the job still waits: if it goes on waiting, read the workers' logs.";
}
