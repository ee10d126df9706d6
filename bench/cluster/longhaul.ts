import { z } from "zod";
import { readStore } from "../../src/config/store.ts";
import { defineKind, openEngine, type Engine, type Kind } from "../../src/index.ts";
import { defined } from "../../src/job/defined.ts";
import { repeatInFlight } from "../engine/contestant.ts";
import { inBatches, slots, type Queue } from "./queue.ts";

/** An engine on Postgres, as a server or a worker opens one. */
export function openOnPostgres(url: string, home: string, kinds: readonly Kind[], role?: "worker"): Promise<Engine> {
  const postgres = readStore(undefined, { LONGHAUL_STORE: url });
  return openEngine({ home, kinds, machine: home, ...defined({ postgres, role }) });
}

export async function openLonghaul(url: string, home: string): Promise<Queue> {
  const noop = defineKind({
    name: "noop",
    input: z.object({ n: z.number() }),
    onInterrupt: "restart",
    concurrency: slots,
    run: async ({ n }) => ({ n }),
  });
  const engine = await openOnPostgres(url, home, [noop]);
  return {
    inFlight: (jobs, width) =>
      repeatInFlight(jobs, width, async () => {
        const job = await engine.submit({ kind: "noop", input: { n: 1 } });
        await engine.wait(job.id);
      }),
    drain: async (jobs) => {
      await engine.pause("noop");
      const ids: string[] = [];
      for (const size of inBatches(jobs)) {
        const requests = Array.from({ length: size }, (_, n) => ({ kind: "noop", input: { n } }));
        ids.push(...(await engine.submitMany(requests)).map(({ id }) => id));
      }
      const startedAt = performance.now();
      await engine.resume("noop");
      await engine.wait(ids);
      return performance.now() - startedAt;
    },
    close: () => engine.stop(),
  };
}
