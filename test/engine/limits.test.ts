import { describe, expect, it } from "vitest";
import type { Engine, SubmitRequest } from "../../src/index.ts";
import { turns } from "./fake-clock.ts";
import { Puppet, type PuppetAttempt, type StartedJob } from "./puppet.ts";
import { eventTypes, rejection, stateOf, statusOf, untilStatus, useWorld } from "./world.ts";
import { present } from "../present.ts";

const world = useWorld();

async function start(limits: SubmitRequest["limits"], puppet = new Puppet()): Promise<StartedJob> {
  return puppet.start(await world().openTimed([puppet.kind]), { limits });
}

async function openPaused(limits: SubmitRequest["limits"], delayMs = 0): Promise<{ engine: Engine; id: string }> {
  const engine = await world().openTimed([new Puppet().kind]);
  await engine.pause("puppet");
  const { id } = await engine.submit({ kind: "puppet", input: {}, limits, delayMs });
  return { engine, id };
}

async function failureCode(engine: Engine, id: string): Promise<string> {
  await untilStatus(engine, id, "timed_out");
  return (await stateOf(engine, id, "timed_out")).failure.code;
}

describe("the queue limit", () => {
  it("ends a job that has not started within it", async () => {
    const { engine, id } = await openPaused({ queueMs: 30_000 });
    await world().clock.advance(29_000);
    expect(await statusOf(engine, id)).toBe("queued");
    await world().clock.advance(2_000);
    expect(await failureCode(engine, id)).toBe("queue_limit");
    expect(await stateOf(engine, id, "timed_out")).not.toHaveProperty("startedAt");
  });

  it("counts from when the job may start, so a delay is not held against it", async () => {
    const { engine, id } = await openPaused({ queueMs: 30_000 }, 60_000);
    await world().clock.advance(89_000);
    expect(await statusOf(engine, id)).toBe("queued");
    await world().clock.advance(2_000);
    expect(await failureCode(engine, id)).toBe("queue_limit");
  });

  it("does not end a job that has started", async () => {
    const { engine, id } = await start({ queueMs: 1_000 });
    await world().clock.advance(60_000);
    expect(await statusOf(engine, id)).toBe("running");
  });

  it("guards the first start only, not the wait for the next attempt", async () => {
    const backoff = { initialMs: 60_000, factor: 1, maxMs: 60_000, jitter: 0 };
    const { engine, puppet, id, attempt } = await start({ queueMs: 1_000, attempts: 2, backoff });
    attempt.fail(new Error("broken"));
    await untilStatus(engine, id, "queued");
    await world().clock.advance(60_000);
    await puppet.next();
    expect(await statusOf(engine, id)).toBe("running");
  });

  it("ends a job whose time passed while no engine was open", async () => {
    const { id } = await openPaused({ queueMs: 30_000 });
    await world().stop();
    world().clock.jump(60_000);
    const reopened = await world().openTimed([new Puppet().kind]);
    await world().clock.advance(1_000);
    expect(await failureCode(reopened, id)).toBe("queue_limit");
  });
});

