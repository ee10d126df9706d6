import { describe, expect, it } from "vitest";
import { z } from "zod";
import { defineKind, type Engine } from "../../src/index.ts";
import { shellContract } from "../../src/kinds/shell/contract.ts";
import { Puppet } from "../engine/puppet.ts";
import { refusal, useWorld } from "../engine/world.ts";
import { call } from "./call.ts";

const world = useWorld();

const secretive = defineKind({
  name: "secretive",
  onInterrupt: "restart",
  input: z.object({ word: z.string() }),
  conceal: () => ({ word: "***" }),
  run: async ({ word }) => word,
});

async function open(): Promise<{ engine: Engine; puppet: Puppet }> {
  const puppet = new Puppet();
  const shell = defineKind({
    ...shellContract,
    onInterrupt: "fail",
    run: async () => ({ exit_code: 0, signal: null }),
  });
  return { puppet, engine: await world().openTimed([shell, puppet.kind, secretive]) };
}

const nightly = { name: "nightly", cron: "0 3 * * *", tz: "Europe/Berlin", input: { command: "make backup" } };

describe("schedule_add", () => {
  it("plans a command, and says when it runs next", async () => {
    const { engine } = await open();
    expect(await call(engine, "schedule_add", nightly, { by: "local (cli)" })).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{12}$/) as string,
      name: "nightly",
      owner: "local",
      state: "active",
      kind: "shell",
      summary: "make backup",
      cron: "0 3 * * *",
      tz: "Europe/Berlin",
      missed: "once",
      overlap: false,
      next_at: "2026-01-01T02:00:00.000Z",
      created_at: "2026-01-01T00:00:00.000Z",
      created_by: "local (cli)",
      counts: { runs: 0, missed: 0, overlap: 0, refused: 0 },
      input: { command: "make backup" },
      next: [1, 2, 3, 4, 5].map((day) => `2026-01-0${day}T02:00:00.000Z`),
      runs: [],
    });
  });

  it("plans a job of any kind by the operation that starts it, with all that every start takes", async () => {
    const { engine } = await open();
    const start = { start: "run-puppet", input: { label: "x", timeout_ms: 5_000, tags: ["t"], priority: 7 } };
    await call(engine, "schedule_add", { name: "often", every_ms: 10_000, ...start });
    await world().clock.advance(10_000);
    expect((await engine.list({})).jobs).toMatchObject([
      { kind: "puppet", name: "often", tags: ["t"], priority: 7, limits: { runMs: 5_000 } },
    ]);
  });

  it("takes this machine's time zone unless one is given", async () => {
    const { engine } = await open();
    const here = Intl.DateTimeFormat().resolvedOptions().timeZone;
    const { tz: _tz, ...request } = nightly;
    expect(await call(engine, "schedule_add", request)).toMatchObject({ tz: here });
  });

  it("shows no secret of its job, and gives it to the job all the same", async () => {
    const { engine } = await open();
    const request = { name: "often", every_ms: 10_000, start: "run_secretive", input: { word: "hush" } };
    expect(await call(engine, "schedule_add", request)).toMatchObject({ input: { word: "***" } });
    await world().clock.advance(10_000);
    const [job] = (await engine.list({})).jobs;
    expect(await engine.result(job?.id ?? "")).toBe("hush");
  });

  const sentences: [string, object, string][] = [
    [
      "a cron line that is too short",
      { cron: "0 3 * *" },
      'cron must be five fields such as "0 3 * * *", got "0 3 * *".',
    ],
    [
      "a cron line with a value that does not exist",
      { cron: "60 3 * * *" },
      'cron must be five fields such as "0 3 * * *": invalid value for minute: 60, got "60 3 * * *".',
    ],
    [
      "a day that never comes",
      { cron: "0 3 31 2 *" },
      'cron must name a time that comes, such as "0 3 * * *", got "0 3 31 2 *".',
    ],
    [
      "a misspelt time zone",
      { tz: "Europe/Berln" },
      'tz must be a time zone such as Europe/Berlin (did you mean Europe/Berlin?), got "Europe/Berln".',
    ],
    ["a name with nothing in it", { name: "" }, "name must not be empty."],
    [
      "two plans",
      { every_ms: 1_000 },
      'The schedule must have either cron, such as "0 3 * * *", or every, such as 10m.',
    ],
    ["no plan", { cron: undefined }, 'The schedule must have either cron, such as "0 3 * * *", or every, such as 10m.'],
    [
      "a time zone without a cron line",
      { cron: undefined, every_ms: 1_000 },
      "The schedule must have tz only together with cron.",
    ],
    [
      "a job that waits for something else",
      { input: { command: "true", delay_ms: 1 } },
      "The job of a schedule cannot wait for other jobs, be delayed, or have a key of its own: the schedule says when it starts.",
    ],
  ];

  it.each(sentences)("refuses %s in one sentence, and makes nothing", async (_what, change, message) => {
    const { engine } = await open();
    await expect(call(engine, "schedule_add", { ...nightly, ...change })).rejects.toMatchObject({ message });
    expect(await engine.schedules.list()).toEqual([]);
  });

  it("refuses a name that is taken, and leaves the one that has it", async () => {
    const { engine } = await open();
    await call(engine, "schedule_add", nightly);
    await expect(call(engine, "schedule_add", { ...nightly, cron: "0 4 * * *" })).rejects.toMatchObject(
      refusal("conflict", /already a schedule "nightly"/),
    );
    expect(await call(engine, "schedule_list")).toMatchObject({ schedules: [{ cron: "0 3 * * *" }] });
  });
});

