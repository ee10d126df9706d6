import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, it } from "vitest";
import { call, useAgents } from "./world.ts";

const world = useAgents();

it("a hundred agents at once all end, and leave no memory behind", async () => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const { models } = world();
  world().write("page.txt", "some text\n".repeat(2_000));
  await world().open({ concurrency: 100 });
  const round = async (): Promise<number> => {
    models.script("m", ({ said }) =>
      said.includes("some text") ? { text: "Read." } : call("read_file", { filePath: "page.txt" }),
    );
    const jobs = await Promise.all(Array.from({ length: 100 }, () => world().submit({ read_only: true })));
    const { isReached } = await world().engine.wait(
      jobs.map(({ id }) => id),
      { timeoutMs: 50_000 },
    );
    expect(isReached).toBe(true);
    const states = await Promise.all(jobs.map(async ({ id }) => (await world().engine.get(id)).state.status));
    expect(new Set(states)).toEqual(new Set(["succeeded"]));
    expect(models.heard).toHaveLength(200);
    models.heard.length = 0;
    collect();
    return process.memoryUsage().heapUsed;
  };
  await round();
  const before = await round();
  const after = await round();
  // One conversation has about 20 kB; a hundred that were kept would show.
  expect(after - before).toBeLessThan(2_000_000);
}, 120_000);
