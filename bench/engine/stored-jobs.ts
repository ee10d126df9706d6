import { join } from "node:path";
import { z } from "zod";
import { defineKind, openEngine, type Kind } from "../../src/index.ts";
import { openSqliteStore } from "../../src/store/sqlite/open.ts";
import { answerParent } from "../child.ts";
import { median } from "../statistics.ts";

/** `use` leaves behind the queued jobs that `claim` claims. */
export type StoredJobsRequest =
  | { readonly type: "fill"; readonly home: string; readonly jobs: number }
  | { readonly type: "use"; readonly home: string }
  | { readonly type: "claim"; readonly home: string };

/** Median costs with the jobs that are stored, and what a process needs that has worked with them. */
export interface UseResult {
  readonly submitMs: number;
  readonly listMs: number;
  readonly listByStatusMs: number;
  readonly rssMb: number;
}

export interface ClaimResult {
  readonly claimMs: number;
}

const samples = 200;
const fillSize = 1_000;

function defineNoop(name: string): Kind {
  return defineKind({
    name,
    input: z.object({ n: z.number() }),
    onInterrupt: "restart",
    concurrency: 50,
    run: async ({ n }) => ({ n }),
  });
}

/** `noop` fills the store; `held` is paused, so that a submit is measured without the run that follows it. */
const kinds = [defineNoop("noop"), defineNoop("held")];

/** Runs so many jobs, which then stay in the store. */
async function fill(home: string, jobs: number): Promise<number> {
  const engine = await openEngine({ home, kinds });
  for (let from = 0; from < jobs; from += fillSize) {
    const size = Math.min(fillSize, jobs - from);
    const requests = Array.from({ length: size }, (_, index) => ({ kind: "noop", input: { n: from + index } }));
    const submitted = await engine.submitMany(requests);
    await engine.wait(submitted.map(({ id }) => id));
  }
  await engine.stop();
  return jobs;
}

async function use(home: string): Promise<UseResult> {
  const engine = await openEngine({ home, kinds });
  await engine.pause("held");
  const page = { limit: 20 };
  const costs = {
    listMs: await medianMs(() => engine.list({ owner: "local" }, page)),
    listByStatusMs: await medianMs(() => engine.list({ owner: "local", status: ["succeeded"] }, page)),
    submitMs: await medianMs(() => engine.submit({ kind: "held", input: { n: 1 } })),
  };
  globalThis.gc?.();
  const rssMb = process.memoryUsage().rss / 1024 ** 2;
  await engine.stop();
  return { ...costs, rssMb };
}

/** Claims one by one from the store itself: through the engine, a claim shares the submit's commit. */
async function claim(home: string): Promise<ClaimResult> {
  const store = await openSqliteStore({ file: join(home, "longhaul.db") });
  await store.setPaused("held", false);
  const claimMs = await medianMs(async () => {
    const wants = [{ kind: "held", max: 1 }];
    const { claims } = await store.claim({
      worker: "bench",
      machine: "local",
      now: Date.now(),
      leaseMs: 60_000,
      wants,
    });
    if (claims.length !== 1) throw new Error(`A claim of one job returned ${claims.length}.`);
  });
  await store.close();
  return { claimMs };
}

async function medianMs(run: () => Promise<unknown>): Promise<number> {
  const costs: number[] = [];
  for (let sample = 0; sample < samples; sample++) {
    const startedAt = performance.now();
    await run();
    costs.push(performance.now() - startedAt);
  }
  return median(costs);
}

answerParent(async (request: StoredJobsRequest) => {
  if (request.type === "fill") return fill(request.home, request.jobs);
  return request.type === "use" ? use(request.home) : claim(request.home);
});
