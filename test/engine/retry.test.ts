import { describe, expect, it } from "vitest";
import { JobFailure, type Engine, type SubmitRequest } from "../../src/index.ts";
import { turns } from "./fake-clock.ts";
import { Puppet } from "./puppet.ts";
import { eventTypes, refusal, stateOf, statusOf, untilStatus, useWorld } from "./world.ts";

const world = useWorld();

const backoff = { initialMs: 1_000, factor: 3, maxMs: 20_000, jitter: 0.5 };

async function openWith(puppet: Puppet, random: number): Promise<Engine> {
  return world().openTimed([puppet.kind], { random: () => random });
}

/** Fails the next attempt and says how long the job is then put off. */
async function delayAfterFailure(engine: Engine, puppet: Puppet, id: string, error: unknown): Promise<number> {
  const attempt = await puppet.next();
  const now = world().clock.now();
  attempt.fail(error);
  await untilStatus(engine, id, "queued");
  const { runAt } = await stateOf(engine, id, "queued");
  return runAt - now;
}

function steady(initialMs: number): typeof backoff {
  return { initialMs, factor: 1, maxMs: 60_000, jitter: 0 };
}

function busy(retryAfterMs: number): JobFailure {
  return new JobFailure("busy", "Try later.", { retryAfterMs });
}

async function openFailed(): Promise<{ engine: Engine; puppet: Puppet; id: string }> {
  const puppet = new Puppet();
  const engine = await world().openTimed([puppet.kind]);
  const { id } = await engine.submit({ kind: "puppet", input: { label: "same" } });
  (await puppet.next()).fail(new Error("broken"));
  await untilStatus(engine, id, "failed");
  return { engine, puppet, id };
}

describe("a failed attempt", () => {
  it.each(["timed_out", "cancelled"] as const)(
    "of work that was %s elsewhere ends the job as that, once no attempt is left",
    async (endsAs) => {
      const puppet = new Puppet({ limits: { attempts: 2, backoff: steady(1_000) } });
      const engine = await openWith(puppet, 0);
      const { id } = await engine.submit({ kind: "puppet", input: {} });
      const failure = new JobFailure("elsewhere", "it ended there", { endsAs });
      expect(await delayAfterFailure(engine, puppet, id, failure)).toBe(1_000);
      await world().clock.advance(1_000);
      (await puppet.next()).fail(failure);
      await untilStatus(engine, id, endsAs);
      expect(JSON.stringify((await engine.get(id)).state)).toContain("it ended there");
    },
  );

  it("is followed by another while attempts are left, and the last failure ends the job", async () => {
    const puppet = new Puppet({ limits: { attempts: 3, backoff } });
    const engine = await openWith(puppet, 0);
    const { id } = await engine.submit({ kind: "puppet", input: {} });
    for (const attempt of [1, 2]) {
      await delayAfterFailure(engine, puppet, id, new Error(`broken ${attempt}`));
      expect(await stateOf(engine, id, "queued")).toMatchObject({ because: "retry", attempt: attempt + 1 });
      await world().clock.advance(20_000);
    }
    const last = await puppet.next();
    expect(last.context).toMatchObject({ attempt: 3, isInterrupted: false });
    last.fail(new Error("broken 3"));
    await untilStatus(engine, id, "failed");
    const { failure, attempt } = await stateOf(engine, id, "failed");
    expect({ failure, attempt }).toEqual({
      failure: { code: "error", message: "broken 3", retryable: true },
      attempt: 3,
    });
  });

  it("ends the job where only one attempt is allowed, which is the default", async () => {
    const puppet = new Puppet();
    const engine = await openWith(puppet, 0);
    const { id } = await engine.submit({ kind: "puppet", input: {} });
    (await puppet.next()).fail(
      new JobFailure("exit_code", "The command ended with 3.", { cause: new Error("ENOENT") }),
    );
    await untilStatus(engine, id, "failed");
    expect((await stateOf(engine, id, "failed")).failure).toEqual({
      code: "exit_code",
      message: "The command ended with 3.",
      retryable: true,
      cause: "ENOENT",
    });
  });

  it("that says it is not retryable ends the job at once, whatever attempts are left", async () => {
    const puppet = new Puppet({ limits: { attempts: 5, backoff } });
    const engine = await openWith(puppet, 0);
    const { id } = await engine.submit({ kind: "puppet", input: {} });
    (await puppet.next()).fail(new JobFailure("gone", "There is no such page.", { retryable: false }));
    await untilStatus(engine, id, "failed");
    expect(await stateOf(engine, id, "failed")).toMatchObject({
      attempt: 1,
      failure: { code: "gone", retryable: false },
    });
  });

  it("may be anything thrown: text becomes the message", async () => {
    const puppet = new Puppet();
    const engine = await openWith(puppet, 0);
    const { id } = await engine.submit({ kind: "puppet", input: {} });
    (await puppet.next()).fail("plain text");
    await untilStatus(engine, id, "failed");
    expect((await stateOf(engine, id, "failed")).failure.message).toBe("plain text");
  });

  it("is recorded with its failure and the time of the next one", async () => {
    const puppet = new Puppet({ limits: { attempts: 2, backoff } });
    const engine = await openWith(puppet, 0);
    const { id } = await engine.submit({ kind: "puppet", input: {} });
    const delayMs = await delayAfterFailure(engine, puppet, id, new Error("broken"));
    expect((await engine.events(id)).at(-1)).toMatchObject({
      type: "attempt-failed",
      attempt: 1,
      failure: { code: "error", message: "broken" },
      nextRunAt: world().clock.now() + delayMs,
    });
  });
});

