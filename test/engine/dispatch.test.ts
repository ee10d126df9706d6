import { describe, expect, it } from "vitest";
import type { Engine, SubmitRequest } from "../../src/index.ts";
import { turns } from "./fake-clock.ts";
import { Puppet } from "./puppet.ts";
import { refusal, statusOf, untilStatus, useWorld } from "./world.ts";

const world = useWorld();

function requests(labels: readonly string[], facts: Partial<SubmitRequest> = {}): SubmitRequest[] {
  return labels.map((label) => ({ kind: "puppet", input: { label }, ...facts }));
}

/** Ends one attempt after the other, and says in which order they started. */
async function drain(puppet: Puppet, count: number): Promise<string[]> {
  const order: string[] = [];
  for (let index = 0; index < count; index++) {
    const attempt = await puppet.next();
    order.push(attempt.label);
    attempt.succeed();
  }
  return order;
}

/** Submits while the kind is paused, so that all the jobs are there when the first is chosen. */
async function queue(engine: Engine, jobs: readonly SubmitRequest[]): Promise<void> {
  await engine.pause("puppet");
  for (const job of jobs) await engine.submit(job);
  await engine.resume("puppet");
}

describe("concurrency", () => {
  it("lets a kind run no more jobs at once than it says, and the next one starts when one ends", async () => {
    const puppet = new Puppet({ concurrency: 2 });
    const engine = await world().open([puppet.kind]);
    await engine.submitMany(requests(["a", "b", "c", "d"]));
    const first = await puppet.next();
    const second = await puppet.next();
    await turns();
    expect(puppet.started).toEqual(["a", "b"]);
    second.succeed();
    await puppet.next();
    await turns();
    expect(puppet.started).toEqual(["a", "b", "c"]);
    first.fail(new Error("broken"));
    expect((await puppet.next()).label).toBe("d");
  });

  it("is the engine's, where a kind does not say", async () => {
    const puppet = new Puppet();
    const engine = await world().open([puppet.kind], { concurrency: 3 });
    await engine.submitMany(requests(["a", "b", "c", "d", "e"]));
    await turns();
    expect(puppet.started).toEqual(["a", "b", "c"]);
  });

  it("is each kind's own: a full kind does not hold up another", async () => {
    const full = new Puppet({ name: "full", concurrency: 1 });
    const other = new Puppet({ name: "other", concurrency: 1 });
    const engine = await world().open([full.kind, other.kind]);
    await engine.submitMany([
      { kind: "full", input: {} },
      { kind: "full", input: {} },
      { kind: "other", input: { label: "free" } },
    ]);
    expect((await other.next()).label).toBe("free");
    expect(full.started).toHaveLength(1);
  });

  it("counts an attempt until its work has ended, also after it was told to stop", async () => {
    const puppet = new Puppet({ concurrency: 1, isStubborn: true });
    const engine = await world().openTimed([puppet.kind]);
    const [first] = await engine.submitMany(requests(["a", "b"]));
    const attempt = await puppet.next();
    await engine.cancel(first?.id ?? "");
    await turns();
    expect(puppet.started).toEqual(["a"]);
    attempt.succeed();
    expect((await puppet.next()).label).toBe("b");
  });

  it("gives the slot of a job that waits for an answer to the next one", async () => {
    const puppet = new Puppet({ concurrency: 1 });
    const engine = await world().open([puppet.kind]);
    await engine.submitMany(["asks", "next"].map((label) => ({ kind: "puppet", input: { label } })));
    const asking = await puppet.next();
    void asking.context.ask({ message: "Sure?" }).catch(() => undefined);
    const next = await puppet.next();
    expect(next.label).toBe("next");
  });

  it("counts the jobs that a restarted engine adopts before it starts others", async () => {
    const puppet = new Puppet({ concurrency: 1, onInterrupt: "adopt" });
    const engine = await world().open([puppet.kind]);
    const [adopted, queued] = await engine.submitMany(requests(["a", "b"]));
    await puppet.next();
    const reopened = await world().reopen();
    const again = await puppet.next();
    await turns();
    expect(puppet.started).toEqual(["a", "a"]);
    expect(await statusOf(reopened, queued?.id ?? "")).toBe("queued");
    again.succeed();
    expect((await puppet.next()).label).toBe("b");
    expect(await statusOf(reopened, adopted?.id ?? "")).toBe("succeeded");
  });
});

