import { readFileSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { until } from "../../until.ts";
import { isRunning, processesOf, useShell } from "./world.ts";

const world = useShell();

/** Leaves its parent, its process group and its session, as daemons do: forks twice, and leads a session in between. */
const daemonise = `perl -MPOSIX -e 'exit if fork; POSIX::setsid(); exit if fork; exec @ARGV' --`;

describe("cancelling a command", () => {
  it("asks its processes to terminate, and lets them clean up", async () => {
    const engine = await world().open();
    const job = await world().submit("trap 'echo tidy; exit 0' TERM; echo up; while :; do sleep 0.05; done");
    await world().untilOutput(job.id, "up");
    await engine.cancel(job.id, "enough");
    expect((await world().end(job.id)).state).toMatchObject({ status: "cancelled", reason: "enough" });
    expect(await world().stdout(job.id)).toBe("up\ntidy\n");
  });

  it("kills what ignores that after the grace time, and leaves the job running until then", async () => {
    const engine = await world().open({ termGraceMs: 600 });
    const job = await world().submit("trap '' TERM; echo up; while :; do sleep 0.05; done");
    await world().untilOutput(job.id, "up");
    const pid = await world().pid(job.id);
    const cancelledAt = performance.now();
    expect((await engine.cancel(job.id)).state).toMatchObject({
      status: "running",
      cancelRequest: { reason: expect.any(String) as string },
    });
    await until(async () => {
      const { status } = (await engine.get(job.id)).state;
      if (isRunning(pid)) expect(status).toBe("running");
      return status === "cancelled";
    });
    expect(performance.now() - cancelledAt).toBeGreaterThan(600);
    expect(isRunning(pid)).toBe(false);
    expect(processesOf(job.id)).toEqual([]);
  });

  it("keeps the job running until the last process of the group is gone", async () => {
    const engine = await world().open({ termGraceMs: 5_000 });
    const child = "trap 'sleep 0.4; echo child done; exit' TERM; echo child up; while :; do sleep 0.05; done";
    const job = await world().submit(`bash -c "${child}" & echo main up; wait`);
    await world().untilOutput(job.id, "child up");
    const main = await world().pid(job.id);
    await engine.cancel(job.id);
    await until(() => !isRunning(main));
    expect((await engine.get(job.id)).state.status).toBe("running");
    expect((await world().end(job.id)).state.status).toBe("cancelled");
    expect(await world().stdout(job.id)).toContain("child done");
  });

  it("finds children that became daemons by their mark", async () => {
    const engine = await world().open();
    const job = await world().submit(
      `${daemonise} sleep 1000; setsid sleep 1001; nohup sleep 1002 >/dev/null 2>&1 & sleep 1003`,
    );
    await until(() =>
      ["1000", "1001", "1003"].every((seconds) => commandLines(job.id).some((line) => line.endsWith(seconds))),
    );
    const pids = processesOf(job.id);
    await engine.cancel(job.id);
    expect((await world().end(job.id)).state.status).toBe("cancelled");
    expect(pids.filter(isRunning)).toEqual([]);
    expect(processesOf(job.id)).toEqual([]);
  });

  it("kills daemons too that ignore to be asked", async () => {
    const engine = await world().open({ termGraceMs: 200 });
    writeFileSync(world().path("stubborn"), "#!/bin/bash\ntrap '' TERM HUP\necho up\nwhile :; do sleep 0.05; done\n", {
      mode: 0o755,
    });
    const job = await world().submit(`${daemonise} ./stubborn; sleep 1000`);
    await world().untilOutput(job.id, "up");
    await engine.cancel(job.id);
    expect((await world().end(job.id)).state.status).toBe("cancelled");
    expect(processesOf(job.id)).toEqual([]);
  });

  it("in the moment of its start ends it as well", async () => {
    const engine = await world().open();
    for (let round = 0; round < 25; round++) {
      const job = await world().submit({ argv: ["sleep", "1000"] });
      if (round % 5 > 0) await until(async () => (await engine.get(job.id)).state.status === "running");
      if (round % 5 > 2) await world().pid(job.id);
      await engine.cancel(job.id);
      expect((await world().end(job.id)).state.status).toBe("cancelled");
      expect(processesOf(job.id)).toEqual([]);
    }
  });

  it("leaves other jobs alone, and jobs that have ended as they are", async () => {
    const engine = await world().open();
    const ended = await world().run("exit 3");
    const other = await world().submit("read -r go");
    const job = await world().submit("read -r go");
    const pid = await world().pid(other.id);
    await world().pid(job.id);
    await engine.cancel(job.id);
    await world().end(job.id);
    expect(isRunning(pid)).toBe(true);
    expect((await engine.cancel(ended.id)).state).toEqual(ended.state);
  });

  it("before it has started runs nothing", async () => {
    const engine = await world().open({ concurrency: 1 });
    const first = await world().submit("read -r go");
    await world().pid(first.id);
    const job = await world().submit("touch started");
    expect((await engine.cancel(job.id)).state.status).toBe("cancelled");
    expect(() => readFileSync(world().path("started"))).toThrow(/ENOENT/);
  });
});

function commandLines(id: string): string[] {
  return processesOf(id).map((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ").trim();
    } catch {
      return "";
    }
  });
}
