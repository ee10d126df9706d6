import { Queue, QueueEvents, Worker } from "bullmq";
import { Redis } from "ioredis";
import { concurrency, repeat, repeatInFlight, sampleIdle, splitBulk, type Contestant } from "./contestant.ts";

const queueName = "bench";

export async function openBullmq(socket: string): Promise<Contestant> {
  let startedAt = 0;
  const { queue, events, worker, close } = await connect(socket, () => {
    startedAt = performance.now();
  });
  const runOne = async (): Promise<void> => {
    const job = await queue.add("noop", { n: 1 });
    await job.waitUntilFinished(events);
  };
  return {
    oneByOne: (jobs) => repeat(jobs, runOne),
    inFlight: (jobs, width) => repeatInFlight(jobs, width, runOne),
    bulk: async (jobs) => {
      const completed = countCompleted(worker, jobs);
      for (const size of splitBulk(jobs)) {
        await queue.addBulk(Array.from({ length: size }, (_, n) => ({ name: "noop", data: { n } })));
      }
      await completed;
    },
    idleStarts: (samples) =>
      sampleIdle(samples, async () => {
        const submittedAt = performance.now();
        await runOne();
        return startedAt - submittedAt;
      }),
    close,
  };
}

interface Connected {
  readonly queue: Queue<NoopInput>;
  readonly events: QueueEvents;
  readonly worker: Worker<NoopInput>;
  readonly close: () => Promise<void>;
}

interface NoopInput {
  readonly n: number;
}

/** Queue, worker and events have a connection each, over a Unix socket; without auto-pipelining, which made it slower. */
async function connect(socket: string, onStart: () => void): Promise<Connected> {
  const connections = Array.from({ length: 3 }, () => new Redis({ path: socket, maxRetriesPerRequest: null }));
  const [forQueue, forWorker, forEvents] = connections as [Redis, Redis, Redis];
  const queue = new Queue<NoopInput>(queueName, { connection: forQueue });
  const events = new QueueEvents(queueName, { connection: forEvents });
  const run = async ({ data }: { data: NoopInput }): Promise<NoopInput> => {
    onStart();
    return { n: data.n };
  };
  const worker = new Worker<NoopInput>(queueName, run, { connection: forWorker, concurrency });
  // Each waitUntilFinished listens by itself: more listeners than Node takes for normal.
  queue.setMaxListeners(0);
  events.setMaxListeners(0);
  await Promise.all([queue.waitUntilReady(), events.waitUntilReady(), worker.waitUntilReady()]);
  const close = async (): Promise<void> => {
    await Promise.all([worker.close(), events.close(), queue.close()]);
    for (const connection of connections) connection.disconnect();
  };
  return { queue, events, worker, close };
}

function countCompleted(worker: Worker, jobs: number): Promise<void> {
  return new Promise((resolve) => {
    let left = jobs;
    const count = (): void => {
      if (--left > 0) return;
      worker.off("completed", count);
      resolve();
    };
    worker.on("completed", count);
  });
}
