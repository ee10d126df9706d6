import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { seededRandom } from "../../test/seeded-random.ts";
import { startCluster, type Cluster } from "./cluster.ts";
import { submitLoad, ask } from "./load.ts";
import { findBroken } from "./rules.ts";
import { makeTroubles, type TroubleCounts } from "./troubles.ts";

export interface ChaosOptions {
  readonly durationMs: number;
  readonly seed: number;
  readonly log: (line: string) => void;
  /** Ends everything at once. */
  readonly signal: AbortSignal;
}

export interface ChaosReport {
  readonly jobs: number;
  readonly troubles: TroubleCounts;
  readonly broken: readonly string[];
}

/** How long the jobs may take to end when all runs again. */
const settleMs = 180_000;

/** Three servers, four workers, and everything that can happen to them, while jobs are submitted and run. */
export async function runClusterChaos({ durationMs, seed, log, signal }: ChaosOptions): Promise<ChaosReport> {
  const random = seededRandom(seed);
  const size = { servers: 3, workers: 4, skewsMs: [0, 5_000, -5_000, 2_500, -2_500] };
  const cluster = await startCluster(size, log, signal);
  try {
    writeFileSync(join(cluster.folder, "commands"), "");
    const submitting = AbortSignal.any([signal, AbortSignal.timeout(durationMs)]);
    const troubling = AbortSignal.any([signal, AbortSignal.timeout(Math.max(1_000, durationMs - 5_000))]);
    const [acknowledged, troubles] = await Promise.all([
      submitLoad({ cluster, random: seededRandom(seed + 1), signal: submitting }),
      makeTroubles({ cluster, random, log, signal: troubling }),
    ]);
    signal.throwIfAborted();
    log(`${acknowledged.length} jobs were acknowledged; waiting for their ends`);
    await waitForEnds(cluster, signal);
    return { jobs: acknowledged.length, troubles, broken: await findBroken(cluster, acknowledged) };
  } finally {
    await cluster.close();
  }
}

async function waitForEnds(cluster: Cluster, signal: AbortSignal): Promise<void> {
  for (const until = performance.now() + settleMs; performance.now() < until; await delay(500)) {
    signal.throwIfAborted();
    const answer = await ask(cluster, "/v1/jobs?state=queued,running,waiting&limit=1").catch(() => undefined);
    if (answer?.status === 200 && (answer.body as { jobs: unknown[] }).jobs.length === 0) return;
  }
}