describe("the run limit", () => {
  it("tells an attempt that runs longer to stop, and ends it as timed out", async () => {
    const { engine, id, attempt } = await start({ runMs: 30_000 });
    await world().clock.advance(29_999);
    expect(attempt.context.signal.aborted).toBe(false);
    await world().clock.advance(1);
    expect(attempt.context.signal.reason).toEqual({ type: "timed_out", limit: "run", limitMs: 30_000 });
    expect(await failureCode(engine, id)).toBe("run_limit");
    const { failure } = await stateOf(engine, id, "timed_out");
    expect(failure.message).toBe("The job ran longer than its limit of 30000 ms.");
  });

  it("keeps the job running while it cleans up, and says so when it did not stop in its grace time", async () => {
    const { engine, id } = await start({ runMs: 10_000, graceMs: 5_000 }, new Puppet({ isStubborn: true }));
    await world().clock.advance(14_999);
    expect(await statusOf(engine, id)).toBe("running");
    await world().clock.advance(1);
    await untilStatus(engine, id, "timed_out");
    expect((await stateOf(engine, id, "timed_out")).failure.message).toContain("It did not stop when told to.");
  });

  it("stands when the attempt then returns a result", async () => {
    const { engine, id, attempt } = await start({ runMs: 10_000 }, new Puppet({ isStubborn: true }));
    await world().clock.advance(10_000);
    attempt.succeed("too late");
    expect(await failureCode(engine, id)).toBe("run_limit");
  });

  it("counts for each attempt anew", async () => {
    const backoff = { initialMs: 1_000, factor: 1, maxMs: 1_000, jitter: 0 };
    const { engine, puppet, id, attempt } = await start({ runMs: 10_000, attempts: 2, backoff });
    await world().clock.advance(9_000);
    attempt.fail(new Error("broken"));
    await untilStatus(engine, id, "queued");
    await world().clock.advance(1_000);
    await puppet.next();
    await world().clock.advance(9_000);
    expect(await statusOf(engine, id)).toBe("running");
    await world().clock.advance(1_000);
    expect(await failureCode(engine, id)).toBe("run_limit");
  });

  it("leaves out the time that the attempt waited for an answer", async () => {
    const { engine, id, attempt } = await start({ runMs: 10_000 });
    await world().clock.advance(4_000);
    const asking = attempt.context.ask({ message: "Go on?" }, "go");
    await untilStatus(engine, id, "waiting");
    await world().clock.advance(120_000);
    expect(await statusOf(engine, id)).toBe("waiting");
    await engine.answer(id, "go", { action: "accept", content: {} });
    await asking;
    await world().clock.advance(5_999);
    expect(await statusOf(engine, id)).toBe("running");
    await world().clock.advance(1);
    expect(await failureCode(engine, id)).toBe("run_limit");
  });

  it("goes on counting for a job that another engine adopts, also without the time that it waited", async () => {
    const puppet = new Puppet({ onInterrupt: "adopt" });
    const { id, attempt } = await start({ runMs: 10_000 }, puppet);
    await world().clock.advance(4_000);
    const left = rejection(attempt.context.ask({ message: "Go on?" }, "go"));
    await turns();
    await world().clock.advance(120_000);
    const reopened = await world().reopen();
    expect(await left).toEqual({ type: "stopping" });
    const adopted = await puppet.next();
    const again = adopted.context.ask({ message: "Go on?" }, "go");
    await world().clock.advance(60_000);
    expect(await statusOf(reopened, id)).toBe("waiting");
    await reopened.answer(id, "go", { action: "decline" });
    await again;
    await world().clock.advance(5_000);
    expect(await statusOf(reopened, id)).toBe("running");
    await world().clock.advance(1_500);
    expect(await failureCode(reopened, id)).toBe("run_limit");
  });
});

