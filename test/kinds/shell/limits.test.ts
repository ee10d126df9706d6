import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { until } from "../../until.ts";
import { isRunning, processesOf, useShell } from "./world.ts";

const world = useShell();

describe("a time limit", () => {
  it("on the run ends the command with all its processes", async () => {
    await world().open();
    const job = await world().submit("sleep 100 & sleep 100", { limits: { runMs: 300 } });
    const pid = await world().pid(job.id);
    expect((await world().end(job.id)).state).toMatchObject({
      status: "timed_out",
      failure: { code: "run_limit", message: "The job ran longer than its limit of 300 ms." },
    });
    expect(isRunning(pid)).toBe(false);
    expect(processesOf(job.id)).toEqual([]);
  });

  it("on the run kills a command that does not listen, and keeps what it wrote last", async () => {
    await world().open({ termGraceMs: 200 });
    const job = await world().run("trap 'echo not yet' TERM; while :; do sleep 0.05; done", { runMs: 300 });
    expect(job.state.status).toBe("timed_out");
    expect(await world().stdout(job.id)).toContain("not yet");
    expect(processesOf(job.id)).toEqual([]);
  });

  it("on silence ends a command that does nothing", async () => {
    await world().open();
    const { state } = await world().run({ argv: ["sleep", "100"] }, { idleMs: 500 });
    expect(state).toMatchObject({ status: "timed_out", failure: { code: "idle_limit" } });
  });

  it("on silence does not end a command that writes", async () => {
    await world().open();
    const { state } = await world().run("for i in $(seq 8); do sleep 0.25; echo $i; done", { idleMs: 1_000 });
    expect(state.status).toBe("succeeded");
  });

  it("on silence does not end a command that works without a word", async () => {
    await world().open();
    const job = await world().submit("while :; do :; done", { limits: { idleMs: 1_500 } });
    const pid = await world().pid(job.id);
    await until(async () => (await world().live(job.id)).cpu_ms > 2_500, { timeoutMs: 30_000 });
    expect(isRunning(pid)).toBe(true);
    expect((await world().engine.get(job.id)).state.status).toBe("running");
  });

  it("on silence counts from what is sent, too", async () => {
    const engine = await world().open();
    const job = await world().submit("while read -r line; do :; done", { limits: { idleMs: 1_500 } });
    await world().pid(job.id);
    const beganAt = performance.now();
    while (performance.now() - beganAt < 2_500) {
      await engine.send(job.id, "still here\n");
      await world().live(job.id);
      await delay(100);
    }
    expect((await engine.get(job.id)).state.status).toBe("running");
  });
});
