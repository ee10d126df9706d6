import { openBullmq } from "../engine/bullmq.ts";
import type { Queue } from "./queue.ts";

/** As in bench:engine. It is not drained: there it has no part in a goal. */
export async function openBullmqQueue(socket: string): Promise<Queue> {
  const contestant = await openBullmq(socket);
  return {
    inFlight: contestant.inFlight,
    drain: async (jobs) => {
      const startedAt = performance.now();
      await contestant.bulk(jobs);
      return performance.now() - startedAt;
    },
    close: contestant.close,
  };
}
