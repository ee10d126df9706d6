import { mkdtempSync, readFileSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { AnswerOf } from "../../../src/operations/registry.ts";
import { until } from "../../until.ts";
import { makeSharedCli } from "./cli.ts";

const cli = makeSharedCli();

const show = (name: string): Promise<AnswerOf<"schedule_get">> => cli.client.call("schedule_get", { schedule: name });

describe("longhaul schedule", () => {
  it("runs a command at its times, where it was made and with its variables, and its jobs are found by it", async () => {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), "longhaul-schedule-")));
    const words = [
      "schedule",
      "add",
      "tick",
      "--every",
      "1s",
      "--env",
      "GREETING=hello",
      "--",
      'echo "$GREETING" >> ticks; pwd',
    ];
    const added = await cli.run(words, { cwd: folder });
    expect(added).toMatchObject({ code: 0, stderr: "" });
    expect(added.stdout).toMatch(/^Schedule tick runs every 1s, next (in .*|now)\.\n$/);
    await until(async () => (await show("tick")).counts.runs >= 2);
    await cli.run(["schedule", "pause", "tick"]);
    const { jobs } = await cli.json<AnswerOf<"job_list">>(["ps", "-a", "--schedule", "tick"]);
    expect(jobs.length).toBeGreaterThanOrEqual(2);
    const [job] = jobs;
    expect(job).toMatchObject({ name: "tick", schedule: "tick", cwd: folder });
    await cli.run(["wait", job?.id ?? ""]);
    expect(readFileSync(join(folder, "ticks"), "utf8")).toMatch(/^(hello\n){2,}$/);
    expect((await cli.run(["logs", job?.id ?? ""])).stdout).toBe(`${folder}\n`);
    expect((await cli.run(["show", job?.id ?? ""])).stdout).toMatch(/^schedule +tick$/m);
  });

  it("lists schedules, and shows one with its next times and what came of the last", async () => {
    await cli.run(["schedule", "add", "nightly", "--cron", "0 3 * * *", "--tz", "Europe/Berlin", "--", "exit 4"]);
    const ran = await cli.run(["schedule", "run", "nightly"]);
    expect(ran.code).toBe(4);
    const { stdout } = await cli.run(["schedule", "list"]);
    expect(stdout).toMatch(/^NAME +STATE +PLAN +NEXT +LAST +RUNS +COMMAND$/m);
    expect(stdout).toMatch(/^nightly +active +at "0 3 \* \* \*" \(Europe\/Berlin\) +in .* +failed .* +1 +exit 4$/m);
    const shown = (await cli.run(["schedule", "show", "nightly"])).stdout;
    expect(shown.match(/^(next)? +\d{4}-\d\d-\d\d 03:00:00 \(in .*\)$/gm)).toHaveLength(5);
    expect(shown).toMatch(/^last +.* by hand +[0-9a-f]{8} failed/m);
    expect((await cli.run(["schedule", "rm", "nightly"])).stdout).toBe(
      "Schedule nightly is deleted; jobs that it has started are left as they are.\n",
    );
    expect(await cli.run(["schedule", "show", "nightly"])).toMatchObject({ code: 2 });
  });

  it("plans a job of any kind, by the verb that starts it", async () => {
    const input = JSON.stringify({ urls: ["https://example.com/"], max_pages: 3 });
    const words = [
      "schedule",
      "add",
      "site",
      "--cron",
      "@weekly",
      "--missed",
      "skip",
      "--overlap",
      "--start",
      "crawl-site",
    ];
    const added = await cli.run([...words, "--input", input, "--json"]);
    expect(JSON.parse(added.stdout)).toMatchObject({
      kind: "crawl",
      cron: "@weekly",
      missed: "skip",
      overlap: true,
      tz: Intl.DateTimeFormat().resolvedOptions().timeZone,
    });
    await cli.run(["schedule", "rm", "site"]);
  });

  it("pauses and resumes", async () => {
    await cli.run(["schedule", "add", "later", "--every", "1h", "--", "true"]);
    await cli.run(["schedule", "pause", "later"]);
    expect((await cli.run(["schedule", "list"])).stdout).toMatch(/^later +paused +every 1h/m);
    expect((await cli.run(["schedule", "resume", "later"])).stdout).toMatch(/^Schedule later goes on, next in 5\dm/);
  });

  const cron = ["--cron", "0 3 * * *"];
  const refused: [string, readonly string[], string][] = [
    [
      "a cron line",
      ["bad", "--cron", "0 3 * *", "--", "true"],
      '--cron must be five fields such as "0 3 * * *", got "0 3 * *".',
    ],
    [
      "a time zone",
      ["bad", ...cron, "--tz", "Europe/Berln", "--", "true"],
      '--tz must be a time zone such as Europe/Berlin (did you mean Europe/Berlin?), got "Europe/Berln".',
    ],
    ["a name", ["", ...cron, "--", "true"], "name must not be empty."],
    ["a period", ["bad", "--every", "10ms", "--", "true"], "--every must be at least 1s, got 10ms."],
    [
      "an input",
      ["bad", ...cron, "--start", "crawl-site", "--input", "urls"],
      `--input must be a JSON object such as '{"urls":["https://example.com"]}', got "urls".`,
    ],
    ["nothing to run", ["bad", ...cron], "Say what to run: either a command after --, or --start with --input."],
    [
      "no plan",
      ["bad", "--", "true"],
      'The schedule must have either cron, such as "0 3 * * *", or every, such as 10m.',
    ],
  ];

  it.each(refused)("refuses a bad input in one sentence, and makes nothing: %s", async (_what, words, sentence) => {
    expect(await cli.run(["schedule", "add", ...words])).toEqual({
      code: 2,
      stdout: "",
      stderr: `error: ${sentence}\n`,
    });
    await expect(show("bad")).rejects.toMatchObject({ code: "not_found" });
  });
});
