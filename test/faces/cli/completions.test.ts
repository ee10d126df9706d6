import { execFile, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, expect, it } from "vitest";
import { bin, makeSharedCli } from "./cli.ts";

const cli = makeSharedCli();
const folder = mkdtempSync(join(tmpdir(), "longhaul-completions-"));
let id = "";

beforeAll(async () => {
  id = await cli.detach("true", ["--name", "my-job"]);
  writeFileSync(join(folder, "longhaul"), `#!/bin/sh\nexec ${process.execPath} ${bin} "$@"\n`, { mode: 0o755 });
  mkdirSync(join(folder, "files", "chosen-folder"), { recursive: true });
  for (const shell of ["bash", "zsh", "fish"]) {
    writeFileSync(join(folder, shell), (await cli.run(["completions", shell])).stdout);
  }
  return () => rmSync(folder, { recursive: true, force: true });
});

async function inShell(shell: string, script: string): Promise<string[]> {
  const env = { ...process.env, LONGHAUL_HOME: cli.home, PATH: `${folder}:${process.env["PATH"] ?? ""}` };
  const run = promisify(execFile)(shell, ["-c", script], { env, cwd: join(folder, "files"), timeout: 60_000 });
  run.child.stdin?.end();
  return (await run).stdout.split("\n").filter((line) => line !== "");
}

/** What each shell offers for a line whose last word is not finished; none of these lines has quotes in it. */
const shells: Readonly<Record<string, (line: string) => Promise<string[]>>> = {
  bash: (line) => {
    const words = line.split(/[ ]|(?==)|(?<==)/).map((word) => `'${word}'`);
    const call = `COMP_WORDS=(${words.join(" ")}); COMP_CWORD=${words.length - 1}; _longhaul`;
    return inShell("bash", `source ${join(folder, "bash")}; ${call}; printf '%s\\n' "\${COMPREPLY[@]}"`);
  },
  // Somebody at a terminal of its own types the line and a tab; what is added to the list is written to a file as well.
  zsh: async (line) => {
    const own = mkdtempSync(join(folder, "zsh-"));
    const taken = join(own, "taken");
    const setup = join(own, "setup.zsh");
    writeFileSync(
      setup,
      `autoload -Uz compinit; compinit -D -u; source ${join(folder, "zsh")}
      compadd() {
        local -a hits
        if [[ " \${(j: :)@[1,(i)(-|--)]} " != *\\ -[OAD]\\ * ]]; then
          builtin compadd -A hits "$@"
          print -rl -- $hits >> ${taken}
        fi
        builtin compadd "$@"
      }
      finish() { exit }
      zle -N finish
      bindkey '^I' complete-word
      bindkey '^X' finish
      print ready`,
    );
    const type = `zmodload zsh/zpty; zpty shell zsh -f -i; zpty -w shell 'source ${setup}'
      zpty -r shell seen '*ready*'; zpty -w -n shell $'${line}\\t\\C-x'
      while zpty -r shell seen; do :; done; zpty -d shell`;
    await inShell("zsh", type);
    return existsSync(taken)
      ? readFileSync(taken, "utf8")
          .split("\n")
          .filter((word) => word !== "")
      : [];
  },
  fish: async (line) => {
    const found = await inShell("fish", `source ${join(folder, "fish")}; complete -C '${line}'`);
    return found.map((each) => each.split("\t")[0] ?? "");
  },
};

const installed = Object.entries(shells).filter(([shell]) => spawnSync(shell, ["--version"]).status === 0);

describe.concurrent.each(installed)("completions in %s", (_shell, complete) => {
  const offers = async (line: string): Promise<string[]> => [...new Set(await complete(line))].toSorted();

  it("know commands, those of a group too, and flags", async () => {
    expect(await offers("longhaul re")).toEqual(["remove", "rerun", "restart", "resume", "retry"]);
    expect(await offers("longhaul ta")).toEqual(["tail"]);
    expect(await offers("longhaul token cr")).toEqual(["create"]);
    expect(await offers("longhaul run --ti")).toEqual(["--timeout"]);
  });

  it("know clients, and states behind a comma or an equals sign", async () => {
    expect(await offers("longhaul add cl")).toEqual(["claude-code", "claude-desktop"]);
    expect(await offers("longhaul ps --state failed,r")).toEqual(["failed,running"]);
    expect((await offers("longhaul ps --state=ca")).map((word) => word.replace("--state=", ""))).toEqual(["cancelled"]);
  });

  it("know the kinds that the server has, and the ids and names of its jobs", async () => {
    const kinds = ["agent", "crawl", "endpoint", "page", "shell"];
    expect(await offers("longhaul pause ")).toEqual(expect.arrayContaining(kinds));
    expect(await offers("longhaul show ")).toEqual([id.slice(-8), "my-job"].toSorted());
    expect(await offers("longhaul run --after my")).toEqual(["my-job"]);
  });

  it("leave files, and the command to be run, to the shell", async () => {
    expect((await offers("longhaul run --cwd cho")).join("")).toContain("chosen-folder");
    expect(await offers("longhaul run -d -- mkfif")).toContain("mkfifo");
  });
});

it("completing starts no server, and finds what needs none", async () => {
  const env = { LONGHAUL_HOME: join(folder, "none") };
  expect(await cli.run(["complete", "--", "show", ""], { env })).toMatchObject({ code: 0, stdout: "" });
  expect((await cli.run(["complete", "--", "doc"], { env })).stdout).toContain("doctor\t");
  expect(existsSync(env.LONGHAUL_HOME)).toBe(false);
});
