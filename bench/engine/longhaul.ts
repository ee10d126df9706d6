import { z } from "zod";
import { defineKind, openEngine } from "../../src/index.ts";
import { concurrency, repeat, repeatInFlight, sampleIdle, splitBulk, type Contestant } from "./contestant.ts";

export async function openLonghaul(home: string): Promise<Contestant> {
  let startedAt = 0;
  const noop = defineKind({
    name: "noop",
    input: z.object({ n: z.number() }),
    onInterrupt: "restart",
    concurrency,
    run: async ({ n }) => {
      startedAt = performance.now();
      return { n };
    },
  });
  const engine = await openEngine({ home, kinds: [noop] });
  const runOne = async (): Promise<void> => {
    const job = await engine.submit({ kind: "noop", input: { n: 1 } });
    await engine.wait(job.id);
  };
  return {
    oneByOne: (jobs) => repeat(jobs, runOne),
    inFlight: (jobs, width) => repeatInFlight(jobs, width, runOne),
    bulk: async (jobs) => {
      const ids: string[] = [];
      for (const size of splitBulk(jobs)) {
        const requests = Array.from({ length: size }, (_, n) => ({ kind: "noop", input: { n } }));
        ids.push(...(await engine.submitMany(requests)).map(({ id }) => id));
      }
      await engine.wait(ids);
    },
    idleStarts: (samples) =>
      sampleIdle(samples, async () => {
        const submittedAt = performance.now();
        await runOne();
        return startedAt - submittedAt;
      }),
    close: () => engine.stop(),
  };
}
