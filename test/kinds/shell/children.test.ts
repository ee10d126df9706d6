import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { isGroupAlive } from "../../../src/kinds/shell/process-tree.ts";
import { until } from "../../until.ts";
import { exited, isRunning, processesOf, useShell } from "./world.ts";

const world = useShell();

describe("children that outlive the main process", () => {
  it("are told of in the status, and the job ends with them", async () => {
    const engine = await world().open();
    const wait = (name: string): string => `(until [ -e ${name} ]; do sleep 0.02; done; echo ${name}) &`;
    const job = await world().submit(`${wait("one")} ${wait("two")} echo main done`);
    const told = async (): Promise<string> => JSON.stringify((await world().progress(job.id)) ?? null);
    await until(async () => (await told()).includes('"exited 0, '));
    expect(await world().progress(job.id)).toMatchObject({
      phase: "children",
      // Each of them has a sleep of its own now and then.
      message: expect.stringMatching(/^exited 0, [234] child processes still running$/) as string,
    });
    expect((await engine.get(job.id)).state.status).toBe("running");
    writeFileSync(world().path("one"), "");
    await world().untilOutput(job.id, "\none\n");
    await until(async () => /exited 0, (1 child process|2 child processes) still running/.test(await told()));
    writeFileSync(world().path("two"), "");
    expect((await world().end(job.id)).state.status).toBe("succeeded");
    expect(await world().stdout(job.id)).toBe("main done\none\ntwo\n");
  });

  it("do not change how the main process ended", async () => {
    const engine = await world().open();
    const job = await world().submit("(read -r go; exit 0) <&0 & exit 6");
    await until(async () => JSON.stringify((await world().progress(job.id)) ?? null).includes("exited 6"));
    await engine.send(job.id, "\n");
    expect((await world().end(job.id)).state).toMatchObject(exited(6));
  });

  it("are told of once for each change, not all the time", async () => {
    const engine = await world().open();
    const job = await world().submit("(read -r go) <&0 & true");
    await until(async () => (await world().progress(job.id)) !== undefined);
    const { lastSeq } = await engine.get(job.id);
    // Each look is one more chance to say it again.
    for (let look = 0; look < 20; look++) await world().live(job.id);
    expect((await engine.get(job.id)).lastSeq).toBe(lastSeq);
  });

  it("are silent where they are, so that the limit on silence ends the job", async () => {
    await world().open();
    const job = await world().submit("sleep 1000 & true", { limits: { idleMs: 800 } });
    expect((await world().end(job.id)).state).toMatchObject({ status: "timed_out", failure: { code: "idle_limit" } });
    expect(processesOf(job.id)).toEqual([]);
  });

  it("are ended with a cancel", async () => {
    const engine = await world().open();
    const job = await world().submit("sleep 1000 & sleep 1001 & true");
    await until(async () => (await world().progress(job.id)) !== undefined);
    await engine.cancel(job.id);
    expect((await world().end(job.id)).state.status).toBe("cancelled");
    expect(processesOf(job.id)).toEqual([]);
  });

  it("do not keep the job up that is to finish with its main process", async () => {
    await world().open();
    const job = await world().run({ command: "sleep 1000 & echo $!", finish_with_main: true });
    expect(job.state.status).toBe("succeeded");
    const child = Number(await world().stdout(job.id));
    expect(child).toBeGreaterThan(1);
    expect(isRunning(child)).toBe(true);
    process.kill(child);
  });

  it("that have left the group and all that belongs to it do not keep the job up", async () => {
    await world().open();
    const job = await world().run("setsid sleep 1000 & sleep 0.2");
    expect(job.state.status).toBe("succeeded");
    for (const pid of processesOf(job.id)) process.kill(pid);
  });

  it("that have ended do not keep the job up where nobody takes note of their ends", async () => {
    // As in a container whose first process does not care for orphans. 157 is prctl, 36 makes it their new parent.
    const careless = spawn("perl", ["-e", "syscall(157, 36, 1, 0, 0, 0); system(@ARGV)", "bash", "-c", keepZombie]);
    const pid = await new Promise<number>((resolve) => {
      careless.stdout.once("data", (text: Buffer) => resolve(Number(text.toString())));
    });
    try {
      await until(async () => !(await isGroupAlive(pid)));
      expect(() => process.kill(-pid, 0)).not.toThrow();
    } finally {
      careless.stdin.end();
    }
  });
});

/** Prints the pid of a group's leader that ends once it is nobody's to wait for; then waits for its input to end. */
const parentName = `cat /proc/$(cut -d " " -f 4 /proc/$$/stat)/comm`;
const keepZombie = `(setsid sh -c 'while [ "$(${parentName})" = bash ]; do sleep 0.02; done; echo $$' &) ; cat`;
