import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { createEngine } from "../../src/engine/engine.ts";
import type { Engine, Job, Kind } from "../../src/index.ts";
import { readMachineName } from "../../src/server/home.ts";
import { openSqliteStore } from "../../src/store/sqlite/open.ts";
import type { Store } from "../../src/store/store.ts";
import { until } from "../until.ts";
import { FakeClock, turns } from "./fake-clock.ts";
import { Puppet } from "./puppet.ts";
import { eventTypes, passTimeUntil, refusal, stateOf, statusOf, untilStatus, useWorld } from "./world.ts";
import { present } from "../present.ts";

const world = useWorld();

async function interrupt(onInterrupt: Kind["onInterrupt"]): Promise<{ engine: Engine; puppet: Puppet; id: string }> {
  const puppet = new Puppet({ onInterrupt });
  const engine = await world().open([puppet.kind]);
  const { id } = await engine.submit({ kind: "puppet", input: { label: "work" } });
  const { context } = await puppet.next();
  context.output().write("before\n");
  await context.checkpoint.save({ page: 7 });
  const reopened = await world().reopen();
  return { engine: reopened, puppet, id };
}

/** Leaves one job of each kind held by a worker that is gone, as a crash does, and the kinds not paused. */
async function crash(puppets: readonly Puppet[], labels: readonly string[]): Promise<Store> {
  const kinds = puppets.map(({ kind }) => kind);
  const engine = await world().open(kinds);
  for (const { name } of kinds) {
    await engine.pause(name);
    await engine.submitMany(labels.map((label) => ({ kind: name, input: { label } })));
  }
  await world().stop();
  const store = await openSqliteStore({ file: join(world().home, "longhaul.db") });
  for (const { name } of kinds) await store.setPaused(name, false);
  const wants = kinds.map(({ name }) => ({ kind: name, max: 1 }));
  const { claims } = await store.claim({
    worker: "gone",
    machine: readMachineName(world().home),
    now: Date.now(),
    leaseMs: 3_600_000,
    wants,
  });
  expect(claims).toHaveLength(puppets.length);
  return store;
}

describe("a folder", () => {
  it("is refused to a second engine while the first has it open, which is not disturbed", async () => {
    const puppet = new Puppet();
    const engine = await world().open([puppet.kind]);
    const { id } = await engine.submit({ kind: "puppet", input: {} });
    const attempt = await puppet.next();
    const other = world().openAnother([puppet.kind]);
    await expect(other).rejects.toMatchObject(refusal("store_in_use", /in use by another Longhaul engine/));
    attempt.succeed();
    await untilStatus(engine, id, "succeeded");
  });

  it("is free again when the engine has stopped", async () => {
    await world().open([]);
    await world().reopen();
    await world().reopen();
    expect(await (await world().reopen()).count()).toEqual([]);
  });
});

