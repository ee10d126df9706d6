import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { repeatInFlight } from "../engine/contestant.ts";
import { countDown, inBatches, slots, type Queue } from "./queue.ts";

const name = "noop";

/** The part of it that is used; it is installed beside the benchmark, not with Longhaul. */
interface GraphileWorker {
  readonly run: (options: object) => Promise<Runner>;
  readonly makeWorkerUtils: (options: object) => Promise<Utils>;
  readonly Logger: new (create: () => () => void) => object;
}

interface Runner {
  readonly events: { on(event: "job:success", listener: (told: { job: { id: string } }) => void): void };
  readonly stop: () => Promise<void>;
}

interface Utils {
  readonly addJob: (name: string, payload: object) => Promise<{ id: string }>;
  readonly addJobs: (jobs: readonly object[]) => Promise<unknown>;
  readonly migrate: () => Promise<void>;
  readonly release: () => Promise<void>;
}

/** As it comes, without its local queue and its batches: every job is fetched and completed by itself. */
export async function openGraphileWorker(connectionString: string): Promise<Queue> {
  const entry = resolve("bench/cluster/peer/node_modules/graphile-worker/dist/index.js");
  const { run, makeWorkerUtils, Logger } = (await import(pathToFileURL(entry).href)) as GraphileWorker;
  const options = { connectionString, maxPoolSize: 10, logger: new Logger(() => () => undefined) };
  const utils = await makeWorkerUtils(options);
  await utils.migrate();
  const work = async (onDone: (id: string) => void): Promise<Runner> => {
    const taskList = { [name]: async (): Promise<void> => undefined };
    const runner = await run({ ...options, taskList, concurrency: slots, noHandleSignals: true, pollInterval: 500 });
    runner.events.on("job:success", ({ job }) => onDone(job.id));
    return runner;
  };
  return {
    inFlight: async (jobs, width) => {
      const waiting = new Map<string, () => void>();
      const ended = new Set<string>();
      const runner = await work((id) => {
        const tell = waiting.get(id);
        if (tell === undefined) ended.add(id);
        else tell();
      });
      await repeatInFlight(jobs, width, async () => {
        const { id } = await utils.addJob(name, { n: 1 });
        if (ended.delete(id)) return;
        await new Promise<void>((tell) => waiting.set(id, tell));
        waiting.delete(id);
      });
      await runner.stop();
    },
    drain: async (jobs) => {
      for (const size of inBatches(jobs)) {
        await utils.addJobs(Array.from({ length: size }, (_, n) => ({ identifier: name, payload: { n } })));
      }
      const { done, reached } = countDown(jobs);
      const startedAt = performance.now();
      const runner = await work(done);
      await reached;
      const ms = performance.now() - startedAt;
      await runner.stop();
      return ms;
    },
    close: () => utils.release(),
  };
}