describe("the idle limit", () => {
  it("first warns, at half of it, then ends the job", async () => {
    const { engine, id } = await start({ idleMs: 60_000 });
    const startedAt = world().clock.now();
    await world().clock.advance(29_999);
    expect(await stateOf(engine, id, "running")).not.toHaveProperty("stalledSince");
    await world().clock.advance(1);
    expect((await stateOf(engine, id, "running")).stalledSince).toBe(startedAt);
    expect((await engine.events(id)).at(-1)).toMatchObject({ type: "job-stalled", idleMs: 30_000 });
    await world().clock.advance(29_999);
    expect(await statusOf(engine, id)).toBe("running");
    await world().clock.advance(1);
    expect(await failureCode(engine, id)).toBe("idle_limit");
  });

  const signs: [sign: string, give: (attempt: PuppetAttempt) => void][] = [
    ["output", ({ context }) => context.output().write("still here\n")],
    ["progress", ({ context }) => context.progress({ percent: 1 })],
    ["a log line", ({ context }) => context.log("still here")],
    ["a touch", ({ context }) => context.touch()],
    ["a checkpoint", ({ context }) => void context.checkpoint.save(1)],
  ];
  it.each(signs)("is counted anew after %s", async (_sign, give) => {
    const { engine, id, attempt } = await start({ idleMs: 10_000 });
    for (let round = 0; round < 3; round++) {
      await world().clock.advance(9_000);
      give(attempt);
    }
    await world().clock.advance(9_999);
    expect(await statusOf(engine, id)).toBe("running");
    await world().clock.advance(1);
    expect(await failureCode(engine, id)).toBe("idle_limit");
  });

  it("takes its warning back when the job is heard again, and gives it again", async () => {
    const { engine, id, attempt } = await start({ idleMs: 20_000 });
    await world().clock.advance(10_000);
    attempt.context.touch();
    await turns();
    expect(await stateOf(engine, id, "running")).not.toHaveProperty("stalledSince");
    await world().clock.advance(10_000);
    expect(await stateOf(engine, id, "running")).toHaveProperty("stalledSince");
    expect((await eventTypes(engine, id)).slice(2)).toEqual(["job-stalled", "job-active-again", "job-stalled"]);
  });

  it("neither warns nor ends a job that waits for an answer", async () => {
    const { engine, id, attempt } = await start({ idleMs: 10_000 });
    const asking = attempt.context.ask({ message: "Go on?" }, "go");
    await untilStatus(engine, id, "waiting");
    await world().clock.advance(120_000);
    expect(await stateOf(engine, id, "waiting")).not.toHaveProperty("stalledSince");
    await engine.answer(id, "go", { action: "decline" });
    await asking;
    await world().clock.advance(9_999);
    expect(await statusOf(engine, id)).toBe("running");
    await world().clock.advance(1);
    expect(await failureCode(engine, id)).toBe("idle_limit");
  });

  it("warns with a time in whole milliseconds, though silence is measured in parts of them", async () => {
    const puppet = new Puppet();
    const engine = await world().open([puppet.kind], { stallMs: 20 });
    const { id } = await engine.submit({ kind: "puppet", input: {} });
    await engine.wait(id, { until: "stall" });
    const { stalledSince } = await stateOf(engine, id, "running");
    expect(Number.isInteger(stalledSince)).toBe(true);
  });

  it("is not needed for a warning: a job without one is reported after the engine's stall time, and goes on", async () => {
    const puppet = new Puppet();
    const engine = await world().openTimed([puppet.kind], { stallMs: 45_000 });
    const { id } = await engine.submit({ kind: "puppet", input: {} });
    await puppet.next();
    await world().clock.advance(45_000);
    expect(await stateOf(engine, id, "running")).toHaveProperty("stalledSince");
    await world().clock.advance(120_000);
    expect(await statusOf(engine, id)).toBe("running");
  });
});