describe("a job whose engine was stopped", () => {
  it("is told why: the engine stops, and the work goes on later", async () => {
    const { puppet } = await interrupt("restart");
    expect(present(puppet.attempts[0]).context.signal.reason).toEqual({ type: "stopping" });
  });

  it.each(["resume", "restart"] as const)("runs again in the same attempt if its kind says %s", async (onInterrupt) => {
    const { engine, puppet, id } = await interrupt(onInterrupt);
    const again = await puppet.next();
    expect(again).toMatchObject({ label: "work", context: { id, attempt: 1, isInterrupted: true } });
    expect(await stateOf(engine, id, "running")).toMatchObject({ attempt: 1, interruptions: 1 });
    expect(await eventTypes(engine, id)).toEqual([
      "job-submitted",
      "attempt-started",
      "attempt-interrupted",
      "attempt-started",
    ]);
    again.context.output().write("after\n");
    again.succeed();
    await untilStatus(engine, id, "succeeded");
    expect(Buffer.from((await engine.readOutput(id)).bytes).toString()).toBe("before\nafter\n");
  });

  it("finds its last checkpoint when it resumes", async () => {
    const { puppet } = await interrupt("resume");
    expect(await (await puppet.next()).context.checkpoint.load()).toEqual({ page: 7 });
  });

  it("is adopted if its kind says so: it never left its state, and its attempt goes on", async () => {
    const { engine, puppet, id } = await interrupt("adopt");
    const adopted = await puppet.next();
    expect(adopted.context).toMatchObject({ attempt: 1, isInterrupted: true });
    expect(await eventTypes(engine, id)).toEqual(["job-submitted", "attempt-started", "attempt-adopted"]);
    adopted.succeed("the true end");
    await untilStatus(engine, id, "succeeded");
    expect(await engine.result(id)).toBe("the true end");
  });

  it("fails if its kind cannot go on", async () => {
    const { engine, puppet, id } = await interrupt("fail");
    expect(await stateOf(engine, id, "failed")).toMatchObject({ failure: { code: "interrupted" } });
    await turns();
    expect(puppet.attempts).toHaveLength(1);
  });

  it("is left alone by an engine that does not know its kind, until one comes that does", async () => {
    const puppet = new Puppet({ onInterrupt: "adopt" });
    const engine = await world().open([puppet.kind]);
    const { id } = await engine.submit({ kind: "puppet", input: {} });
    await puppet.next();
    const stranger = await world().reopen([]);
    await turns();
    expect(await statusOf(stranger, id)).toBe("running");
    const knowing = await world().reopen([puppet.kind]);
    (await puppet.next()).succeed();
    await untilStatus(knowing, id, "succeeded");
  });

  it("goes back to the queue after a minute with an engine that does not know its kind, and says why", async () => {
    const puppet = new Puppet({ onInterrupt: "adopt" });
    const engine = await world().openTimed([puppet.kind]);
    const { id } = await engine.submit({ kind: "puppet", input: {} });
    await puppet.next();
    const stranger = await world().reopen([]);
    await world().clock.advance(61_000);
    await untilStatus(stranger, id, "queued");
    expect(await stranger.diagnose(id)).toMatchObject({ reason: 'no worker runs jobs of kind "puppet"' });
    const knowing = await world().reopen([puppet.kind]);
    const again = await puppet.next();
    expect(again.context).toMatchObject({ attempt: 1, isInterrupted: true });
    again.succeed();
    await untilStatus(knowing, id, "succeeded");
  });

  it("fails when its kind is back after that, if it must not be repeated", async () => {
    const puppet = new Puppet({ onInterrupt: "fail" });
    await (await crash([puppet], ["work"])).close();
    const stranger = await world().openTimed([]);
    const [job] = (await stranger.list()).jobs;
    const id = job?.id ?? "";
    await world().clock.advance(61_000);
    await untilStatus(stranger, id, "queued");
    const knowing = await world().reopen([puppet.kind]);
    await untilStatus(knowing, id, "failed");
    expect(await stateOf(knowing, id, "failed")).toMatchObject({ failure: { code: "interrupted" } });
    expect(puppet.attempts).toHaveLength(0);
  });

  it("keeps a result that it returns while the engine stops", async () => {
    const puppet = new Puppet({ isStubborn: true });
    const engine = await world().open([puppet.kind]);
    const { id } = await engine.submit({ kind: "puppet", input: {} });
    const attempt = await puppet.next();
    attempt.context.signal.addEventListener("abort", () => attempt.succeed("just in time"));
    const reopened = await world().reopen();
    expect(await statusOf(reopened, id)).toBe("succeeded");
    expect(await reopened.result(id)).toBe("just in time");
  });

  it("keeps its checkpoint when it fails: a retry by hand goes on from the last one", async () => {
    const puppet = new Puppet({ onInterrupt: "resume" });
    const engine = await world().open([puppet.kind]);
    const { id } = await engine.submit({ kind: "puppet", input: {} });
    const first = await puppet.next();
    expect(await first.context.checkpoint.load()).toBeUndefined();
    await first.context.checkpoint.save("half");
    await first.context.checkpoint.save("more");
    first.fail(new Error("broken"));
    await untilStatus(engine, id, "failed");
    await engine.retry(id);
    expect(await (await puppet.next()).context.checkpoint.load()).toBe("more");
  });
});

