import { describe, expect, it } from "vitest";
import type { JobId } from "../../../src/job/id.ts";
import type { QueuedFacts } from "../../../src/store/kind-limits.ts";
import { present } from "../../present.ts";
import { day, second, t0, unknownId } from "../drafts.ts";
import { failure, leaseMs, outcomes, useWorld, type OpenStore, type World } from "../world.ts";

/** What keeps jobs that are ready from being claimed. */
export function describeLimits(open: OpenStore): void {
  describe("limits", () => {
    const world = useWorld(open);
    describeKeys(world);
    describeRates(world);
    describeQueue(world);
    describePausing(world);
  });
}

function describeKeys(world: () => World): void {
  it("at most perKey jobs with the same key are held at once", async () => {
    await world().submitMany(3, { key: "a" });
    await world().submitMany(3, { key: "b" });
    const claims = await world().claim({ max: 10, perKey: 2 });
    expect(claims.map(({ job }) => job.key ?? "").toSorted()).toEqual(["a", "a", "b", "b"]);
    expect(await world().claim({ max: 10, perKey: 2 })).toEqual([]);
    const ended = present(claims.find(({ job }) => job.key === "a"));
    await world().store.settle(ended.lease, outcomes.succeeded, { now: t0 });
    expect((await world().claim({ max: 10, perKey: 2 })).map(({ job }) => job.key)).toEqual(["a"]);
  });

  it("a key may have a limit of its own", async () => {
    await world().submitMany(3, { key: "a" });
    await world().submitMany(3, { key: "b" });
    const want = { max: 10, perKey: 1, perKeyOf: new Map([["a", 2]]) };
    expect((await world().claim(want)).map(({ job }) => job.key ?? "").toSorted()).toEqual(["a", "a", "b"]);
    expect(await world().claim(want)).toEqual([]);
  });

  it("a job that waits for an answer is held too", async () => {
    const { lease } = await world().start({ key: "a" });
    await world().store.ask(lease, { key: "q", question: { message: "Which?" }, at: t0 });
    const next = await world().submit({ key: "a" });
    expect(await world().claim({ perKey: 1 })).toEqual([]);
    await world().store.settle(lease, outcomes.succeeded, { now: t0 });
    expect(await world().claimIds({ perKey: 1 })).toEqual([next.id]);
  });

  it("jobs without a key share no limit", async () => {
    await world().submitMany(3);
    expect(await world().claim({ max: 10, perKey: 1 })).toHaveLength(3);
  });

  it("jobs with the same key but of another kind do not count", async () => {
    await world().start({ key: "a", kind: "other" });
    const job = await world().submit({ key: "a" });
    expect(await world().claimIds({ perKey: 1 })).toEqual([job.id]);
  });

  it("with a limit per key, priority and age still decide, and a full key holds up nobody else", async () => {
    await world().start({ key: "full" });
    const created = await world().create(
      { key: "full", priority: 9 },
      { key: "a" },
      { key: "b", priority: 1 },
      { key: "a" },
      { key: "c" },
    );
    const [, a, b, , c] = created.map(({ job }) => job.id);
    expect(await world().claimIds({ max: 2, perKey: 1 })).toEqual([b, a]);
    expect(await world().claimIds({ max: 9, perKey: 1 })).toEqual([c]);
  });
}

