import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createEngine } from "../../src/engine/engine.ts";
import type { Engine, WaitOptions, WaitResult } from "../../src/index.ts";
import { openSqliteStore } from "../../src/store/sqlite/open.ts";
import type { Store } from "../../src/store/store.ts";
import { turns } from "./fake-clock.ts";
import { Puppet, type StartedJob } from "./puppet.ts";
import { refusal, untilStatus, useWorld } from "./world.ts";

const world = useWorld();

async function start(): Promise<StartedJob> {
  const puppet = new Puppet();
  return puppet.start(await world().open([puppet.kind]));
}

/** A wait that has begun, and whether it has ended. */
async function begin(
  engine: Engine,
  ids: string | string[],
  options: WaitOptions,
): Promise<{ result: Promise<WaitResult>; isOver: () => boolean }> {
  let isOver = false;
  const result = engine.wait(ids, options).finally(() => {
    isOver = true;
  });
  await turns();
  return { result, isOver: () => isOver };
}

describe("waiting until a job has finished", () => {
  it("ends with its end, and returns the job", async () => {
    const { engine, id, attempt } = await start();
    const { result, isOver } = await begin(engine, id, {});
    attempt.context.log("not an end");
    attempt.context.output().write("not an end\n");
    await turns();
    expect(isOver()).toBe(false);
    attempt.succeed();
    const { isReached, met, jobs } = await result;
    expect({ isReached, met }).toEqual({ isReached: true, met: [id] });
    expect(jobs).toEqual([await engine.get(id)]);
  });

  it("answers at once for a job that has ended", async () => {
    const { engine, id, attempt } = await start();
    attempt.fail(new Error("broken"));
    await untilStatus(engine, id, "failed");
    expect(await engine.wait(id, { timeoutMs: 0 })).toMatchObject({ isReached: true, met: [id] });
  });

  it("goes on over a retry: an attempt that fails is not the end", async () => {
    const puppet = new Puppet({ limits: { attempts: 2 } });
    const engine = await world().openTimed([puppet.kind]);
    const { id } = await engine.submit({ kind: "puppet", input: {} });
    const { result, isOver } = await begin(engine, id, {});
    (await puppet.next()).fail(new Error("broken"));
    await untilStatus(engine, id, "queued");
    await turns();
    expect(isOver()).toBe(false);
    await world().clock.advance(1_000);
    (await puppet.next()).succeed();
    expect((await result).jobs[0]?.state.status).toBe("succeeded");
  });

  it("makes do without hints, which may get lost: it looks by itself from time to time", async () => {
    const puppet = new Puppet();
    const { clock, home } = world();
    const store = await openSqliteStore({ file: join(home, "longhaul.db") });
    const deaf: Store = { ...store, subscribe: () => () => undefined };
    const engine = await createEngine({ store: deaf, kinds: [puppet.kind], clock, pollMs: 2_000 });
    const { id } = await engine.submit({ kind: "puppet", input: {} });
    const { result, isOver } = await begin(engine, id, {});
    (await puppet.next()).succeed();
    await untilStatus(engine, id, "succeeded");
    await turns();
    expect(isOver()).toBe(false);
    await clock.advance(2_000);
    expect((await result).isReached).toBe(true);
    await engine.stop();
  });

  it("ends for all who wait for the same job", async () => {
    const { engine, id, attempt } = await start();
    const waits = await Promise.all(Array.from({ length: 50 }, () => begin(engine, id, {})));
    attempt.succeed();
    for (const { result } of waits) expect((await result).isReached).toBe(true);
  });
});

