import { describe, expect, it } from "vitest";
import type { Engine, Job, LogEntry, Schedule, ScheduleRequest } from "../../../src/index.ts";
import { present } from "../../present.ts";
import { until } from "../../until.ts";
import { Puppet } from "../puppet.ts";
import { useWorld } from "../world.ts";

const world = useWorld();
const minute = 60_000;
const hour = 60 * minute;

interface Planned {
  readonly engine: Engine;
  readonly puppet: Puppet;
  readonly schedule: Schedule;
}

async function plan(request: Partial<ScheduleRequest>, log?: (entry: LogEntry) => void): Promise<Planned> {
  const puppet = new Puppet();
  const engine = await world().openTimed([puppet.kind], log === undefined ? {} : { log });
  const job = { kind: "puppet", input: { label: "planned" } };
  const schedule = await engine.schedules.add({ name: "nightly", job, ...request });
  return { engine, puppet, schedule };
}

/** The machine sleeps, or somebody sets the clock; it is noticed within a minute. */
async function sleepThrough(durationMs: number): Promise<void> {
  world().clock.jump(durationMs);
  await world().clock.advance(minute);
}

async function jobsOf(engine: Engine, { id }: Schedule): Promise<Job[]> {
  return (await engine.list({ schedule: id }, { limit: 1_000 })).jobs;
}

/** The planned times that came to a job, and those that did not; jobs themselves are not kept for long. */
async function timesOf(engine: Engine, { name }: Schedule): Promise<string[]> {
  const runs = await engine.schedules.runs(name, 1_000);
  return runs.flatMap((run) => (run.status === "skipped" ? [] : toIso(run.plannedAt))).toReversed();
}

async function skipsOf(engine: Engine, { name }: Schedule): Promise<[string, string][]> {
  const runs = await engine.schedules.runs(name, 1_000);
  const skips = runs.flatMap((run): [string, string][] =>
    run.status === "skipped" ? [[toIso(run.plannedAt), run.skip]] : [],
  );
  return skips.toReversed();
}

function toIso(time: number | undefined): string {
  return new Date(time ?? 0).toISOString();
}

async function finishNext(puppet: Puppet, engine: Engine): Promise<void> {
  const { context, succeed } = await puppet.next();
  succeed();
  await until(async () => (await engine.get(context.id)).state.status === "succeeded");
}

