import { existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { Launcher } from "../../../src/kinds/shell/launcher.ts";
import { until } from "../../until.ts";
import { exited, isRunning, killIfThere, processesOf, useShell } from "./world.ts";

const world = useShell();

/** The helper that a job was started by: its parent. */
async function helperOf(id: string): Promise<number> {
  const stat = readFileSync(`/proc/${await world().pid(id)}/stat`, "utf8");
  return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
}

describe("the helper that launches commands", () => {
  it("is one for all of them, and is gone after them", async () => {
    await world().open();
    const jobs = await Promise.all(Array.from({ length: 8 }, () => world().submit("read -r go")));
    const helpers = new Set(await Promise.all(jobs.map(({ id }) => helperOf(id))));
    expect(helpers.size).toBe(1);
    const [helper = 0] = helpers;
    await world().close();
    expect(isRunning(helper)).toBe(true);
    for (const { id } of jobs) for (const pid of processesOf(id)) process.kill(pid, "SIGKILL");
    await until(() => !isRunning(helper));
  });

  it("does not heed signals that are meant for others", async () => {
    await world().open();
    const job = await world().submit("read -r go; exit 3");
    const helper = await helperOf(job.id);
    for (const signal of ["SIGTERM", "SIGINT", "SIGHUP", "SIGPIPE"] as const) process.kill(helper, signal);
    await world().engine.send(job.id, "\n");
    expect((await world().end(job.id)).state).toMatchObject(exited(3));
    expect(isRunning(helper)).toBe(true);
  });

  it("may be killed: its commands run on and are looked after, and others are started by another one", async () => {
    const engine = await world().open();
    const job = await world().submit("echo up; read -r go; echo still here; sleep 0.2");
    await world().untilOutput(job.id, "up");
    const helper = await helperOf(job.id);
    process.kill(helper, "SIGKILL");
    await until(() => !isRunning(helper));
    const next = await world().run("exit 3");
    expect(next.state).toMatchObject(exited(3));
    expect((await engine.get(job.id)).state.status).toBe("running");
    await engine.send(job.id, "\n");
    // Nobody saw how it ended, so nobody says that it succeeded.
    expect((await world().end(job.id)).state).toMatchObject({ status: "failed", failure: { code: "lost" } });
    expect(await world().stdout(job.id)).toBe("up\nstill here\n");
  });

  it("may be stopped: it is woken, starts commands, and tells how they end", async () => {
    await world().open();
    const job = await world().submit("echo up; read -r go; exit 3");
    await world().untilOutput(job.id, "up");
    process.kill(await helperOf(job.id), "SIGSTOP");
    await world().engine.send(job.id, "\n");
    expect((await world().end(job.id)).state).toMatchObject(exited(3));
    expect((await world().run("exit 4")).state).toMatchObject(exited(4));
  });

  it.each([
    ["exit 0", { status: "succeeded" }],
    ["exit 3", exited(3)],
    ["kill -TERM $$", exited(143, "SIGTERM")],
  ])("may be stopped when its server goes: the next one knows all the same how `%s` has ended", async (last, state) => {
    await world().open();
    const job = await world().submit(`echo up; until [ -e go ]; do sleep 0.02; done; ${last}`);
    await world().untilOutput(job.id, "up");
    const [helper, pid] = [await helperOf(job.id), await world().pid(job.id)];
    await world().close();
    process.kill(helper, "SIGSTOP");
    onTestFinished(() => killIfThere(helper, "SIGKILL"));
    writeFileSync(world().path("go"), "");
    await until(() => !isRunning(pid));
    await world().open();
    expect((await world().end(job.id)).state).toMatchObject(state);
  });

  it("starts no command whose end it could not write down, and says why", async (context) => {
    world().mountHome(context, "tmpfs", "size=1m,mode=700");
    const launcher = new Launcher({ PATH: "/usr/bin:/bin" });
    onTestFinished(() => launcher.close());
    const request = {
      argv: ["touch", world().path("ran")],
      cwd: world().base,
      env: {},
      record: join(world().home, "process"),
      stdin: { path: "/dev/null", type: "file" as const },
      stdout: "/dev/null",
      stderr: "/dev/null",
    };
    const freeDisk = world().fillHome();
    await expect(launcher.launch(request)).rejects.toMatchObject({
      code: "not_started",
      message: "The command could not be started: No space left on device.",
    });
    freeDisk();
    expect(existsSync(world().path("ran"))).toBe(false);
    const launched = await launcher.launch(request);
    expect(await launched?.ended).toEqual({ exitCode: 0, signal: null });
    expect(await launcher.launch(request)).toBeUndefined();
    expect(existsSync(world().path("ran"))).toBe(true);
  });

  it("leaves no process behind that has ended", async () => {
    await world().open();
    const keeper = await world().submit("read -r go");
    const helper = await helperOf(keeper.id);
    await Promise.all(Array.from({ length: 30 }, () => world().run("true")));
    await until(() => childrenOf(helper).length === 1);
    expect((await world().engine.get(keeper.id)).state.status).toBe("running");
  });
});

describe("without Perl", () => {
  const perl = "/no/such/perl";

  it("commands run all the same", async () => {
    const engine = await world().open({ perl });
    const words = ["a b", "$HOME", "", "'", ""];
    expect(await world().stdoutOf({ argv: ["printf", "[%s]", ...words] })).toBe(words.map((w) => `[${w}]`).join(""));
    expect(await world().stdoutOf('echo "$# $PWD"; cd /; pwd')).toBe(`0 ${world().base}\n/\n`);
    expect(await world().stdoutOf({ command: "cat", stdin: "given" })).toBe("given");
    expect((await world().run("echo err >&2; exit 3")).state).toMatchObject(exited(3));
    expect((await world().run("kill -KILL $$")).state).toMatchObject(exited(137, "SIGKILL"));
    const job = await world().submit("read -r line; echo $line");
    await world().pid(job.id);
    await engine.send(job.id, "sent\n");
    await world().end(job.id);
    expect(await world().stdout(job.id)).toBe("sent\n");
  });

  it("a cancel ends all processes, and nothing of ours gets into the output", async () => {
    const engine = await world().open({ perl });
    const job = await world().submit("sleep 1000 & echo up; sleep 1001");
    await world().untilOutput(job.id, "up");
    await engine.cancel(job.id);
    expect((await world().end(job.id)).state.status).toBe("cancelled");
    expect(processesOf(job.id)).toEqual([]);
    expect(await world().stderr(job.id)).toBe("");
  });

  it("a command is adopted, and its exit code known", async () => {
    await world().open({ perl });
    const job = await world().submit("echo up; read -r go; echo $go; exit 6");
    const ended = await world().submit("read -r go; exit 7");
    await world().untilOutput(job.id, "up");
    await world().pid(ended.id);
    await world().engine.send(ended.id, "\n");
    const pid = await world()
      .pid(ended.id)
      .catch(() => 0);
    await world().close();
    await until(() => pid === 0 || !isRunning(pid));
    await world().open({ perl });
    await until(async () => (await world().engine.inspect(job.id))["pid"] !== undefined);
    await world().engine.send(job.id, "again\n");
    expect((await world().end(job.id)).state).toMatchObject(exited(6));
    expect((await world().end(ended.id)).state).toMatchObject(exited(7));
    expect(await world().stdout(job.id)).toBe("up\nagain\n");
  });
});

function childrenOf(parent: number): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
        return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]) === parent;
      } catch {
        return false;
      }
    });
}