describe("the back-off", () => {
  it.each([
    [0, [1_000, 3_000, 9_000, 20_000]],
    [0.5, [750, 2_250, 6_750, 15_000]],
    [0.75, [625, 1_875, 5_625, 12_500]],
  ])("grows up to its maximum, less a random share (%d)", async (random, expected) => {
    const puppet = new Puppet({ limits: { attempts: 5, backoff } });
    const engine = await openWith(puppet, random);
    const { id } = await engine.submit({ kind: "puppet", input: {} });
    const delays: number[] = [];
    for (const delayMs of expected) {
      delays.push(await delayAfterFailure(engine, puppet, id, new Error("broken")));
      await world().clock.advance(delayMs);
    }
    expect(delays).toEqual(expected);
  });

  it("is kept: the next attempt does not start earlier, and then it does", async () => {
    const puppet = new Puppet({ limits: { attempts: 2, backoff } });
    const engine = await openWith(puppet, 0);
    const { id } = await engine.submit({ kind: "puppet", input: {} });
    await delayAfterFailure(engine, puppet, id, new Error("broken"));
    await world().clock.advance(999);
    expect(puppet.attempts).toHaveLength(1);
    await world().clock.advance(1);
    await puppet.next();
  });

  it("is stretched to what a failure asks for, and not shortened by it", async () => {
    const puppet = new Puppet({ limits: { attempts: 3, backoff } });
    const engine = await openWith(puppet, 0);
    const { id } = await engine.submit({ kind: "puppet", input: {} });
    expect(await delayAfterFailure(engine, puppet, id, busy(60_000))).toBe(60_000);
    await world().clock.advance(60_000);
    expect(await delayAfterFailure(engine, puppet, id, busy(10))).toBe(3_000);
  });

  it("comes from the request before the kind, and from the kind before the engine", async () => {
    const plain = new Puppet({ name: "plain" });
    const own = new Puppet({ name: "own", limits: { backoff: steady(2_000) } });
    const limits = { attempts: 2, backoff: steady(1_000) };
    const engine = await world().openTimed([plain.kind, own.kind], { limits });
    const delayOf = async (puppet: Puppet, request: Partial<SubmitRequest>): Promise<number> => {
      const { id } = await engine.submit({ kind: puppet.kind.name, input: {}, ...request });
      return delayAfterFailure(engine, puppet, id, new Error("broken"));
    };
    expect(await delayOf(plain, {})).toBe(1_000);
    expect(await delayOf(own, {})).toBe(2_000);
    expect(await delayOf(own, { limits: { backoff: steady(3_000) } })).toBe(3_000);
  });

  it("goes on over a restart of the engine", async () => {
    const puppet = new Puppet({ limits: { attempts: 2, backoff } });
    const engine = await openWith(puppet, 0);
    const { id } = await engine.submit({ kind: "puppet", input: {} });
    await delayAfterFailure(engine, puppet, id, new Error("broken"));
    await world().reopen();
    await world().clock.advance(999);
    expect(puppet.attempts).toHaveLength(1);
    await world().clock.advance(1);
    expect((await puppet.next()).context.attempt).toBe(2);
  });
});

