import { existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { isRunning, useShell } from "./world.ts";
import { refusal } from "../../engine/world.ts";

const world = useShell();

describe("the rules for commands", () => {
  it("refuse what a deny rule matches, command line or argv, and make no job of it", async () => {
    const engine = await world().open({ policy: { deny: [/\brm\s+-rf\b/, /^sudo\b/] } });
    const denied = refusal("not_allowed", /deny rule \/\\brm\\s\+-rf\\b\//);
    await expect(world().submit("cd /tmp && rm  -rf stuff")).rejects.toMatchObject(denied);
    await expect(world().submit({ argv: ["rm", "-rf", "stuff"] })).rejects.toMatchObject(denied);
    await expect(world().submit("sudo true")).rejects.toMatchObject(refusal("not_allowed"));
    expect((await engine.list()).jobs).toEqual([]);
    expect((await world().run("echo rm -r")).state.status).toBe("succeeded");
  });

  it("allow, if there are allow rules, only what one of them matches", async () => {
    const engine = await world().open({ policy: { allow: [/^echo /, /^npm test$/] } });
    expect(await world().stdoutOf("echo fine")).toBe("fine\n");
    await expect(world().submit("ls")).rejects.toMatchObject(refusal("not_allowed", /none of the allow rules/));
    expect((await engine.list()).jobs).toHaveLength(1);
  });

  it("refuse, if there are allow rules, variables that would make an allowed command another one", async () => {
    const engine = await world().open({ policy: { allow: [/^echo /], allowEnv: ["COLOR"] } });
    writeFileSync(world().path("evil.sh"), `touch ${world().path("evil")}`);
    const variables: Record<string, string>[] = [
      { BASH_ENV: world().path("evil.sh") },
      { LD_PRELOAD: "x" },
      { SHELL: "x" },
      { IFS: "x" },
      { PATH: world().base },
    ];
    for (const env of variables) {
      const [name = ""] = Object.keys(env);
      await expect(world().submit({ command: "echo fine", env })).rejects.toMatchObject(
        refusal("not_allowed", new RegExp(`^The variable ${name} may not be set here.*shell.allow_env`)),
      );
    }
    expect((await engine.list()).jobs).toEqual([]);
    expect(existsSync(world().path("evil"))).toBe(false);
    expect(await world().stdoutOf({ command: "echo $COLOR", env: { COLOR: "red" } })).toBe("red\n");
  });

  it("let no program pass whose name reads like an allowed command", async () => {
    await world().open({ policy: { allow: [/^echo /] } });
    mkdirSync(world().path("echo .."));
    await expect(world().submit({ argv: ["echo ../evil"] })).rejects.toMatchObject(
      refusal("not_allowed", /white space in its name/),
    );
    expect(await world().stdoutOf({ argv: ["echo", "a b"], stdin: "" })).toBe("a b\n");
  });

  it("deny, although an allow rule matches", async () => {
    await world().open({ policy: { allow: [/^echo/], deny: [/secret/] } });
    await expect(world().submit("echo secret")).rejects.toMatchObject(refusal("not_allowed", /deny rule/));
  });

  it("hold for what is given or sent as input as well", async () => {
    const engine = await world().open({ policy: { deny: [/shutdown/] } });
    const denied = refusal("not_allowed", /deny rule/);
    await expect(world().submit({ command: "bash", stdin: "shutdown now" })).rejects.toMatchObject(denied);
    expect((await engine.list()).jobs).toEqual([]);
    const job = await world().submit("bash");
    const pid = await world().pid(job.id);
    await expect(engine.send(job.id, "shutdown now\n")).rejects.toMatchObject(denied);
    expect(isRunning(pid)).toBe(true);
    await engine.send(job.id, "echo allowed; exit\n");
    await world().end(job.id);
    expect(await world().stdout(job.id)).toBe("allowed\n");
  });
});

describe("the roots for working directories", () => {
  it("confine them, with links resolved on both sides", async () => {
    for (const name of ["inside", "inside/deep", "inside-not", "outside"]) mkdirSync(world().path(name));
    symlinkSync(world().path("outside"), world().path("inside/way-out"));
    symlinkSync(world().path("inside"), world().path("root-link"));
    symlinkSync(world().path("inside/deep"), world().path("way-in"));
    const roots = [world().path("root-link")];
    const engine = await world().open({ policy: { roots, defaultCwd: roots[0] as string } });
    const isOutside = refusal("not_allowed", /^cwd must be in .*root-link, got ".*"/);
    const outsiders = ["outside", "inside/way-out", "inside-not", "inside/../outside"];
    for (const cwd of outsiders) {
      await expect(world().submit({ command: "true", cwd: world().path(cwd) })).rejects.toMatchObject(isOutside);
    }
    await expect(world().submit({ command: "true", cwd: "/" })).rejects.toMatchObject(isOutside);
    expect((await engine.list()).jobs).toEqual([]);
    for (const cwd of ["inside", "inside/deep", "root-link", "way-in"]) {
      expect((await world().run({ command: "true", cwd: world().path(cwd) })).state.status).toBe("succeeded");
    }
    expect(await world().stdoutOf("pwd")).toBe(`${world().path("inside")}\n`);
  });

  it("are looked at again when the job starts", async () => {
    for (const name of ["inside", "outside"]) mkdirSync(world().path(name));
    symlinkSync(world().path("inside"), world().path("link"));
    const engine = await world().open({
      policy: { roots: [world().path("inside")], defaultCwd: world().path("inside") },
    });
    await engine.pause("shell");
    const job = await world().submit({ command: "pwd", cwd: world().path("link") });
    rmSync(world().path("link"));
    symlinkSync(world().path("outside"), world().path("link"));
    await engine.resume("shell");
    expect((await world().end(job.id)).state).toMatchObject({
      status: "failed",
      failure: { message: expect.stringContaining("cwd must be in") as string },
    });
    expect(await world().stdout(job.id)).toBe("");
  });
});

describe("the environment of commands", () => {
  it("is only what may be inherited: names, and patterns with a star", async () => {
    const env = {
      PATH: process.env["PATH"],
      LANG: "C",
      LC_ALL: "C",
      LC_TIME: "C",
      MY_TOKEN: "t",
      LANGUAGE: "x",
      "A.B": "1",
      AxB: "2",
    };
    await world().open({ inherit: ["PATH", "LANG", "LC_*", "A.B"], env });
    const names = (await world().stdoutOf({ argv: ["env"] }))
      .trim()
      .split("\n")
      .map((line) => line.split("=")[0] ?? "");
    const own = ["LONGHAUL_JOB_ATTEMPT", "LONGHAUL_JOB_ID"];
    expect(names.toSorted()).toEqual(["A.B", "LANG", "LC_ALL", "LC_TIME", ...own, "PATH", "PWD"]);
  });

  it("has nothing of ours but the job's id and attempt, whatever the patterns say", async () => {
    const ours = {
      LONGHAUL_HOME: "/somewhere",
      LONGHAUL_TOKEN: "t",
      LONGHAUL_JOB_ID: "another",
      LONGHAUL_JOB_ATTEMPT: "9",
    };
    await world().open({ inherit: ["*"], env: { ...process.env, ...ours } });
    const job = await world().run("env | grep ^LONGHAUL_ | sort");
    expect(await world().stdout(job.id)).toBe(`LONGHAUL_JOB_ATTEMPT=1\nLONGHAUL_JOB_ID=${job.id}\n`);
  });

  it("cannot be made to carry another job's id", async () => {
    await world().open();
    const job = await world().run({ command: "echo $LONGHAUL_JOB_ID", env: { LONGHAUL_JOB_ID: "forged" } });
    expect(await world().stdout(job.id)).toBe(`${job.id}\n`);
  });
});
