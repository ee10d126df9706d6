import { setTimeout as delay } from "node:timers/promises";
import { PgBoss } from "pg-boss";
import { z } from "zod";
import { defineKind } from "../../src/index.ts";
import { openOnPostgres } from "./longhaul.ts";

/** A worker of its own process, which tells its parent what it begins. */
export interface NodeRequest {
  readonly queue: "longhaul" | "pg-boss";
  readonly url: string;
  readonly home: string;
}

export type NodeMessage =
  | { readonly type: "ready" }
  /** The job's code was reached. */
  | { readonly type: "started"; readonly n: number; readonly atMs: number; readonly pid: number };

export const napMs = 50;
export const napSlots = 10;

/** Of the clock that all processes of a machine share. */
export function sharedNow(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

function tell(message: NodeMessage): void {
  process.send?.(message);
}

const started = (n: number): void => tell({ type: "started", n, atMs: sharedNow(), pid: process.pid });

/** The kinds that these workers run. Who only submits has them without slots. */
export function createBenchKinds(concurrency: number): ReturnType<typeof defineKind>[] {
  const input = z.object({ n: z.number(), ms: z.number(), key: z.string().optional() });
  const settings = { input, onInterrupt: "restart" as const, concurrency };
  return [
    defineKind({
      ...settings,
      name: "nap",
      run: async ({ n, ms }, { signal }) => {
        started(n);
        if (ms > 0) await delay(ms, undefined, { signal });
        return {};
      },
    }),
    defineKind({
      ...settings,
      name: "keyed",
      perKey: 1,
      key: ({ key }) => key,
      run: async ({ n, ms }, { signal }) => {
        started(n);
        if (ms > 0) await delay(ms, undefined, { signal });
        return {};
      },
    }),
    defineKind({
      ...settings,
      name: "talk",
      run: async ({ n, ms }, { output, signal }) => {
        const stdout = output("stdout");
        for (let line = 0; line < n; line++) {
          stdout.write(`${sharedNow()}\n`);
          await delay(ms, undefined, { signal });
        }
        return {};
      },
    }),
  ] as ReturnType<typeof defineKind>[];
}

async function runLonghaul({ url, home }: NodeRequest): Promise<() => Promise<void>> {
  const engine = await openOnPostgres(url, home, createBenchKinds(napSlots), "worker");
  return () => engine.stop();
}

/** With its notifications, which wake a worker at once. */
async function runPgBoss({ url }: NodeRequest): Promise<() => Promise<void>> {
  const boss = new PgBoss({ connectionString: url, max: 10, schedule: false, useListenNotify: true });
  boss.on("error", (error) => console.error(error));
  await boss.start();
  await boss.createQueue("nap", { notify: true });
  await boss.work<{ n: number }>("nap", { batchSize: 1, pollingIntervalSeconds: 0.5 }, async ([job]) => {
    started(job?.data.n ?? -1);
  });
  return () => boss.stop({ graceful: false });
}

if (process.argv[1] === import.meta.filename) {
  process.once("message", (request: NodeRequest) => {
    void (async () => {
      const stop = await (request.queue === "longhaul" ? runLonghaul : runPgBoss)(request);
      process.once("message", () => void stop().then(() => process.exit(0)));
      process.once("disconnect", () => process.exit(1));
      tell({ type: "ready" });
    })();
  });
}