describe("a job whose engine crashed", () => {
  it("is continued at once: with a folder for itself the next engine need not wait for the lease", async () => {
    const puppet = new Puppet();
    await (await crash([puppet], ["work"])).close();
    await world().open([puppet.kind]);
    expect(await puppet.next()).toMatchObject({ label: "work", context: { attempt: 1, isInterrupted: true } });
  });

  it("is adopted before queued jobs get its slot, also when others go back to the queue at the same time", async () => {
    const adopting = new Puppet({ name: "adopting", onInterrupt: "adopt", concurrency: 1 });
    const restarting = new Puppet({ name: "restarting", concurrency: 1 });
    await (await crash([adopting, restarting], ["held", "queued"])).close();
    await world().open([adopting.kind, restarting.kind]);
    await restarting.next();
    const adopted = await adopting.next();
    await turns();
    expect(adopting.started).toEqual(["held"]);
    adopted.succeed();
    expect((await adopting.next()).label).toBe("queued");
  });

  it("stays queued if its kind is paused", async () => {
    const puppet = new Puppet();
    const store = await crash([puppet], ["work"]);
    await store.setPaused("puppet", true);
    await store.close();
    const engine = await world().open([puppet.kind]);
    await turns();
    expect(puppet.attempts).toEqual([]);
    expect(await engine.count()).toEqual([{ kind: "puppet", status: "queued", count: 1 }]);
  });
});

describe("an engine that stops in an orderly way", () => {
  it("does not count against its jobs, however often it does", async () => {
    const puppet = new Puppet();
    let engine = await world().open([puppet.kind], { maxLosses: 1 });
    const job = await engine.submit({ kind: "puppet", input: {} });
    for (let stops = 1; stops <= 3; stops++) {
      await puppet.next();
      engine = await world().reopen();
    }
    (await puppet.next()).succeed();
    await engine.wait(job.id);
    expect((await engine.get(job.id)).state).toMatchObject({ status: "succeeded", interruptions: 3, losses: 0 });
  });
});

