import { beforeAll, describe, expect, it } from "vitest";
import { until } from "../../until.ts";
import { makeSharedCli } from "./cli.ts";

const cli = makeSharedCli();
const ids: Record<string, string> = {};

/** A job of each sort: what runs is the oldest, and a queue of others comes after it. */
beforeAll(async () => {
  ids["ended"] = await cli.detach("true", ["--name", "ended"]);
  await cli.run(["wait", "ended"]);
  ids["running"] = await cli.detach("sleep 600", ["--name", "running"]);
  await until(async () => (await cli.client.call("job_get", { id: "running" })).state === "running");
  ids["delayed"] = await cli.detach("true", ["--name", "delayed", "--delay", "1h"]);
  ids["blocked"] = await cli.detach("true", ["--name", "blocked", "--after", "running"]);
  await cli.run(["pause", "shell"]);
  ids["first"] = await cli.detach("true", ["--name", "first"]);
  ids["second"] = await cli.detach("true", ["--name", "second"]);
});

describe("ps", () => {
  it("shows what runs first, then the queue from its head with why it waits, then what ended, then the totals", async () => {
    const { stdout } = await cli.run(["ps"]);
    const lines = stdout.trimEnd().split("\n");
    const names = lines.map((line) => /running|delayed|blocked|first|second|ended/.exec(line.slice(20))?.[0]);
    expect(names.slice(1, -1)).toEqual(["running", "first", "second", "delayed", "blocked", "ended"]);
    expect(lines.at(-1)).toBe("1 running, 4 queued, 1 ended");
    const lineOf = (name: string): string | undefined => lines[names.indexOf(name)];
    expect(lineOf("first")).toContain('kind "shell" is paused');
    expect(lineOf("second")).toContain('1 job ahead, kind "shell" is paused');
  });

  it("prints full ids alone with -q, as many as -n says, also under another name", async () => {
    expect((await cli.run(["ps", "-q", "-n", "2"])).stdout).toBe(`${ids["running"]}\n${ids["first"]}\n`);
    expect((await cli.run(["list", "-q", "--name", "ended"])).stdout).toBe(`${ids["ended"]}\n`);
  });

  it("says so when no job is in the state that was asked for", async () => {
    expect(await cli.run(["ps", "--state", "waiting"])).toEqual({
      code: 0,
      stdout: "",
      stderr: "No job is waiting.\n",
    });
    expect((await cli.run(["ps", "--state", "failed,timed_out", "--tag", "x"])).stderr).toBe(
      "No matching job is failed or timed out.\n",
    );
  });

  it("watches only on a terminal, and says so in one sentence elsewhere", async () => {
    for (const words of [["ps", "-w"], ["watch"]]) {
      const { code, stdout, stderr } = await cli.run(words);
      expect([code, stdout]).toEqual([2, ""]);
      expect(stderr).toBe("error: Watching needs a terminal; here use: longhaul ps\n");
    }
  });
});

describe("why a job is queued", () => {
  it("is told by show too, with its place in the queue", async () => {
    expect(await cli.json(["show", "second"])).toMatchObject({ reason: 'kind "shell" is paused', jobs_ahead: 1 });
    await cli.run(["resume", "shell"]);
    expect((await cli.json<{ reason: string }>(["show", "delayed"])).reason).toMatch(/its start is due in \d+ s/);
    expect((await cli.run(["ps"])).stdout).toMatch(/blocked .*it waits for 1 other job \(running\)/);
  });
});