describe("waiting", () => {
  it("for a question ends when the job asks", async () => {
    const { engine, id, attempt } = await start();
    const { result, isOver } = await begin(engine, id, { until: "question" });
    attempt.context.log("not a question");
    await turns();
    expect(isOver()).toBe(false);
    void attempt.context.ask({ message: "Sure?" }).catch(() => undefined);
    expect(await result).toMatchObject({ isReached: true, met: [id], jobs: [{ state: { status: "waiting" } }] });
  });

  it("for output ends when there is more than at the beginning", async () => {
    const { engine, id, attempt } = await start();
    attempt.context.output().write("old\n");
    await engine.wait(id, { until: { pattern: /old/ } });
    const { result, isOver } = await begin(engine, id, { until: "output" });
    expect(isOver()).toBe(false);
    attempt.context.output("stderr").write("new\n");
    expect(await result).toMatchObject({ isReached: true, met: [id] });
  });

  it("for a pattern ends when a line of any stream passes, also one written before", async () => {
    const { engine, id, attempt } = await start();
    const { result, isOver } = await begin(engine, id, { until: { pattern: /listening on \d+$/ } });
    attempt.context.output().write("starting\nlisten");
    await engine.wait(id, { until: { pattern: /^listen/ } });
    expect(isOver()).toBe(false);
    attempt.context.output().write("ing on 8080\nmore\n");
    expect(await result).toMatchObject({ isReached: true, met: [id] });
    expect(await engine.wait(id, { until: { pattern: /^starting$/ } })).toMatchObject({ isReached: true });
    attempt.context.output("stderr").write("warning\n");
    expect(await engine.wait(id, { until: { pattern: /^warning$/ } })).toMatchObject({ isReached: true });
  });

  it("for a pattern finds letters that arrive in pieces", async () => {
    const { engine, id, attempt } = await start();
    const { result } = await begin(engine, id, { until: { pattern: /grün/ } });
    const [first, ...rest] = Buffer.from("ü");
    attempt.context.output().write(Buffer.from([...Buffer.from("gr"), first ?? 0]));
    await engine.wait(id, { until: { pattern: /^gr/ } });
    attempt.context.output().write(Buffer.from([...rest, ...Buffer.from("n\n")]));
    expect((await result).isReached).toBe(true);
  });

  it("for a stall ends when the watchdog has noticed the silence", async () => {
    const puppet = new Puppet();
    const engine = await world().openTimed([puppet.kind], { stallMs: 30_000 });
    const { id } = await engine.submit({ kind: "puppet", input: {} });
    await puppet.next();
    const { result, isOver } = await begin(engine, id, { until: "stall" });
    await world().clock.advance(29_000);
    expect(isOver()).toBe(false);
    await world().clock.advance(1_000);
    const { isReached, jobs } = await result;
    expect(isReached).toBe(true);
    expect(jobs[0]?.state).toHaveProperty("stalledSince");
  });

  it("for a phase ends when the job's progress is in it", async () => {
    const { engine, id, attempt } = await start();
    const { result, isOver } = await begin(engine, id, { until: { phase: "upload" } });
    attempt.context.progress({ phase: "download" });
    await engine.wait(id, { until: { phase: "download" } });
    expect(isOver()).toBe(false);
    attempt.context.progress({ phase: "upload" });
    expect(await result).toMatchObject({ isReached: true, met: [id] });
  });

  it.each<[string, WaitOptions["until"] & {}]>([
    ["a question", "question"],
    ["output", "output"],
    ["a stall", "stall"],
    ["a phase", { phase: "upload" }],
    ["a pattern", { pattern: /never/ }],
  ])("for %s also ends when the job ends, because nothing more can come", async (_what, until) => {
    const { engine, id, attempt } = await start();
    const { result } = await begin(engine, id, { until });
    attempt.succeed();
    expect(await result).toMatchObject({ isReached: true, met: [id], jobs: [{ state: { status: "succeeded" } }] });
  });
});