describe("concurrency per key", () => {
  it("lets only so many jobs with the same key run at once, and others pass", async () => {
    const puppet = new Puppet({ perKey: 1 });
    const engine = await world().open([puppet.kind]);
    await engine.submitMany([...requests(["a1", "a2", "a3"], { key: "a" }), ...requests(["b1", "b2"], { key: "b" })]);
    const a1 = await puppet.next();
    await puppet.next();
    await turns();
    expect(puppet.started).toEqual(["a1", "b1"]);
    a1.succeed();
    await puppet.next();
    await turns();
    expect(puppet.started).toEqual(["a1", "b1", "a2"]);
  });

  it("groups jobs by what the kind makes of the input, unless the request names a key", async () => {
    const puppet = new Puppet({ perKey: 1 });
    const engine = await world().open([puppet.kind]);
    await engine.submitMany([
      { kind: "puppet", input: { label: "one", host: "example.org" } },
      { kind: "puppet", input: { label: "two", host: "example.org" } },
      { kind: "puppet", input: { label: "three", host: "example.org" }, key: "own" },
      { kind: "puppet", input: { label: "four", host: "example.com" } },
    ]);
    await turns();
    expect(puppet.started.toSorted()).toEqual(["four", "one", "three"]);
  });

  it("does not hold back jobs without a key", async () => {
    const puppet = new Puppet({ perKey: 1 });
    const engine = await world().open([puppet.kind]);
    await engine.submitMany(requests(["a", "b", "c"]));
    await turns();
    expect(puppet.started).toEqual(["a", "b", "c"]);
  });

  it("stays within the kind's concurrency", async () => {
    const puppet = new Puppet({ perKey: 2, concurrency: 3 });
    const engine = await world().open([puppet.kind]);
    await engine.submitMany([...requests(["a1", "a2", "a3"], { key: "a" }), ...requests(["b1", "b2"], { key: "b" })]);
    await turns();
    expect(puppet.started).toHaveLength(3);
    expect(puppet.started.filter((label) => label.startsWith("a")).length).toBeLessThanOrEqual(2);
  });
});

describe("a rate", () => {
  it("lets only so many jobs start in any window, and the rest start as the window moves on", async () => {
    const puppet = new Puppet({ rate: { starts: 2, perMs: 10_000 } });
    const engine = await world().openTimed([puppet.kind]);
    await engine.submitMany(requests(["a", "b", "c", "d", "e"]));
    await turns();
    expect(puppet.started).toEqual(["a", "b"]);
    await world().clock.advance(9_999);
    expect(puppet.started).toEqual(["a", "b"]);
    await world().clock.advance(2);
    expect(puppet.started).toEqual(["a", "b", "c", "d"]);
    await world().clock.advance(9_998);
    expect(puppet.started).toEqual(["a", "b", "c", "d"]);
    await world().clock.advance(3);
    expect(puppet.started).toEqual(["a", "b", "c", "d", "e"]);
  });

  it("counts starts, not running jobs: one that has ended still counts", async () => {
    const puppet = new Puppet({ rate: { starts: 1, perMs: 5_000 } });
    const engine = await world().openTimed([puppet.kind]);
    await engine.submitMany(requests(["a", "b"]));
    (await puppet.next()).succeed();
    await world().clock.advance(4_999);
    expect(puppet.started).toEqual(["a"]);
    await world().clock.advance(2);
    expect(puppet.started).toEqual(["a", "b"]);
  });

  it("is not fooled when somebody sets the machine's clock", async () => {
    const puppet = new Puppet({ rate: { starts: 1, perMs: 5_000 } });
    const engine = await world().openTimed([puppet.kind]);
    await engine.submitMany(requests(["a", "b"]));
    await turns();
    world().clock.jump(3_600_000);
    await world().clock.advance(4_000);
    expect(puppet.started).toEqual(["a"]);
  });
});