describe("the total limit", () => {
  it("ends a running job, however active it is", async () => {
    const { engine, id, attempt } = await start({ totalMs: 30_000 });
    for (let round = 0; round < 5; round++) {
      await world().clock.advance(5_999);
      attempt.context.touch();
    }
    expect(await statusOf(engine, id)).toBe("running");
    await world().clock.advance(5);
    expect(await failureCode(engine, id)).toBe("total_limit");
  });

  it("counts the time in the queue", async () => {
    const puppet = new Puppet();
    const engine = await world().openTimed([puppet.kind]);
    await engine.pause("puppet");
    const { id } = await engine.submit({ kind: "puppet", input: {}, limits: { totalMs: 30_000 } });
    await world().clock.advance(20_000);
    await engine.resume("puppet");
    await puppet.next();
    await world().clock.advance(9_999);
    expect(await statusOf(engine, id)).toBe("running");
    await world().clock.advance(1);
    expect(await failureCode(engine, id)).toBe("total_limit");
  });

  it("ends a job in the queue", async () => {
    const { engine, id } = await openPaused({ totalMs: 30_000 });
    await world().clock.advance(31_000);
    expect(await failureCode(engine, id)).toBe("total_limit");
  });

  it("ends a job that waits for its next attempt", async () => {
    const backoff = { initialMs: 60_000, factor: 1, maxMs: 60_000, jitter: 0 };
    const { engine, id, attempt } = await start({ totalMs: 30_000, attempts: 2, backoff });
    attempt.fail(new Error("broken"));
    await untilStatus(engine, id, "queued");
    await world().clock.advance(31_000);
    expect(await failureCode(engine, id)).toBe("total_limit");
  });

  it("counts the time that the job waited for an answer", async () => {
    const { engine, id, attempt } = await start({ totalMs: 30_000 });
    const refused = rejection(attempt.context.ask({ message: "Go on?" }));
    await untilStatus(engine, id, "waiting");
    await world().clock.advance(30_000);
    expect(await refused).toMatchObject({ limit: "total" });
    expect(await failureCode(engine, id)).toBe("total_limit");
  });
});

describe("somebody who sets the machine's clock", () => {
  it.each([
    ["forward", 24 * 3_600_000],
    ["back", -24 * 3_600_000],
  ])("%s neither ends a running job nor gives it more time", async (_direction, stepMs) => {
    const { engine, id, attempt } = await start({ runMs: 30_000, idleMs: 20_000, totalMs: 40_000 });
    await world().clock.advance(10_000);
    attempt.context.touch();
    world().clock.jump(stepMs);
    await world().clock.advance(10_000);
    attempt.context.touch();
    expect(attempt.context.signal.aborted).toBe(false);
    await world().clock.advance(9_999);
    expect(await statusOf(engine, id)).toBe("running");
    await world().clock.advance(1);
    expect(await failureCode(engine, id)).toBe("run_limit");
  });

  it("back puts off neither retries nor jobs that wait for room", async () => {
    const backoff = { initialMs: 10_000, factor: 1, maxMs: 10_000, jitter: 0 };
    const puppet = new Puppet({ concurrency: 1, limits: { attempts: 2, backoff } });
    const engine = await world().openTimed([puppet.kind]);
    const [retried, queued] = await engine.submitMany([
      { kind: "puppet", input: { label: "retried" } },
      { kind: "puppet", input: { label: "queued" } },
    ]);
    (await puppet.next()).fail(new Error("broken"));
    const second = await puppet.next();
    world().clock.jump(-24 * 3_600_000);
    await world().clock.advance(1_000);
    second.succeed();
    await world().clock.advance(10_000);
    expect(puppet.started).toEqual(["retried", "queued", "retried"]);
    expect(await statusOf(engine, present(queued).id)).toBe("succeeded");
    expect(await statusOf(engine, present(retried).id)).toBe("running");
  });

  it("does not make an engine lose the jobs that it runs itself", async () => {
    const { engine, puppet, id } = await start({});
    world().clock.jump(3_600_000);
    await world().clock.advance(30_000);
    expect(await statusOf(engine, id)).toBe("running");
    expect(puppet.attempts).toHaveLength(1);
  });
});

describe("limits", () => {
  it("come from the request before the kind, and from the kind before the engine", async () => {
    const own = new Puppet({ limits: { runMs: 2_000, idleMs: 2_000 } });
    const engine = await world().openTimed([own.kind], { limits: { runMs: 1_000, totalMs: 1_000, graceMs: 5 } });
    const { limits } = await engine.submit({ kind: "puppet", input: {}, limits: { idleMs: 3_000 } });
    expect(limits).toMatchObject({ runMs: 2_000, idleMs: 3_000, totalMs: 1_000, graceMs: 5, attempts: 1 });
  });
});
