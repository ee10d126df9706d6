import { describe, expect, it } from "vitest";
import type { Progress } from "../../src/index.ts";
import { Puppet, type StartedJob } from "./puppet.ts";
import { stateOf, untilStatus, useWorld } from "./world.ts";

const world = useWorld();

async function start(puppet = new Puppet()): Promise<StartedJob> {
  return puppet.start(await world().openTimed([puppet.kind]));
}

async function progressOf({ engine, id }: StartedJob): Promise<Progress | undefined> {
  return (await stateOf(engine, id, "running")).progress;
}

async function progressEvents({ engine, id }: StartedJob): Promise<Progress[]> {
  const events = await engine.events(id, 0, 1_000);
  return events.flatMap((event) => (event.type === "progress-made" ? [event.progress] : []));
}

describe("progress", () => {
  it("is shown in the state of the job and told as an event", async () => {
    const started = await start();
    const progress = { percent: 40, phase: "crawl", message: "page 2 of 5", counts: { done: 2, total: 5 } };
    started.attempt.context.progress(progress);
    await world().clock.advance(100);
    expect(await progressOf(started)).toEqual(progress);
    expect(await progressEvents(started)).toEqual([progress]);
  });

  it("never goes back within an attempt: a lower percent is raised to the one before", async () => {
    const started = await start();
    for (const percent of [10, 50, 30, 60, 20]) {
      started.attempt.context.progress({ percent });
      await world().clock.advance(100);
    }
    expect((await progressEvents(started)).map(({ percent }) => percent)).toEqual([10, 50, 60]);
    expect(await progressOf(started)).toEqual({ percent: 60 });
  });

  it("keeps the percent where a report leaves it out, and replaces the rest", async () => {
    const started = await start();
    started.attempt.context.progress({ percent: 40, message: "before", counts: { done: 1 } });
    started.attempt.context.progress({ phase: "next" });
    await world().clock.advance(100);
    expect(await progressOf(started)).toEqual({ percent: 40, phase: "next" });
  });

  it.each([
    [-5, 0],
    [250, 100],
    [Number.POSITIVE_INFINITY, 100],
    [Number.NaN, undefined],
  ])("stays within 0 to 100: %d is kept as %s", async (reported, kept) => {
    const started = await start();
    started.attempt.context.progress({ percent: reported, message: "odd" });
    await world().clock.advance(100);
    const { percent, message } = (await progressOf(started)) ?? {};
    expect({ percent, message }).toEqual({ percent: kept, message: "odd" });
  });

  it("is gathered: of many reports in a moment the last one counts", async () => {
    const started = await start();
    for (let step = 1; step <= 1_000; step++) {
      started.attempt.context.progress({ percent: step / 20, message: `step ${step}` });
    }
    await world().clock.advance(100);
    expect(await progressEvents(started)).toEqual([{ percent: 50, message: "step 1000" }]);
  });

  it("makes a bounded number of events, however often it is reported", async () => {
    const started = await start();
    for (let step = 1; step <= 2_000; step++) {
      started.attempt.context.progress({ percent: step / 100, message: `step ${step}` });
      if (step % 4 === 0) await world().clock.advance(100);
    }
    const events = await progressEvents(started);
    expect(events.length).toBeLessThanOrEqual(32);
    expect(events.at(-1)?.percent).toBeGreaterThanOrEqual(19);
    expect(await progressOf(started)).toEqual({ percent: 20, message: "step 2000" });
  });

  it("without a percent is an event every few seconds", async () => {
    const started = await start();
    for (let second = 0; second < 20; second++) {
      started.attempt.context.progress({ message: `second ${second}` });
      await world().clock.advance(1_000);
    }
    const { length } = await progressEvents(started);
    expect(length).toBeGreaterThanOrEqual(3);
    expect(length).toBeLessThanOrEqual(5);
  });

  it("is an event whenever the phase changes", async () => {
    const started = await start();
    for (const phase of ["fetch", "parse", "fetch"]) {
      started.attempt.context.progress({ phase });
      await world().clock.advance(100);
    }
    expect((await progressEvents(started)).map(({ phase }) => phase)).toEqual(["fetch", "parse", "fetch"]);
  });

  it("reported just before the end is not lost: the finished job shows it, and the event comes before the end", async () => {
    const started = await start();
    started.attempt.context.progress({ percent: 99 });
    started.attempt.succeed();
    const { engine, id } = started;
    await untilStatus(engine, id, "succeeded");
    expect((await stateOf(engine, id, "succeeded")).progress).toEqual({ percent: 99 });
    const events = await engine.events(id);
    expect(events.map(({ type }) => type).slice(-2)).toEqual(["progress-made", "job-finished"]);
  });

  it("begins anew with the next attempt", async () => {
    const backoff = { initialMs: 1_000, factor: 1, maxMs: 1_000, jitter: 0 };
    const started = await start(new Puppet({ limits: { attempts: 2, backoff } }));
    const { engine, puppet, id } = started;
    started.attempt.context.progress({ percent: 80 });
    started.attempt.fail(new Error("broken"));
    await untilStatus(engine, id, "queued");
    await world().clock.advance(1_000);
    const second = await puppet.next();
    expect(await progressOf(started)).toBeUndefined();
    second.context.progress({ percent: 5 });
    await world().clock.advance(100);
    expect(await progressOf(started)).toEqual({ percent: 5 });
  });

  it("goes on from where it was when another engine adopts the attempt", async () => {
    const puppet = new Puppet({ onInterrupt: "adopt" });
    const started = await start(puppet);
    started.attempt.context.progress({ percent: 80 });
    await world().clock.advance(100);
    const engine = await world().reopen();
    const adopted = await puppet.next();
    adopted.context.progress({ percent: 5 });
    await world().clock.advance(100);
    expect(await progressOf({ ...started, engine })).toEqual({ percent: 80 });
  });
});

describe("log messages", () => {
  it("are events with their level, in order", async () => {
    const { engine, id, attempt } = await start();
    attempt.context.log("plain");
    attempt.context.log("careful", "warn");
    attempt.succeed();
    await untilStatus(engine, id, "succeeded");
    expect((await engine.events(id)).slice(2, 4)).toMatchObject([
      { type: "message-logged", level: "info", message: "plain" },
      { type: "message-logged", level: "warn", message: "careful" },
    ]);
  });

  it("are bounded in number and in length, and the last one says that more are not kept", async () => {
    const { engine, id, attempt } = await start();
    attempt.context.log("x".repeat(100_000));
    for (let count = 1; count < 6_000; count++) attempt.context.log(`message ${count}`);
    attempt.succeed();
    await untilStatus(engine, id, "succeeded");
    expect(await engine.get(id)).toMatchObject({ lastSeq: 5_003 });
    const [first] = await engine.events(id, 2, 1);
    expect(first).toMatchObject({ message: "x".repeat(8_000) });
    expect(await engine.events(id, 5_001)).toMatchObject([
      { type: "message-logged", message: expect.stringContaining("not kept") as string },
      { type: "job-finished" },
    ]);
  });
});