describe("fairness between owners", () => {
  it("gives each owner a turn: one job does not wait behind somebody else's many", async () => {
    const puppet = new Puppet({ concurrency: 1 });
    const engine = await world().open([puppet.kind]);
    await queue(engine, [
      ...requests(["a1", "a2", "a3", "a4"], { owner: "a" }),
      ...requests(["b1", "b2"], { owner: "b" }),
      ...requests(["c1"], { owner: "c" }),
    ]);
    expect(await drain(puppet, 7)).toEqual(["a1", "b1", "c1", "a2", "b2", "a3", "a4"]);
  });

  it("does not put a newcomer before those whose turn it is, nor behind a whole backlog", async () => {
    const puppet = new Puppet({ concurrency: 1 });
    const engine = await world().open([puppet.kind]);
    await queue(engine, requests(["a1", "a2", "a3", "a4"], { owner: "a" }));
    expect(await drain(puppet, 2)).toEqual(["a1", "a2"]);
    const running = await puppet.next();
    await engine.submitMany(requests(["b1", "b2"], { owner: "b" }));
    running.succeed();
    expect(await drain(puppet, 3)).toEqual(["b1", "a4", "b2"]);
  });

  it("comes after priority", async () => {
    const puppet = new Puppet({ concurrency: 1 });
    const engine = await world().open([puppet.kind]);
    await queue(engine, [...requests(["b1"], { owner: "b" }), ...requests(["a1", "a2"], { owner: "a", priority: 1 })]);
    expect(await drain(puppet, 3)).toEqual(["a1", "a2", "b1"]);
  });
});

describe("pausing a kind", () => {
  it("keeps its queued jobs queued, lets running ones go on, and leaves other kinds alone", async () => {
    const puppet = new Puppet();
    const other = new Puppet({ name: "other" });
    const engine = await world().open([puppet.kind, other.kind]);
    const before = await engine.submit({ kind: "puppet", input: {} });
    const running = await puppet.next();
    await engine.pause("puppet");
    const after = await engine.submit({ kind: "puppet", input: {} });
    await engine.submit({ kind: "other", input: {} });
    await other.next();
    running.succeed();
    await untilStatus(engine, before.id, "succeeded");
    expect(await statusOf(engine, after.id)).toBe("queued");
    expect(puppet.started).toHaveLength(1);
  });

  it("ends when it is resumed: what has gathered runs", async () => {
    const puppet = new Puppet();
    const engine = await world().open([puppet.kind]);
    await engine.pause("puppet");
    await engine.submitMany(requests(["a", "b"]));
    await engine.resume("puppet");
    expect([(await puppet.next()).label, (await puppet.next()).label]).toEqual(["a", "b"]);
    expect(await engine.pausedKinds()).toEqual([]);
  });

  it("survives a restart of the engine", async () => {
    const puppet = new Puppet();
    const engine = await world().open([puppet.kind]);
    await engine.pause("puppet");
    await engine.submitMany(requests(["a"]));
    const reopened = await world().reopen();
    expect(await reopened.pausedKinds()).toEqual(["puppet"]);
    await turns();
    expect(puppet.started).toEqual([]);
    await reopened.resume("puppet");
    expect((await puppet.next()).label).toBe("a");
  });

  it("holds back the interrupted jobs of a restart too", async () => {
    const puppet = new Puppet();
    const engine = await world().open([puppet.kind]);
    const { id } = await engine.submit({ kind: "puppet", input: {} });
    await puppet.next();
    await engine.pause("puppet");
    const reopened = await world().reopen();
    await turns();
    expect(puppet.started).toHaveLength(1);
    expect(await statusOf(reopened, id)).toBe("queued");
  });

  it("can be said twice, and is refused for a kind that nobody knows", async () => {
    const puppet = new Puppet();
    const engine = await world().open([puppet.kind]);
    await engine.pause("puppet");
    await engine.pause("puppet");
    expect(await engine.pausedKinds()).toEqual(["puppet"]);
    await expect(engine.pause("nope")).rejects.toMatchObject(refusal("unknown_kind"));
    await expect(engine.resume("nope")).rejects.toMatchObject(refusal("unknown_kind"));
  });
});

