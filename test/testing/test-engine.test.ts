import { existsSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { defineKind, JobFailure, type Kind } from "../../src/index.ts";
import { openTestHome, until, type TestHome } from "../../src/testing.ts";
import { useEach } from "../use-each.ts";

const counter = (log: string[]): Kind =>
  defineKind({
    name: "counter",
    onInterrupt: "resume",
    input: z.object({ steps: z.int() }),
    checkpoint: z.int(),
    run: async ({ steps }, job) => {
      for (let step = ((await job.checkpoint.load()) ?? 0) + 1; step <= steps; step++) {
        log.push(`step ${step}`);
        await job.checkpoint.save(step);
      }
      await job.ask({ message: "Enough?" });
      return steps;
    },
  });

const flaky = defineKind({
  name: "flaky",
  onInterrupt: "restart",
  input: z.object({}),
  limits: { attempts: 2, backoff: { initialMs: 3_600_000, factor: 1, maxMs: 3_600_000, jitter: 0 } },
  run: async (_input, { attempt }) => {
    if (attempt === 1) throw new JobFailure("busy", "try later");
    return "done";
  },
});

const homes = useEach(
  async () => new Set<TestHome>(),
  async (opened) => {
    await Promise.all([...opened].map((home) => home.close()));
  },
);

async function open(kinds: readonly Kind[]): Promise<TestHome> {
  const home = await openTestHome({ kinds });
  homes().add(home);
  return home;
}

describe("the engine for tests of authors", () => {
  it("goes on after a crash with what was stored before it, and never does a saved step again", async () => {
    const log: string[] = [];
    const home = await open([counter(log)]);
    const { id } = await home.engine().submit({ kind: "counter", input: { steps: 3 } });
    await home.engine().wait(id, { until: "question" });
    const next = await home.crash();
    expect((await next.get(id)).state.status).not.toBe("succeeded");
    await next.wait(id, { until: "question" });
    const [asked] = await next.questions(id);
    await next.answer(id, asked?.key ?? "", { action: "accept", content: {} });
    await next.wait(id);
    expect(await next.result(id)).toBe(3);
    expect(log).toEqual(["step 1", "step 2", "step 3"]);
  });

  it("moves time on: what is due in an hour happens now", async () => {
    const home = await open([flaky]);
    const engine = home.engine();
    const { id } = await engine.submit({ kind: "flaky", input: {} });
    await until(async () => (await engine.get(id)).state.attempt === 2);
    await home.clock.advance(3_600_000);
    const { isReached } = await engine.wait(id, { timeoutMs: 60_000 });
    expect([isReached, (await engine.get(id)).state.status]).toEqual([true, "succeeded"]);
  });

  it("stores nothing of what the dropped engine still does", async () => {
    const seen: string[] = [];
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const slow = defineKind({
      name: "slow",
      onInterrupt: "restart",
      input: z.object({}),
      run: async (_input, job) => {
        seen.push("run");
        if (seen.length === 1) {
          await held;
          job.output().write("from the dead\n");
          return "from the dead";
        }
        return "from the living";
      },
    });
    const home = await open([slow]);
    const { id } = await home.engine().submit({ kind: "slow", input: {} });
    await until(() => seen.length === 1);
    const next = await home.crash();
    await next.wait(id);
    release();
    await held;
    expect([await next.result(id), (await next.readOutput(id)).size]).toEqual(["from the living", 0]);
  });

  it("removes its folder", async () => {
    const home = await openTestHome({ kinds: [flaky] });
    await home.close();
    expect(existsSync(home.home)).toBe(false);
  });
});