describe("earlier attempts", () => {
  it("are kept with their events and with their output", async () => {
    const puppet = new Puppet({ limits: { attempts: 2, backoff } });
    const engine = await openWith(puppet, 0);
    const { id } = await engine.submit({ kind: "puppet", input: {} });
    const first = await puppet.next();
    first.context.output().write("from the first");
    first.context.log("first says so");
    first.fail(new Error("broken"));
    await untilStatus(engine, id, "queued");
    await world().clock.advance(1_000);
    const second = await puppet.next();
    second.context.output().write("from the second");
    second.succeed();
    await untilStatus(engine, id, "succeeded");
    const read = async (attempt: number): Promise<string> =>
      Buffer.from((await engine.readOutput(id, { attempt })).bytes).toString();
    expect([await read(1), await read(2)]).toEqual(["from the first", "from the second"]);
    expect(await eventTypes(engine, id)).toEqual([
      "job-submitted",
      "attempt-started",
      "message-logged",
      "attempt-failed",
      "attempt-started",
      "job-finished",
    ]);
  });
});

describe("retrying by hand", () => {
  it("runs a failed job again at once: the same id and input, the next attempt", async () => {
    const { engine, puppet, id } = await openFailed();
    const retried = await engine.retry(id, { by: "Grace" });
    expect(retried).toMatchObject({ id, state: { status: "queued", because: "retried", attempt: 2 } });
    const again = await puppet.next();
    expect(again).toMatchObject({ label: "same", context: { attempt: 2, id } });
    again.succeed("better");
    await untilStatus(engine, id, "succeeded");
    expect(await engine.result(id)).toBe("better");
    expect(await engine.events(id)).toContainEqual(
      expect.objectContaining({ type: "job-retried", attempt: 2, by: "Grace" }),
    );
  });

  it("works on a job that was cancelled, also one that never ran: that keeps its first attempt", async () => {
    const puppet = new Puppet();
    const engine = await world().open([puppet.kind]);
    await engine.pause("puppet");
    const { id } = await engine.submit({ kind: "puppet", input: {} });
    await engine.cancel(id);
    await engine.retry(id);
    await engine.resume("puppet");
    expect((await puppet.next()).context.attempt).toBe(1);
  });

  it("works on a job that timed out", async () => {
    const puppet = new Puppet();
    const engine = await world().openTimed([puppet.kind]);
    const { id } = await engine.submit({ kind: "puppet", input: {}, limits: { runMs: 1_000 } });
    await puppet.next();
    await world().clock.advance(1_000);
    await untilStatus(engine, id, "timed_out");
    await engine.retry(id);
    expect((await puppet.next()).context.attempt).toBe(2);
  });

  it("counts the total limit anew", async () => {
    const puppet = new Puppet();
    const engine = await world().openTimed([puppet.kind]);
    const { id } = await engine.submit({ kind: "puppet", input: {}, limits: { totalMs: 10_000 } });
    await puppet.next();
    await world().clock.advance(10_000);
    await untilStatus(engine, id, "timed_out");
    await engine.retry(id);
    await puppet.next();
    await world().clock.advance(9_000);
    expect(await statusOf(engine, id)).toBe("running");
    await world().clock.advance(1_000);
    await untilStatus(engine, id, "timed_out");
  });

  it("is refused for a job that has succeeded or has not ended, and changes nothing", async () => {
    const puppet = new Puppet({ concurrency: 1 });
    const engine = await world().open([puppet.kind]);
    const { id } = await engine.submit({ kind: "puppet", input: {} });
    const { id: queued } = await engine.submit({ kind: "puppet", input: {} });
    const attempt = await puppet.next();
    await expect(engine.retry(id)).rejects.toMatchObject(refusal("conflict", /is running; only a job that failed/));
    await expect(engine.retry(queued)).rejects.toMatchObject(refusal("conflict", /is queued/));
    attempt.succeed();
    await untilStatus(engine, id, "succeeded");
    const before = await engine.get(id);
    await expect(engine.retry(id)).rejects.toMatchObject(refusal("conflict", /has succeeded/));
    expect(await engine.get(id)).toEqual(before);
  });

  it("makes one attempt of two calls at the same time", async () => {
    const { engine, puppet, id } = await openFailed();
    const [first, second] = await Promise.allSettled([engine.retry(id), engine.retry(id)]);
    expect(first.status).toBe("fulfilled");
    expect(second).toMatchObject({ status: "rejected", reason: refusal("conflict") });
    expect((await puppet.next()).context.attempt).toBe(2);
    await turns();
    expect(puppet.attempts).toHaveLength(2);
  });
});