function describeRates(world: () => World): void {
  const rate = { starts: 3, perMs: 10 * second };
  const claimAt = async (now: number, max = 10): Promise<number> => (await world().claim({ now, max, rate })).length;

  it("no more jobs of a kind are claimed than its rate lets start in any window", async () => {
    await world().submitMany(20);
    expect(await claimAt(t0, 2)).toBe(2);
    expect(await claimAt(t0 + 4 * second)).toBe(1);
    expect(await claimAt(t0 + 10 * second - 1)).toBe(0);
    expect(await claimAt(t0 + 10 * second)).toBe(2);
    expect(await claimAt(t0 + 14 * second)).toBe(1);
    expect(await claimAt(t0 + 14 * second)).toBe(0);
  });

  it("a start counts although its job has ended", async () => {
    await world().submitMany(5);
    for (const { lease } of await world().claim({ max: 10, rate })) {
      await world().store.settle(lease, outcomes.succeeded, { now: t0 });
    }
    expect(await claimAt(t0 + second)).toBe(0);
  });

  it("a claim says when the rate lets the next job start", async () => {
    await world().submitMany(9);
    expect((await world().claimed({ max: 2, rate })).nextRunAt).toBeUndefined();
    expect((await world().claimed({ now: t0 + second, max: 5, rate })).nextRunAt).toBe(t0 + 10 * second);
    expect((await world().claimed({ now: t0 + 2 * second, max: 5, rate })).nextRunAt).toBe(t0 + 10 * second);
    const { claims, nextRunAt } = await world().claimed({ now: t0 + 10 * second, max: 5, rate });
    expect([claims.length, nextRunAt]).toEqual([2, t0 + 11 * second]);
  });

  it("of claims at the same time the later counts the starts of the earlier, also where its clock is behind", async () => {
    await world().submitMany(20);
    await world().store.limits("work", { rate });
    const counts = await Promise.all([40, 30, 20, 10, 0].map((ms) => claimAt(t0 + ms, 2)));
    expect(counts.reduce((sum, count) => sum + count)).toBe(3);
  });

  it("a kind without a rate, and one whose rate is taken back, start as many as there are", async () => {
    await world().submitMany(5, { kind: "other" });
    await world().submitMany(5);
    expect(await claimAt(t0)).toBe(3);
    expect(await world().claim({ kind: "other", max: 9 })).toHaveLength(5);
    await world().store.limits("work", {});
    expect(await world().claim({ max: 9 })).toHaveLength(2);
  });

  it("a job that is adopted does not start anew", async () => {
    await world().submitMany(4);
    const [first] = await world().claim({ max: 2, rate });
    await world().takeOver(present(first).lease);
    expect(await claimAt(t0)).toBe(1);
  });

  it("a clock that is set back keeps no job waiting for longer than a window", async () => {
    await world().submitMany(9);
    expect(await claimAt(t0)).toBe(3);
    expect(await claimAt(t0 - day)).toBeLessThanOrEqual(3);
    expect(await claimAt(t0 - day + 10 * second)).toBe(3);
  });
}