describe("waiting for several jobs", () => {
  it("until something happens to any of them returns which, and shows all as they are now", async () => {
    const puppet = new Puppet({ concurrency: 2 });
    const engine = await world().open([puppet.kind]);
    const jobs = await engine.submitMany(["a", "b", "c"].map((label) => ({ kind: "puppet", input: { label } })));
    const ids = jobs.map(({ id }) => id);
    const [, b] = [await puppet.next(), await puppet.next()];
    await engine.pause("puppet");
    const { result } = await begin(engine, ids, { until: "question", for: "any" });
    void b.context.ask({ message: "Sure?" }).catch(() => undefined);
    const answer = await result;
    expect(answer).toMatchObject({ isReached: true, met: [b.context.id] });
    expect(answer.jobs.map(({ id, state }) => [id, state.status])).toEqual([
      [ids[0], "running"],
      [ids[1], "waiting"],
      [ids[2], "queued"],
    ]);
  });

  it("shows the jobs that it did not wait for as they are at the end of the wait", async () => {
    const puppet = new Puppet({ concurrency: 1 });
    const engine = await world().open([puppet.kind]);
    const jobs = await engine.submitMany(["a", "b", "c"].map((label) => ({ kind: "puppet", input: { label } })));
    const ids = jobs.map(({ id }) => id);
    const { result } = await begin(engine, ids, { for: 2 });
    (await puppet.next()).succeed();
    (await puppet.next()).succeed();
    const answer = await result;
    expect(answer.met).toEqual(ids.slice(0, 2));
    expect(answer.jobs.map(({ id, state }) => [id, state.status])).toEqual([
      [ids[0], "succeeded"],
      [ids[1], "succeeded"],
      [ids[2], "running"],
    ]);
  });

  it("counts an id that is given twice once", async () => {
    const { engine, id, attempt } = await start();
    const { result } = await begin(engine, [id, id], { for: "all" });
    attempt.succeed();
    const { met, jobs } = await result;
    expect(met).toEqual([id]);
    expect(jobs).toHaveLength(1);
  });

  it("answers at once for none", async () => {
    const { engine } = await start();
    expect(await engine.wait([])).toEqual({ isReached: true, met: [], jobs: [] });
  });
});

describe("a wait", () => {
  it("that runs out of time answers that it was not reached, with the jobs as they are", async () => {
    const puppet = new Puppet();
    const engine = await world().openTimed([puppet.kind]);
    const { id } = await engine.submit({ kind: "puppet", input: {} });
    const attempt = await puppet.next();
    const { result, isOver } = await begin(engine, id, { timeoutMs: 30_000 });
    await world().clock.advance(15_000);
    attempt.context.progress({ percent: 40 });
    await world().clock.advance(14_999);
    expect(isOver()).toBe(false);
    await world().clock.advance(1);
    expect(await result).toMatchObject({
      isReached: false,
      met: [],
      jobs: [{ id, state: { status: "running", progress: { percent: 40 } } }],
    });
  });

  it("with no time looks once", async () => {
    const { engine, id } = await start();
    expect(await engine.wait(id, { timeoutMs: 0 })).toMatchObject({ isReached: false, jobs: [{ id }] });
  });

  it("is not cut short when somebody sets the machine's clock", async () => {
    const puppet = new Puppet();
    const engine = await world().openTimed([puppet.kind]);
    const { id } = await engine.submit({ kind: "puppet", input: {} });
    const { isOver } = await begin(engine, id, { timeoutMs: 30_000 });
    world().clock.jump(3_600_000);
    await world().clock.advance(20_000);
    expect(isOver()).toBe(false);
  });

  it("whose signal comes answers that it was not reached, and leaves the job alone", async () => {
    const { engine, id, attempt } = await start();
    const controller = new AbortController();
    const { result } = await begin(engine, id, { signal: controller.signal });
    controller.abort();
    expect(await result).toMatchObject({ isReached: false, met: [], jobs: [{ id, state: { status: "running" } }] });
    expect(attempt.context.signal.aborted).toBe(false);
  });

  it("whose signal came before answers at once", async () => {
    const { engine, id } = await start();
    expect(await engine.wait(id, { signal: AbortSignal.abort() })).toMatchObject({ isReached: false });
  });

  it("for an unknown id rejects, also if others are known", async () => {
    const { engine, id } = await start();
    const unknown = "01890000-0000-7000-8000-000000000000";
    await expect(engine.wait(unknown)).rejects.toMatchObject(refusal("not_found"));
    await expect(engine.wait([id, unknown], { for: "any" })).rejects.toMatchObject(refusal("not_found"));
    await expect(engine.wait([id, "nonsense"])).rejects.toMatchObject(refusal("not_found"));
  });

  it("ends with the engine: it was not reached", async () => {
    const { engine, id } = await start();
    const { result } = await begin(engine, id, {});
    await engine.stop();
    expect(await result).toMatchObject({ isReached: false });
  });
});
