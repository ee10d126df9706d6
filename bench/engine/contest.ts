import { answerParent } from "../child.ts";
import { quantile } from "../statistics.ts";
import type { Contestant } from "./contestant.ts";

/** Where the contestant keeps its jobs: a folder of its own, or the socket of a Redis server. */
export type ContestRequest =
  | { readonly contestant: "longhaul" | "bare-sqlite"; readonly folder: string }
  | { readonly contestant: "bullmq"; readonly socket: string };

export interface ContestResult {
  readonly oneByOnePerSecond: number;
  readonly inFlightPerSecond: number;
  readonly bulkPerSecond: number;
  readonly idleStartP50Ms: number;
  readonly idleStartP99Ms: number;
}

const oneByOneJobs = 600;
const inFlightJobs = 5_000;
const inFlightWidth = 50;
const bulkJobs = 5_000;
const idleSamples = 300;

// Only the contestant's own modules are loaded, so that the others' do not weigh on it.
async function open(request: ContestRequest): Promise<Contestant> {
  if (request.contestant === "bullmq") return (await import("./bullmq.ts")).openBullmq(request.socket);
  if (request.contestant === "longhaul") return (await import("./longhaul.ts")).openLonghaul(request.folder);
  return (await import("./bare-sqlite.ts")).openBareSqlite(request.folder);
}

async function measure(request: ContestRequest): Promise<ContestResult> {
  const contestant = await open(request);
  await contestant.oneByOne(100);
  await contestant.inFlight(1_000, inFlightWidth);
  const idleStarts = await contestant.idleStarts(idleSamples);
  const result = {
    idleStartP50Ms: quantile(idleStarts, 0.5),
    idleStartP99Ms: quantile(idleStarts, 0.99),
    oneByOnePerSecond: await perSecond(oneByOneJobs, () => contestant.oneByOne(oneByOneJobs)),
    inFlightPerSecond: await perSecond(inFlightJobs, () => contestant.inFlight(inFlightJobs, inFlightWidth)),
    bulkPerSecond: await perSecond(bulkJobs, () => contestant.bulk(bulkJobs)),
  };
  await contestant.close();
  return result;
}

async function perSecond(jobs: number, run: () => Promise<void>): Promise<number> {
  globalThis.gc?.();
  const startedAt = performance.now();
  await run();
  return (jobs * 1_000) / (performance.now() - startedAt);
}

answerParent(measure);