describe("a schedule", () => {
  it("starts its job at each planned time, and not before", async () => {
    const { engine, puppet, schedule } = await plan({ everyMs: 10_000 });
    await world().clock.advance(9_999);
    expect(await jobsOf(engine, schedule)).toEqual([]);
    await world().clock.advance(1);
    const [job] = await jobsOf(engine, schedule);
    expect(job).toMatchObject({
      name: "nightly",
      owner: "local",
      schedule: { id: schedule.id, name: "nightly", plannedAt: schedule.createdAt + 10_000 },
    });
    await finishNext(puppet, engine);
    await world().clock.advance(10_000);
    expect(await jobsOf(engine, schedule)).toHaveLength(2);
    expect(await engine.schedules.get("nightly")).toMatchObject({ counts: { runs: 2 } });
  });

  it("by a cron line runs in its time zone, once on the days when clocks are changed", async () => {
    world().clock.jump(Date.UTC(2026, 2, 28, 12) - world().clock.now());
    const { engine, puppet, schedule } = await plan({ cron: "30 2 * * *", tz: "Europe/Berlin" });
    const wakeAt = async (time: number): Promise<void> => {
      await sleepThrough(time - minute - world().clock.now());
    };
    for (const time of [Date.UTC(2026, 2, 29, 1), Date.UTC(2026, 2, 30, 0, 30)]) {
      await wakeAt(time);
      await finishNext(puppet, engine);
    }
    expect(await timesOf(engine, schedule)).toEqual(["2026-03-29T01:00:00.000Z", "2026-03-30T00:30:00.000Z"]);
    await engine.schedules.pause("nightly");
    world().clock.jump(Date.UTC(2026, 9, 24, 12) - world().clock.now());
    await engine.schedules.resume("nightly");
    for (const time of [Date.UTC(2026, 9, 25, 0, 30), Date.UTC(2026, 9, 25, 1, 30), Date.UTC(2026, 9, 26, 1, 30)]) {
      await wakeAt(time);
      if ((await engine.list({ schedule: schedule.id, status: ["running"] })).jobs.length > 0)
        await finishNext(puppet, engine);
    }
    expect((await timesOf(engine, schedule)).slice(2)).toEqual([
      "2026-10-25T00:30:00.000Z",
      "2026-10-26T01:30:00.000Z",
    ]);
    expect(await skipsOf(engine, schedule)).toEqual([]);
  });

  it("goes on after a restart, with what was missed meanwhile run once", async () => {
    const { puppet, schedule } = await plan({ cron: "0 * * * *", tz: "UTC" });
    await world().stop();
    world().clock.jump(3 * hour + 10 * minute);
    const engine = await world().openTimed([puppet.kind]);
    await finishNext(puppet, engine);
    expect(await timesOf(engine, schedule)).toEqual(["2026-01-01T03:00:00.000Z"]);
    expect(await skipsOf(engine, schedule)).toEqual([
      ["2026-01-01T01:00:00.000Z", "missed"],
      ["2026-01-01T02:00:00.000Z", "missed"],
    ]);
    expect(await engine.schedules.get("nightly")).toMatchObject({ nextAt: Date.UTC(2026, 0, 1, 4) });
  });

  it("leaves out what was missed when it is told to", async () => {
    const { engine, schedule } = await plan({ cron: "0 * * * *", tz: "UTC", missed: "skip" });
    await sleepThrough(2 * hour + 10 * minute);
    expect(await jobsOf(engine, schedule)).toEqual([]);
    expect(await engine.schedules.get("nightly")).toMatchObject({
      counts: { missed: 2 },
      nextAt: Date.UTC(2026, 0, 1, 3),
    });
  });

  it("makes up for all that was missed, one after the other", async () => {
    const { engine, puppet, schedule } = await plan({ cron: "0 * * * *", tz: "UTC", missed: "all" });
    await sleepThrough(3 * hour);
    for (let run = 1; run <= 3; run++) {
      await finishNext(puppet, engine);
      const started = Math.min(run + 1, 3);
      await until(async () => (await jobsOf(engine, schedule)).length === started);
    }
    expect(await timesOf(engine, schedule)).toEqual([1, 2, 3].map((each) => `2026-01-01T0${each}:00:00.000Z`));
  });

  it("makes up for all at once where runs may overlap, and for no more than a hundred", async () => {
    const { engine, schedule } = await plan({ everyMs: minute, missed: "all", overlap: true });
    await sleepThrough(1_000 * minute);
    const { counts } = await engine.schedules.get("nightly");
    expect(counts).toMatchObject({ runs: 100, missed: 1 });
    const [newest] = await jobsOf(engine, schedule);
    expect(newest?.schedule?.plannedAt).toBe(schedule.createdAt + 1_001 * minute);
  });

  it("does not start a job while the one before is not over, and says so", async () => {
    const { engine, puppet, schedule } = await plan({ everyMs: 10_000 });
    await world().clock.advance(20_000);
    expect(puppet.started).toEqual(["planned"]);
    expect(await skipsOf(engine, schedule)).toEqual([["2026-01-01T00:00:20.000Z", "overlap"]]);
    await finishNext(puppet, engine);
    await world().clock.advance(10_000);
    expect(puppet.started).toHaveLength(2);
    expect(await engine.schedules.get("nightly")).toMatchObject({ counts: { runs: 2, overlap: 1 } });
  });

  it("starts jobs that overlap where they may", async () => {
    const { puppet } = await plan({ everyMs: 10_000, overlap: true });
    await world().clock.advance(30_000);
    expect(puppet.started).toHaveLength(3);
  });

  it("that is paused misses nothing, and goes on with the next time", async () => {
    const { engine, schedule } = await plan({ cron: "0 * * * *", tz: "UTC", missed: "all" });
    expect(await engine.schedules.pause("nightly")).toMatchObject({ pause: { at: schedule.createdAt } });
    await sleepThrough(5 * hour);
    await engine.schedules.resume("nightly");
    await world().clock.advance(minute);
    expect(await jobsOf(engine, schedule)).toEqual([]);
    const { counts, nextAt } = await engine.schedules.get("nightly");
    expect([counts.missed, nextAt]).toEqual([0, Date.UTC(2026, 0, 1, 6)]);
  });

  it("is not put off for years when the clock was wrong for a while, and runs no time twice", async () => {
    const { engine, puppet, schedule } = await plan({ cron: "0 * * * *", tz: "UTC" });
    await sleepThrough(24 * 365 * hour);
    await finishNext(puppet, engine);
    await sleepThrough(-24 * 365 * hour);
    expect(await engine.schedules.get("nightly")).toMatchObject({ nextAt: Date.UTC(2026, 0, 1, 1) });
    await sleepThrough(hour);
    await finishNext(puppet, engine);
    expect(await timesOf(engine, schedule)).toEqual(["2027-01-01T00:00:00.000Z", "2026-01-01T01:00:00.000Z"]);
    await sleepThrough(-hour);
    await sleepThrough(hour);
    expect(await timesOf(engine, schedule)).toHaveLength(2);
  });

  it("whose job is refused says why, and tries again at its next time", async () => {
    const log: LogEntry[] = [];
    const { puppet, schedule } = await plan({ everyMs: 10_000 }, (entry) => log.push(entry));
    await world().stop();
    const without = await world().openTimed([], { log: (entry) => log.push(entry) });
    await world().clock.advance(10_000);
    const [refused] = await without.schedules.runs("nightly", 1);
    expect(refused).toMatchObject({
      status: "skipped",
      skip: "refused",
      reason: expect.stringContaining("no kind") as string,
    });
    expect(log.map(({ message }) => message)).toContain("a scheduled job was refused");
    await world().stop();
    const engine = await world().openTimed([puppet.kind]);
    await world().clock.advance(10_000);
    expect(await jobsOf(engine, schedule)).toHaveLength(1);
  });

  it("keeps no timer when its engine has stopped", async () => {
    await plan({ everyMs: 10_000 });
    await world().stop();
    expect(world().clock.waiting).toBe(0);
  });

  it("that is removed starts nothing more, and leaves its jobs", async () => {
    const { engine, puppet } = await plan({ everyMs: 10_000 });
    await world().clock.advance(10_000);
    await engine.schedules.remove("nightly");
    await world().clock.advance(30_000);
    expect(puppet.started).toHaveLength(1);
    expect((await engine.get(present(puppet.attempts[0]).context.id)).state.status).toBe("running");
  });

  it("run by hand starts its job at once and leaves the plan as it is", async () => {
    const { engine, puppet, schedule } = await plan({ everyMs: 10_000 });
    const { job } = await engine.schedules.run("nightly", {}, "key");
    expect(job.schedule).toEqual({ id: schedule.id, name: "nightly" });
    expect(await engine.schedules.run("nightly", {}, "key")).toMatchObject({ isDuplicate: true, job: { id: job.id } });
    await expect(engine.schedules.run("nightly")).rejects.toMatchObject({ code: "conflict" });
    await finishNext(puppet, engine);
    expect(await engine.schedules.get("nightly")).toMatchObject({ nextAt: schedule.nextAt, counts: { runs: 1 } });
  });
});