describe("the diagnosis of a queued job", () => {
  it("tells how many slots are taken and how many jobs go first", async () => {
    const puppet = new Puppet({ concurrency: 1 });
    const engine = await world().open([puppet.kind]);
    const [running, next, last] = await engine.submitMany(requests(["a", "b", "c"]));
    await puppet.next();
    expect(await engine.diagnose(running?.id ?? "")).toBeUndefined();
    const reason = '1 of 1 slots for "puppet" are taken';
    expect(await engine.diagnose(next?.id ?? "")).toEqual({ reason, jobsAhead: 0 });
    expect(await engine.diagnose(last?.id ?? "")).toEqual({ reason, jobsAhead: 1 });
  });

  it("tells that its kind is paused", async () => {
    const puppet = new Puppet();
    const engine = await world().open([puppet.kind]);
    await engine.pause("puppet");
    const { id } = await engine.submit({ kind: "puppet", input: {} });
    expect(await engine.diagnose(id)).toEqual({ reason: 'kind "puppet" is paused', jobsAhead: 0 });
  });

  it("tells when a delayed job is due", async () => {
    const puppet = new Puppet();
    const engine = await world().openTimed([puppet.kind]);
    const { id } = await engine.submit({ kind: "puppet", input: {}, delayMs: 90_000 });
    expect(await engine.diagnose(id)).toEqual({ reason: "its start is due in 90 s" });
    await world().clock.advance(30_500);
    expect(await engine.diagnose(id)).toEqual({ reason: "its start is due in 60 s" });
  });

  it("tells when the next attempt of a failed job is due", async () => {
    const backoff = { initialMs: 20_000, factor: 2, maxMs: 60_000, jitter: 0 };
    const puppet = new Puppet({ limits: { attempts: 2, backoff } });
    const engine = await world().openTimed([puppet.kind]);
    const { id } = await engine.submit({ kind: "puppet", input: {} });
    (await puppet.next()).fail(new Error("broken"));
    await untilStatus(engine, id, "queued");
    expect(await engine.diagnose(id)).toEqual({ reason: "its next attempt (2) is due in 20 s" });
  });

  it("tells which jobs it depends on, by name where they have one", async () => {
    const puppet = new Puppet();
    const engine = await world().open([puppet.kind]);
    const named = await engine.submit({ kind: "puppet", input: {}, name: "build" });
    const plain = await engine.submit({ kind: "puppet", input: {} });
    const { id } = await engine.submit({ kind: "puppet", input: {}, dependsOn: [named.id, plain.id] });
    const single = await engine.submit({ kind: "puppet", input: {}, dependsOn: [named.id] });
    expect(await engine.diagnose(id)).toEqual({ reason: `it waits for 2 other jobs (build, ${plain.id})` });
    expect(await engine.diagnose(single.id)).toEqual({ reason: "it waits for 1 other job (build)" });
  });

  it("tells that no worker runs its kind", async () => {
    const puppet = new Puppet();
    const engine = await world().open([puppet.kind]);
    await engine.pause("puppet");
    const { id } = await engine.submit({ kind: "puppet", input: {} });
    const reopened = await world().reopen([]);
    expect(await reopened.diagnose(id)).toEqual({ reason: 'no worker runs jobs of kind "puppet"' });
  });
});