function describeQueue(world: () => World): void {
  const facts = (id: JobId, countUpTo = 100): Promise<QueuedFacts | undefined> =>
    world().store.queued(id, { now: t0, countUpTo });
  const ahead = async (id: JobId, countUpTo?: number): Promise<number | undefined> =>
    (await facts(id, countUpTo))?.jobsAhead;

  it("the jobs ahead of a job are those that would be claimed before it", async () => {
    const created = await world().create(
      { owner: "ann" },
      { owner: "ann" },
      { owner: "bob", priority: 1 },
      { owner: "bob" },
      { owner: "eve", kind: "other" },
    );
    const jobs = created.map(({ job }) => job).filter(({ kind }) => kind === "work");
    const counts = await Promise.all(jobs.map(({ id }) => ahead(id)));
    const claimed = await world().claimIds({ max: 10 });
    expect(counts).toEqual(jobs.map(({ id }) => claimed.indexOf(id)));
  });

  it("the jobs ahead are counted up to a limit", async () => {
    const jobs = await world().submitMany(10);
    expect(await ahead(present(jobs.at(-1)).id, 4)).toBe(4);
    expect(await ahead(present(jobs.at(-1)).id, 100)).toBe(9);
  });

  it("a job that is not ready has no place in the queue", async () => {
    const { job: running } = await world().start();
    const delayed = await world().submit({ runAt: t0 + day });
    const blocked = await world().submit({ dependsOn: [running.id] });
    for (const { id } of [running, delayed, blocked]) {
      expect(await ahead(id)).toBeUndefined();
    }
  });

  it("a requeued job is not ready before its next attempt is due", async () => {
    const { job, lease } = await world().start();
    await world().store.settle(lease, { type: "retry", failure, runAt: t0 + second }, { now: t0 });
    expect(await ahead(job.id)).toBeUndefined();
    expect(await world().claimIds({ now: t0 + second })).toEqual([job.id]);
  });

  it("only a queued job waits for something", async () => {
    const { job } = await world().start();
    expect(await facts(job.id)).toBeUndefined();
    expect(await facts(unknownId)).toBeUndefined();
    const { id } = await world().submit();
    expect(await facts(id)).toEqual({ isPaused: false, jobsAhead: 0 });
  });

  it("a job tells that its key is full, for as long as it is", async () => {
    await world().submitMany(2, { key: "a" });
    const other = await world().submit({ key: "b" });
    const claims = await world().claim({ max: 1, perKey: 1, perKeyOf: new Map([["b", 2]]) });
    const [, waiting] = (await world().store.list({ status: ["queued"] }, { limit: 2 })).jobs;
    const { id } = present(waiting);
    expect(await facts(id)).toEqual({ isPaused: false, jobsAhead: 0, fullKey: 1 });
    expect(await facts(other.id)).toEqual({ isPaused: false, jobsAhead: 1 });
    await world().store.settle(present(claims[0]).lease, outcomes.succeeded, { now: t0 });
    expect(await facts(id)).toEqual({ isPaused: false, jobsAhead: 0 });
  });

  it("a job tells that the rate of its kind is used up, and that its kind is paused", async () => {
    const rate = { starts: 2, perMs: 10 * second };
    const last = present((await world().submitMany(3)).at(-1));
    await world().claim({ max: 3, rate });
    await world().store.setPaused("other", true);
    expect(await facts(last.id)).toEqual({ isPaused: false, jobsAhead: 0, usedUpRate: rate });
    const later = { now: t0 + 10 * second, countUpTo: 1 };
    expect(await world().store.queued(last.id, later)).toEqual({ isPaused: false, jobsAhead: 0 });
    await world().store.setPaused("work", true);
    expect(await world().store.queued(last.id, later)).toMatchObject({ isPaused: true });
  });
}

function describePausing(world: () => World): void {
  it("paused kinds are remembered across a restart, each once, until they are resumed", async () => {
    const { store } = world();
    expect(await store.pausedKinds()).toEqual([]);
    await store.setPaused("b", true);
    await store.setPaused("a", true);
    await store.setPaused("a", true);
    await store.setPaused("never", false);
    await world().restart();
    expect((await world().store.pausedKinds()).toSorted()).toEqual(["a", "b"]);
    await world().store.setPaused("a", false);
    expect(await world().store.pausedKinds()).toEqual(["b"]);
  });

  it("a paused kind is not claimed, whoever asks, until it is resumed; held jobs of it go on", async () => {
    const { lease } = await world().start();
    const job = await world().submit();
    await world().submit({ kind: "other" });
    await world().store.setPaused("work", true);
    const wants = ["work", "other"].map((kind) => ({ kind, max: 5 }));
    const { claims } = await world().store.claim({ worker: "w2", machine: "m1", now: t0, leaseMs, wants });
    expect(claims.map(({ job: { kind } }) => kind)).toEqual(["other"]);
    expect(await world().store.beat([lease], t0 + leaseMs)).toEqual({ lost: [], cancelled: [] });
    expect(await world().store.settle(lease, outcomes.succeeded, { now: t0 })).toBeDefined();
    await world().store.setPaused("work", false);
    expect(await world().claimIds()).toEqual([job.id]);
  });

  it("a claim that comes with the end of a pause, or its beginning, is of one side of it", async () => {
    await world().submitMany(4);
    const [, during] = await Promise.all([world().store.setPaused("work", true), world().claim({ max: 2 })]);
    expect([0, 2]).toContain(during.length);
    expect(await world().claim()).toEqual([]);
  });
}
