import { answerParent } from "../child.ts";
import type { Queue, QueueName } from "./queue.ts";

export interface ContestRequest {
  readonly queue: QueueName;
  /** The address of a database of its own, or the socket of Redis. */
  readonly place: string;
  readonly folder: string;
}

export interface ContestResult {
  readonly inFlightPerSecond: number;
  readonly drainPerSecond: number;
}

const inFlightJobs = 4_000;
const width = 50;
const drainJobs = 6_000;

// Only the contestant's own modules are loaded, so that the others' do not weigh on it.
async function open({ queue, place, folder }: ContestRequest): Promise<Queue> {
  if (queue === "longhaul") return (await import("./longhaul.ts")).openLonghaul(place, folder);
  if (queue === "pg-boss") return (await import("./pg-boss.ts")).openPgBoss(place);
  if (queue === "bullmq") return (await import("./bullmq.ts")).openBullmqQueue(place);
  return (await import("./graphile-worker.ts")).openGraphileWorker(place);
}

async function measure(request: ContestRequest): Promise<ContestResult> {
  const queue = await open(request);
  await queue.inFlight(1_000, width);
  const result = {
    inFlightPerSecond: await perSecond(inFlightJobs, () => queue.inFlight(inFlightJobs, width)),
    drainPerSecond: (drainJobs * 1_000) / (await queue.drain(drainJobs)),
  };
  await queue.close();
  return result;
}

async function perSecond(jobs: number, run: () => Promise<void>): Promise<number> {
  globalThis.gc?.();
  const startedAt = performance.now();
  await run();
  return (jobs * 1_000) / (performance.now() - startedAt);
}

answerParent(measure);