describe("a lost lease", () => {
  const leaseMs = 6_000;
  let store: Store | undefined;
  const engines: { engine: Engine; clock: FakeClock }[] = [];

  afterEach(async () => {
    for (const { engine, clock } of engines.splice(0)) await passTimeUntil(engine.stop(), clock);
    await store?.close();
    store = undefined;
  });

  /** Engines on one store with a clock each, as on several machines: time that stands still is a machine that hangs. */
  async function joinStore(
    kind: Kind,
    options: { maxLosses?: number } = {},
  ): Promise<{ engine: Engine; clock: FakeClock }> {
    store ??= await openSqliteStore({ file: join(world().home, "longhaul.db") });
    const clock = new FakeClock();
    const capabilities = { ...store.capabilities, isExclusive: false };
    const shared: Store = { ...store, capabilities, time: async () => clock.now(), close: async () => undefined };
    const engine = await createEngine({ store: shared, kinds: [kind], clock, leaseMs, ...options });
    engines.push({ engine, clock });
    return { engine, clock };
  }

  /** Holds a job of a paused kind under the lease of a worker that is never heard again. */
  async function loseWorker(engine: Engine, job: Job, clock: FakeClock): Promise<void> {
    const wants = [{ kind: job.kind, max: 1 }];
    const request = { worker: "gone", machine: "local", now: clock.now(), leaseMs, wants };
    await turns();
    // Both in one commit, when the engine looks for nothing: nobody else can be faster.
    const [, { claims }] = await Promise.all([
      present(store).setPaused(job.kind, false),
      present(store).claim(request),
    ]);
    await engine.pause(job.kind);
    expect(claims.map((claim) => claim.job.id)).toEqual([job.id]);
    expect(await statusOf(engine, job.id)).toBe("running");
  }

  async function submitLost(
    puppet: Puppet,
    options?: { maxLosses: number },
  ): Promise<{ engine: Engine; clock: FakeClock; id: string }> {
    const { engine, clock } = await joinStore(puppet.kind, options);
    await engine.pause("puppet");
    const job = await engine.submit({ kind: "puppet", input: {} });
    await loseWorker(engine, job, clock);
    await engine.resume("puppet");
    return { engine, clock, id: job.id };
  }

  it("is respected until it has run out, and rescued soon after", async () => {
    const puppet = new Puppet();
    const { engine, clock, id } = await submitLost(puppet);
    await clock.advance(leaseMs);
    expect(puppet.attempts).toEqual([]);
    await clock.advance(leaseMs / 2);
    await puppet.next();
    expect((await engine.events(id)).map(({ type }) => type)).toContain("attempt-interrupted");
  });

  it.each(["resume", "restart"] as const)(
    "requeues the job in the same attempt if its kind says %s",
    async (onInterrupt) => {
      const puppet = new Puppet({ onInterrupt });
      const { clock } = await submitLost(puppet);
      await clock.advance(2 * leaseMs);
      expect((await puppet.next()).context).toMatchObject({ attempt: 1, isInterrupted: true });
    },
  );

  it("is taken over if its kind says adopt", async () => {
    const puppet = new Puppet({ onInterrupt: "adopt" });
    const { engine, clock, id } = await submitLost(puppet);
    await clock.advance(2 * leaseMs);
    (await puppet.next()).succeed();
    await untilStatus(engine, id, "succeeded");
    expect(await eventTypes(engine, id)).toContain("attempt-adopted");
  });

  it("fails the job if its kind says so", async () => {
    const puppet = new Puppet({ onInterrupt: "fail" });
    const { engine, clock, id } = await submitLost(puppet);
    await clock.advance(2 * leaseMs);
    await untilStatus(engine, id, "failed");
    expect(await stateOf(engine, id, "failed")).toMatchObject({ failure: { code: "interrupted" } });
  });

  it("cancels the job if that was asked for meanwhile, whatever its kind says", async () => {
    const puppet = new Puppet({ onInterrupt: "restart" });
    const { engine, clock, id } = await submitLost(puppet);
    await engine.cancel(id, "not needed");
    expect(await statusOf(engine, id)).toBe("running");
    await clock.advance(2 * leaseMs);
    await untilStatus(engine, id, "cancelled");
    expect((await stateOf(engine, id, "cancelled")).reason).toBe("not needed");
    expect(puppet.attempts).toEqual([]);
  });

  it("fails the job when it has happened too often: it may be what brings the worker down", async () => {
    const puppet = new Puppet();
    const { engine, clock, id } = await submitLost(puppet, { maxLosses: 1 });
    await engine.pause("puppet");
    await clock.advance(2 * leaseMs);
    await untilStatus(engine, id, "queued");
    await loseWorker(engine, await engine.get(id), clock);
    await clock.advance(2 * leaseMs);
    await untilStatus(engine, id, "failed");
    const { failure } = await stateOf(engine, id, "failed");
    expect(failure).toMatchObject({
      code: "interrupted",
      message: expect.stringContaining("lost its worker 2 times") as string,
    });
  });

  it("is followed by a pause with its reason from the second time on, because the job may be what brings the worker down", async () => {
    const puppet = new Puppet({ onInterrupt: "resume" });
    const { engine, clock, id } = await submitLost(puppet);
    await engine.pause("puppet");
    await clock.advance(2 * leaseMs);
    await untilStatus(engine, id, "queued");
    await loseWorker(engine, await engine.get(id), clock);
    await engine.resume("puppet");
    await clock.advance(2 * leaseMs);
    await untilStatus(engine, id, "queued");
    expect((await engine.diagnose(id))?.reason).toMatch(
      /^its worker was lost 2 times before it got further, perhaps because of it: going on is due in \d+ s$/,
    );
    const events = await engine.events(id);
    expect(events.findLast(({ type }) => type === "attempt-interrupted")).toMatchObject({
      cause: expect.stringMatching(
        /^its worker was lost 2 times before it got further, so it pauses for \d+ s$/,
      ) as string,
    });
    await clock.advance(3_000);
    expect(puppet.attempts).toEqual([]);
    await clock.advance(8_000);
    (await puppet.next()).succeed();
    await untilStatus(engine, id, "succeeded");
  });

  it("does not count against an attempt that has saved another checkpoint since the last one", async () => {
    const puppet = new Puppet({ onInterrupt: "resume" });
    const { engine, clock, id } = await submitLost(puppet, { maxLosses: 1 });
    for (let step = 1; step <= 4; step++) {
      await engine.pause("puppet");
      await clock.advance(2 * leaseMs);
      await untilStatus(engine, id, "queued");
      await loseWorker(engine, await engine.get(id), clock);
      const { lease } = await stateOf(engine, id, "running");
      await present(store).saveCheckpoint({ ...lease, id: (await engine.get(id)).id }, String(step));
    }
    await engine.resume("puppet");
    await clock.advance(2 * leaseMs);
    (await puppet.next()).succeed();
    await untilStatus(engine, id, "succeeded");
    expect((await engine.get(id)).state.attempt).toBe(1);
  });

  it("does not count against an attempt that only waited for an answer or for a job that it has started", async () => {
    const parent = new Puppet({ onInterrupt: "resume" });
    const { engine, clock, id } = await submitLost(parent, { maxLosses: 0 });
    await engine.pause("puppet");
    const job = await engine.get(id);
    const { lease } = await stateOf(engine, id, "running");
    await present(store).ask({ ...lease, id: job.id }, { key: "q", question: { message: "Which?" }, at: clock.now() });
    await clock.advance(2 * leaseMs);
    await untilStatus(engine, id, "queued");
    await loseWorker(engine, job, clock);
    const child = await engine.submit({ kind: "puppet", input: { label: "child" }, parent: id });
    await loseWorker(engine, child, clock);
    await clock.advance(2 * leaseMs);
    await untilStatus(engine, id, "queued");
    expect((await engine.get(id)).state.attempt).toBe(1);
  });

  it("does not happen to an engine that is heard: its jobs run on for many times the lease", async () => {
    const puppet = new Puppet();
    const { engine, clock } = await joinStore(puppet.kind);
    const { id } = await engine.submit({ kind: "puppet", input: {} });
    const attempt = await puppet.next();
    await clock.advance(10 * leaseMs);
    attempt.succeed();
    await untilStatus(engine, id, "succeeded");
    expect(puppet.attempts).toHaveLength(1);
  });

  it("makes nothing count any more that its holder still does", async () => {
    const hanging = new Puppet({ onInterrupt: "adopt", isStubborn: true });
    const first = await joinStore(hanging.kind);
    const { id } = await first.engine.submit({ kind: "puppet", input: {} });
    const late = await hanging.next();
    const rescuing = new Puppet({ onInterrupt: "adopt" });
    const second = await joinStore(rescuing.kind);
    await second.clock.advance(2 * leaseMs);
    const adopted = await rescuing.next();
    await first.clock.advance(leaseMs / 3);
    await until(() => late.context.signal.aborted);
    expect(late.context.signal.reason).toEqual({ type: "lease_lost" });
    await expect(late.context.checkpoint.save("late")).rejects.toMatchObject(refusal("stopped"));
    await expect(late.context.ask({ message: "Late?" })).rejects.toMatchObject(refusal("stopped"));
    late.context.progress({ percent: 99 });
    late.context.log("late");
    late.succeed("late");
    await turns();
    expect(await statusOf(second.engine, id)).toBe("running");
    adopted.succeed("right");
    await untilStatus(second.engine, id, "succeeded");
    expect(await second.engine.result(id)).toBe("right");
    expect(await eventTypes(second.engine, id)).not.toContain("message-logged");
  });
});
