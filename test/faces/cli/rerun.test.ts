import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { JobView } from "../../../src/operations/job-view.ts";
import { makeSharedCli } from "./cli.ts";

const cli = makeSharedCli();

async function finish(command: string, words: readonly string[] = []): Promise<string> {
  const id = await cli.detach(command, words);
  await cli.run(["wait", id]);
  return id;
}

describe("rm", () => {
  it("removes finished jobs with their output, and says which", async () => {
    const id = await finish("echo hi", ["--name", "gone"]);
    expect((await cli.run(["rm", id])).stdout).toBe(`${id.slice(-8)} (gone)  removed\n`);
    const { code, stderr } = await cli.run(["logs", id]);
    expect([code, stderr]).toEqual([2, expect.stringContaining("it was removed at")]);
  });

  it("ends a running job first with -f alone", async () => {
    const id = await cli.detach("sleep 600");
    const refused = await cli.run(["rm", id]);
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining("is running: cancel it first")]);
    expect((await cli.run(["rm", "-f", id])).code).toBe(0);
    expect((await cli.run(["show", id])).code).toBe(2);
  });

  it("removes what a filter selects", async () => {
    await finish("true", ["--batch", "old"]);
    await finish("false", ["--batch", "old"]);
    expect(await cli.json(["rm", "--batch", "old"])).toMatchObject({ count: 2 });
    expect((await cli.run(["rm", "--batch", "old"])).stderr).toContain("No matching job has ended");
  });
});

describe("rerun", () => {
  it("runs a job again that has succeeded, as a new one, in the same place with the same variables", async () => {
    const id = await finish("echo $GREETING in $PWD", ["--name", "greet", "-e", "GREETING=hello", "--cwd", "/"]);
    expect(await cli.run(["rerun", id])).toMatchObject({ code: 0, stdout: "hello in /\n" });
    const [newest] = (await cli.json<{ jobs: JobView[] }>(["ps", "-a", "--name", "greet"])).jobs;
    expect(newest?.id).not.toBe(id);
  });

  it("changes fields of the input, those that are not shown too", async () => {
    const id = await finish("echo $PASSWORD $OTHER; exit 3", ["-e", "PASSWORD=hidden-secret", "-e", "OTHER=one"]);
    const { code, stdout } = await cli.run(["rerun", id, "--set", "env.OTHER=two"]);
    expect([code, stdout]).toEqual([3, "hidden-secret two\n"]);
    expect((await cli.run(["rerun", id, "--set", "command=echo other"])).stdout).toBe("other\n");
    for (const [pair = "", advice] of [
      ["command", "field=value"],
      ["colour=red", "colour"],
    ]) {
      const refused = await cli.run(["rerun", id, "--set", pair]);
      expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining(advice ?? "")]);
    }
  });

  it("lets the input be changed in an editor, and starts nothing where that comes to nothing", async () => {
    const id = await finish("echo before", ["--name", "edited"]);
    const editor = join(cli.home, "editor.sh");
    const edit = async (script: string): Promise<{ code: number | null; stdout: string; stderr: string }> => {
      await writeFile(editor, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
      return cli.run(["rerun", "--edit", id], { env: { VISUAL: "", EDITOR: editor } });
    };
    expect(await edit('sed -i s/before/after/ "$1"')).toMatchObject({ code: 0, stdout: "after\n" });
    const count = async (): Promise<number> => (await cli.json<{ jobs: JobView[] }>(["ps", "-a"])).jobs.length;
    const jobs = await count();
    for (const [script, reason] of [
      ["true", "Nothing was changed"],
      ['printf "" > "$1"', "The file is empty"],
      ["exit 3", "ended with exit code 3"],
    ] as const) {
      const { code, stderr } = await edit(script);
      expect([code, stderr]).toEqual([2, expect.stringContaining(reason)]);
    }
    const { stderr } = await edit('echo "{ not json" > "$1"');
    const [, kept = ""] = /What you wrote is in (.*)\n/.exec(stderr) ?? [];
    expect(await readFile(kept, "utf8")).toBe("{ not json\n");
    expect(await count()).toBe(jobs);
  });

  it("of a job that has not ended names restart", async () => {
    const id = await cli.detach("sleep 600");
    expect((await cli.run(["rerun", id])).stderr).toContain(`longhaul restart ${id}`);
  });
});

describe("restart", () => {
  it("ends a job that runs and runs it again under its id", async () => {
    const id = await cli.detach("sleep 600", ["--name", "service"]);
    expect((await cli.run(["restart", "service"])).stdout).toContain("runs again: attempt 2");
    expect(await cli.client.call("job_get", { id })).toMatchObject({ attempt: 2 });
    await cli.run(["cancel", id]);
  });

  it("makes a new job of one that has succeeded", async () => {
    const id = await finish("true");
    expect((await cli.run(["restart", id])).stdout).toContain("runs again: a new job");
  });

  it("without a job names how to restart the server", async () => {
    const { code, stderr } = await cli.run(["restart"]);
    expect([code, stderr]).toEqual([2, expect.stringContaining("longhaul server restart")]);
  });
});
