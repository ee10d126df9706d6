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

/** How long processes may take to be started again. */
const maxStartMs = 90_000;
/** How long the jobs may take to end when all runs again. */
const settleMs = 180_000;

/** Three servers, four workers, and everything that can happen to them, while jobs are submitted and run. */
export async function runClusterChaos({ durationMs, seed, log, signal }: ChaosOptions): Promise<ChaosReport> {
  const random = seededRandom(seed);
  const size = { servers: 3, workers: 4, skewsMs: [0, 5_000, -5_000, 2_500, -2_500] };
  const cluster = await startCluster(size, log, signal);
  try {
    writeFileSync(join(cluster.folder, "commands"), "");
    // Where one of them fails, the other ends too before anything is taken away.
    const failing = new AbortController();
    signal.addEventListener("abort", () => failing.abort(signal.reason), { once: true });
    const during = (ms: number): AbortSignal => abortLater(ms, failing.signal);
    const load = submitLoad({
      cluster,
      random: seededRandom(seed + 1),
      signal: during(durationMs),
      giveUp: during(durationMs + maxStartMs),
    });
    const harm = makeTroubles({
      cluster,
      random,
      log,
      signal: during(Math.max(1_000, durationMs - 5_000)),
      giveUp: during(durationMs + maxStartMs),
    });
    const both = [load, harm].map((part) => (part as Promise<unknown>).catch((error: unknown) => failing.abort(error)));
    await Promise.all(both);
    const [acknowledged, troubles] = await Promise.all([load, harm]);
    signal.throwIfAborted();
    log(`${acknowledged.length} jobs were acknowledged; waiting for their ends`);
    await waitForEnds(cluster, signal);
    return { jobs: acknowledged.length, troubles, broken: await findBroken(cluster, acknowledged) };
  } finally {
    await cluster.close();
  }
}

/** Not by AbortSignal.any and AbortSignal.timeout: Node 20 collects those that only each other know, and then they never come. */
function abortLater(ms: number, signal: AbortSignal): AbortSignal {
  const controller = new AbortController();
  setTimeout(() => controller.abort(), ms).unref();
  signal.addEventListener("abort", () => controller.abort(signal.reason), { once: true });
  return controller.signal;
}

async function waitForEnds(cluster: Cluster, signal: AbortSignal): Promise<void> {
  for (const until = performance.now() + settleMs; performance.now() < until; await delay(500)) {
    signal.throwIfAborted();
    const answer = await ask(cluster, "/v1/jobs?state=queued,running,waiting&limit=1").catch(() => undefined);
    if (answer?.status === 200 && (answer.body as { jobs: unknown[] }).jobs.length === 0) return;
  }
}
