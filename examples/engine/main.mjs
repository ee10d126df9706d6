import { defineKind, openSharedEngine } from "longhaul";
import { z } from "zod";

// Without MCP. Start it as often as you like, also at the same time: the work is done once.
const count = defineKind({
  name: "count",
  onInterrupt: "resume",
  input: z.object({ to: z.int().min(1) }),
  result: z.object({ sum: z.int() }),
  checkpoint: z.object({ next: z.int(), sum: z.int() }),
  run: async ({ to }, job) => {
    let { next, sum } = (await job.checkpoint.load()) ?? { next: 1, sum: 0 };
    for (; next <= to; next++) {
      await new Promise((resolve) => setTimeout(resolve, 50));
      sum += next;
      await job.checkpoint.save({ next: next + 1, sum });
      console.log(`step ${next}`);
    }
    return { sum };
  },
});

const engine = await openSharedEngine({ home: ".jobs", kinds: [count] });
const job = await engine.submit(count, { to: 40 }, { idempotencyKey: "the one count" });
const end = await engine.wait(job);
console.log(end.status === "succeeded" ? `sum ${end.result.sum}` : end.status);
await engine.stop();
