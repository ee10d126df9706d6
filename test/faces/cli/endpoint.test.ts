import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { makeCli } from "./cli.ts";

const text = JSON.stringify({ text: "hello big world" });

describe("longhaul endpoint", () => {
  it.each([
    ["--python", "handler.py"],
    ["--typescript", "handler.mjs"],
  ])("init %s writes a handler that runs as it stands", async (flag, file) => {
    const cli = makeCli();
    const folder = join(cli.home, "work");
    mkdirSync(folder);
    writeFileSync(join(cli.home, "config.json"), JSON.stringify({ retention: { failed_hours: 5 } }));
    const init = await cli.run(["endpoint", "init", "shout", flag, "--warm"], { cwd: folder });
    expect(init.code).toBe(0);
    const config = JSON.parse(readFileSync(join(cli.home, "config.json"), "utf8")) as object;
    expect(config).toEqual({ retention: { failed_hours: 5 }, ...(JSON.parse(init.stdout) as object) });
    const backup = readdirSync(cli.home).find((name) => name.endsWith(".bak")) ?? "";
    expect(readFileSync(join(cli.home, backup), "utf8")).toBe('{"retention":{"failed_hours":5}}');
    expect(existsSync(join(folder, "shout", file))).toBe(true);

    const run = await cli.run(["endpoint", "run", "shout", text]);
    const chunks = ["HELLO", "BIG", "WORLD"].map((output) => `${JSON.stringify({ output })}\n`).join("");
    expect(run).toMatchObject({
      code: 0,
      stdout: `${chunks}${JSON.stringify({ text: "HELLO BIG WORLD" }, null, 2)}\n`,
    });
    expect(await cli.run(["endpoint", "run", "shout", "-"], { stdin: "{}" })).toMatchObject({ code: 0 });
    expect((await cli.run(["endpoint", "list"])).stdout).toMatch(
      /^NAME +TYPE +MODE +AT ONCE\nshout +local +warm +1\n$/,
    );
    expect((await cli.run(["endpoint", "health", "shout"])).stdout).toMatch(/jobs +2 completed[^]*workers +1 idle/);
    expect((await cli.run(["endpoint", "purge", "shout"])).stdout).toBe("Removed 0 queued jobs.\n");
  });

  it("init is known to a server that runs, with its limit", async () => {
    const cli = makeCli();
    await cli.run(["endpoint", "list"]);
    const pid = cli.serverPid();
    const { stderr } = await cli.run(["endpoint", "init", "late"], { cwd: cli.home });
    expect(stderr).not.toContain("restart");
    expect((await cli.run(["endpoint", "run", "late", text])).code).toBe(0);
    expect((await cli.run(["endpoint", "list"])).stdout).toMatch(/^late +local +per_job +1$/m);
    expect(cli.serverPid()).toBe(pid);
  });

  it("init --print leaves the configuration alone, and init overwrites nothing", async () => {
    const cli = makeCli();
    const folder = join(cli.home, "work");
    mkdirSync(folder);
    const print = await cli.run(["endpoint", "init", "shout", "--print"], { cwd: folder });
    expect(JSON.parse(print.stdout)).toMatchObject({ endpoints: { shout: { type: "local", mode: "per_job" } } });
    expect(existsSync(join(cli.home, "config.json"))).toBe(false);
    writeFileSync(join(folder, "shout", "handler.py"), "mine");
    expect(await cli.run(["endpoint", "init", "shout"], { cwd: folder })).toMatchObject({ code: 2, stdout: "" });
    expect(readFileSync(join(folder, "shout", "handler.py"), "utf8")).toBe("mine");
    expect(existsSync(join(cli.home, "config.json"))).toBe(false);
  });

  it("refuses what cannot run, in one sentence", async () => {
    const cli = makeCli();
    for (const words of [
      ["endpoint", "run", "nowhere"],
      ["endpoint", "run", "nowhere", "{not json"],
      ["endpoint", "health", "nowhere"],
      ["endpoint", "init", "../x"],
    ]) {
      const { code, stderr } = await cli.run(words);
      expect({ words, code, lines: stderr.trim().split("\n").length }).toEqual({ words, code: 2, lines: 1 });
    }
    expect((await cli.run(["endpoint", "list"])).stderr).toContain("longhaul endpoint init NAME");
  });
});
