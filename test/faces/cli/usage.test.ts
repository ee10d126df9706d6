import { describe, expect, it } from "vitest";
import { makeSharedCli } from "./cli.ts";

const cli = makeSharedCli();

describe("usage", () => {
  it("fits on one screen, grouped, when no command is given", async () => {
    const { code, stdout } = await cli.run([]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/Start +run .*\n(.*\n)*Look +ps .*\n(.*\n)*Server .*\n.*doctor/);
    expect(stdout.trimEnd().split("\n").length).toBeLessThanOrEqual(30);
    expect((await cli.run(["--help"])).stdout).toBe(stdout);
    expect((await cli.run(["help"])).stdout).toBe(stdout);
  });

  it("lists every command, those of groups and other names too, with --all", async () => {
    const { stdout } = await cli.run(["help", "--all"]);
    for (const line of [/^run /m, /^server stop /m, /^tail .*logs -f/m]) expect(stdout).toMatch(line);
    expect(stdout).not.toMatch(/^complete /m);
  });

  it("of one command shows its options", async () => {
    expect((await cli.run(["help", "run"])).stdout).toContain("--idle-timeout");
    expect((await cli.run(["server", "stop", "--help"])).stdout).toContain("--json");
    expect((await cli.run(["help", "server", "stop"])).stdout).toContain("--json");
  });

  it("starts no server", async () => {
    await cli.run(["--version"]);
    expect(cli.serverPid()).toBeUndefined();
  });
});

describe("what is not understood", () => {
  it.each([
    ["an unknown flag", ["run", "--detatch", "--", "true"], "Did you mean --detach?"],
    ["an unknown command", ["lgs"], "Did you mean logs?"],
    ["another word for a command", ["exec", "true"], "Did you mean run?"],
    ["another word for two", ["shutdown"], "Did you mean server stop?"],
    ["the beginning of a command", ["comp"], "Did you mean completions?"],
    ["a word like no command", ["xyzzy"], "longhaul help --all"],
    ["an unknown command in a group", ["server", "nope"], "longhaul server has status, stop, restart"],
    ["a group without a command", ["server"], "longhaul server status|stop|restart"],
    ["help for what there is not", ["help", "lgs"], "Did you mean logs?"],
    ["stop without a job", ["stop"], "longhaul server stop"],
    ["an option that kill does not need", ["kill", "-9", "abcd"], "by its id alone"],
    ["an option that kill does not have", ["kill", "--force", "abcd"], "longhaul kill 1a2b3c4d"],
    ["a missing argument", ["show"], "id"],
    ["a missing command", ["run"], "command"],
    ["a bad time", ["run", "--timeout", "soon", "--", "true"], "30s, 10m"],
    ["a bad number", ["ps", "--limit", "many"], "whole number from 1 to 1000"],
    ["a bad rate", ["map", "--rate", "fast", "http://example.org"], "number above 0"],
    ["a bad state", ["ps", "--state", "sleeping"], "queued, running"],
    ["a bad condition", ["run", "--ready", "soon", "--", "true"], "pattern=…, port=… or url=…"],
    ["an unknown shell", ["completions", "csh"], "bash, zsh, fish"],
    ["two targets", ["cancel", "abcd", "--batch", "b"], "not both"],
    ["no target", ["cancel"], "Say which jobs"],
    ["a filter that could mean more than was meant", ["cancel", "--tag", "t"], "--all-matching"],
    ["a variable that is not set", ["run", "--env", "NOT_SET_HERE", "--", "true"], "NAME=VALUE"],
  ])("exits with 2 and says what may have been meant: %s", async (_what, words, advice) => {
    const { code, stdout, stderr } = await cli.run(words);
    expect(stderr).toContain(advice);
    expect(stderr.trim().split("\n")).toHaveLength(1);
    expect([code, stdout]).toEqual([2, ""]);
  });

  it("is told as JSON where JSON was asked for", async () => {
    const { code, stderr } = await cli.run(["ps", "--json", "--lmit", "3"]);
    expect(code).toBe(2);
    expect(JSON.parse(stderr)).toEqual({
      error: { code: "invalid_input", message: expect.stringContaining("--limit") as string },
    });
  });
});

describe("what the server refuses", () => {
  it.each([
    ["an empty command", ["run", "--", " "], "command"],
    ["an empty name", ["run", "--name", "", "--", "true"], "error: --name must not be empty."],
    ["an unknown shell", ["run", "--shell", "zsh", "--", "true"], "--shell must be one of bash, sh"],
    ["a missing folder", ["run", "--cwd", "/nowhere/at/all", "--", "true"], "existing directory"],
    ["an unknown id", ["show", "deadbeef"], "no job"],
    ["an unknown name", ["logs", "nobody"], 'no job "nobody"'],
    ["an unknown job to run after", ["run", "--after", "nobody", "--", "true"], 'no job "nobody"'],
    ["an unknown kind", ["pause", "tea"], 'no kind "tea"'],
    ["an unknown stream name", ["logs", "nobody", "--stream", "STDOUT"], "no job"],
  ])("exits with 2 and creates nothing: %s", async (_what, words, reason) => {
    const { code, stdout, stderr } = await cli.run(words);
    expect(stderr).toContain(reason);
    expect([code, stdout]).toEqual([2, ""]);
  });

  it("exits with 2: a pattern that is none", async () => {
    const id = await cli.detach("true");
    expect(await cli.run(["logs", id, "--grep", "("])).toMatchObject({ code: 2 });
    expect((await cli.run(["wait", id, "--until", "("])).stderr).toContain("RE2");
  });

  it("exits with 2: text for a finished job", async () => {
    const id = await cli.detach("true");
    await cli.run(["wait", id]);
    expect(await cli.run(["send", id, "hello"])).toMatchObject({ code: 2 });
  });
});
