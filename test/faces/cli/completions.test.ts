import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { bin, makeSharedCli } from "./cli.ts";

const cli = makeSharedCli();
const folder = mkdtempSync(join(tmpdir(), "longhaul-completions-"));
let id = "";

beforeAll(async () => {
  id = await cli.detach("true", ["--name", "my-job"]);
  writeFileSync(join(folder, "longhaul"), `#!/bin/sh\nexec ${process.execPath} ${bin} "$@"\n`, { mode: 0o755 });
  for (const shell of ["bash", "zsh", "fish"]) {
    writeFileSync(join(folder, shell), (await cli.run(["completions", shell])).stdout);
  }
  return () => rmSync(folder, { recursive: true, force: true });
});

function has(shell: string): boolean {
  return spawnSync(shell, ["--version"]).status === 0;
}

function inShell(shell: string, script: string): string[] {
  const env = { ...process.env, LONGHAUL_HOME: cli.home, PATH: `${folder}:${process.env["PATH"] ?? ""}` };
  return execFileSync(shell, ["-c", script], { encoding: "utf8", env }).trim().split("\n");
}

function inBash(...words: string[]): string[] {
  const line = words.map((word) => `'${word}'`).join(" ");
  const call = `COMP_WORDS=(longhaul ${line}); COMP_CWORD=${words.length}; _longhaul`;
  return inShell("bash", `source ${join(folder, "bash")}; ${call}; printf '%s\\n' "\${COMPREPLY[@]}"`);
}

function inFish(line: string): string[] {
  const found = inShell("fish", `source ${join(folder, "fish")}; complete -C '${line}'`);
  return found.map((each) => each.split("\t")[0] ?? "");
}

describe("completions for bash", () => {
  it("know commands and flags", () => {
    expect(inBash("re")).toEqual(["retry", "resume", "remove"]);
    expect(inBash("server", "st")).toEqual(["status", "stop"]);
    expect(inBash("run", "--ti")).toEqual(["--timeout"]);
    expect(inBash("add", "cl")).toEqual(["claude-code", "claude-desktop"]);
  });

  it("know the ids and names of jobs", () => {
    expect(inBash("show", "").toSorted()).toEqual([id.slice(-8), "my-job"].toSorted());
    expect(inBash("logs", "my")).toEqual(["my-job"]);
    expect(inBash("run", "--after", "my")).toEqual(["my-job"]);
  });
});

describe.runIf(has("fish"))("completions for fish", () => {
  it("know commands, flags and jobs", () => {
    expect(inFish("longhaul re")).toEqual(["remove", "resume", "retry"]);
    expect(inFish("longhaul server st")).toEqual(["status", "stop"]);
    expect(inFish("longhaul run --ti")).toEqual(["--timeout"]);
    expect(inFish("longhaul show my")).toEqual(["my-job"]);
  });
});

describe.runIf(has("zsh"))("completions for zsh", () => {
  it("are read without complaint", () => {
    const script = `autoload -Uz compinit; compinit -D -u; source ${join(folder, "zsh")}; print $_comps[longhaul]`;
    expect(inShell("zsh", script)).toEqual(["_longhaul"]);
  });
});

it("completing starts no server", async () => {
  const { stdout } = await cli.run(["ps", "--json", "--no-start"], { env: { LONGHAUL_HOME: join(folder, "none") } });
  expect(JSON.parse(stdout)).toEqual({ jobs: [] });
});
