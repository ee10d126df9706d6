import { setTimeout as delay } from "node:timers/promises";
import { PgBoss } from "pg-boss";
import { repeatInFlight } from "../engine/contestant.ts";
import { countDown, inBatches, slots, type Queue } from "./queue.ts";

const name = "noop";
const pauseMs = 2;

/** Ten connections, as our server has. Its own `work` polls at most twice a second, so its fetch is called by loops as soon as there is something. */
export async function openPgBoss(connectionString: string): Promise<Queue> {
  const boss = new PgBoss({ connectionString, max: 10, schedule: false });
  boss.on("error", (error) => console.error(error));
  await boss.start();
  await boss.createQueue(name);
  const fetchers = async (batchSize: number, isOver: () => boolean, onDone: (id: string) => void): Promise<void> => {
    const fetcher = async (): Promise<void> => {
      while (!isOver()) {
        const jobs = await boss.fetch(name, { batchSize });
        if (jobs.length === 0) await delay(pauseMs);
        else
          await boss.complete(
            name,
            jobs.map(({ id }) => id),
          );
        for (const { id } of jobs) onDone(id);
      }
    };
    await Promise.all(Array.from({ length: slots }, fetcher));
  };
  return {
    inFlight: async (jobs, width) => {
      const waiting = new Map<string, () => void>();
      const ended = new Set<string>();
      let isOver = false;
      const running = fetchers(
        1,
        () => isOver,
        (id) => {
          const tell = waiting.get(id);
          if (tell === undefined) ended.add(id);
          else tell();
        },
      );
      await repeatInFlight(jobs, width, async () => {
        const id = (await boss.send(name, { n: 1 })) ?? "";
        if (ended.delete(id)) return;
        await new Promise<void>((resolve) => waiting.set(id, resolve));
        waiting.delete(id);
      });
      isOver = true;
      await running;
    },
    drain: async (jobs) => {
      for (const size of inBatches(jobs)) {
        await boss.insert(
          name,
          Array.from({ length: size }, (_, n) => ({ data: { n } })),
        );
      }
      const { done, reached } = countDown(jobs);
      let isOver = false;
      const startedAt = performance.now();
      const running = fetchers(50, () => isOver, done);
      await reached;
      const ms = performance.now() - startedAt;
      isOver = true;
      await running;
      return ms;
    },
    close: () => boss.stop({ graceful: false }),
  };
}