describe("a schedule", () => {
  it("shows what came of its times, and its jobs name it", async () => {
    const { engine, puppet } = await open();
    await call(engine, "schedule_add", { name: "often", every_ms: 10_000, start: "run_puppet", input: {} });
    await world().clock.advance(20_000);
    const { jobs } = (await call(engine, "job_list", { schedule: "often" })) as { jobs: { id: string }[] };
    const job_id = jobs[0]?.id;
    expect(jobs).toMatchObject([{ schedule: "often", planned_at: "2026-01-01T00:00:10.000Z", state: "running" }]);
    expect(await call(engine, "schedule_get", { schedule: "often" })).toMatchObject({
      counts: { runs: 1, overlap: 1 },
      runs: [
        { planned_at: "2026-01-01T00:00:20.000Z", state: "skipped", skipped: "overlap" },
        { planned_at: "2026-01-01T00:00:10.000Z", state: "running", job_id },
      ],
    });
    const attempt = await puppet.next();
    attempt.fail(new Error("broken"));
    await engine.wait(job_id ?? "");
    await world().clock.advance(10_000);
    expect(await call(engine, "schedule_list")).toMatchObject({
      schedules: [{ name: "often", last: { state: "running", planned_at: "2026-01-01T00:00:30.000Z" } }],
    });
    expect(await call(engine, "schedule_get", { schedule: "often" })).toMatchObject({
      runs: [{}, {}, { state: "failed", job_id, ended_at: "2026-01-01T00:00:20.000Z" }],
    });
  });

  it("is paused, resumed, run and deleted by its name or id", async () => {
    const { engine } = await open();
    const { id } = (await call(engine, "schedule_add", nightly)) as { id: string };
    const paused = await call(engine, "schedule_pause", { schedule: "nightly" });
    expect(paused).toMatchObject({ state: "paused", paused_at: "2026-01-01T00:00:00.000Z" });
    expect(paused).not.toHaveProperty("next_at");
    expect(await call(engine, "schedule_get", { schedule: "nightly" })).toMatchObject({ next: [] });
    expect(await call(engine, "schedule_resume", { schedule: id })).toMatchObject({
      state: "active",
      next_at: "2026-01-01T02:00:00.000Z",
    });
    expect(await call(engine, "schedule_run", { schedule: "nightly", idempotency_key: "k" })).toMatchObject({
      schedule: "nightly",
    });
    expect(await call(engine, "schedule_run", { schedule: "nightly", idempotency_key: "k" })).toMatchObject({
      is_known: true,
    });
    expect(await call(engine, "schedule_delete", { schedule: "nightly" })).toMatchObject({ id });
    for (const name of ["get", "pause", "resume", "run", "delete"]) {
      await expect(call(engine, `schedule_${name}`, { schedule: "nightly" })).rejects.toMatchObject(
        refusal("not_found", /no schedule "nightly"/),
      );
    }
    await expect(call(engine, "job_list", { schedule: "nightly" })).rejects.toMatchObject(refusal("not_found"));
  });
});
