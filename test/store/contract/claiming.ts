import { describe, expect, it } from "vitest";
import type { JobId } from "../../../src/job/id.ts";
import type { Job } from "../../../src/job/job.ts";
import { day, second, t0, unknownId } from "../drafts.ts";
import { failure, leaseMs, outcomes, useWorld, type OpenStore, type World } from "../world.ts";
import { present } from "../../present.ts";

export function describeClaiming(open: OpenStore): void {
  describe("claiming", () => {
    const world = useWorld(open);
    describeLeasing(world);
    describeOrder(world);
    describeTurns(world);
    describeDelays(world);
  });
}

const ids = (jobs: readonly Job[]): JobId[] => jobs.map(({ id }) => id);

function describeLeasing(world: () => World): void {
  it("a claimed job runs under a lease, and comes with its input", async () => {
    const job = await world().submit({ input: { n: 1 } });
    const [claim] = await world().claim({ worker: "w7", now: t0 + second });
    expect(claim).toMatchObject({ input: '{"n":1}', lease: { id: job.id, worker: "w7" } });
    expect(present(claim).job.state).toMatchObject({
      status: "running",
      attempt: 1,
      startedAt: t0 + second,
      lease: { worker: "w7", machine: "m1", fence: present(claim).lease.fence, expiresAt: t0 + second + leaseMs },
    });
    expect(await world().job(job.id)).toEqual(present(claim).job);
    expect((await world().events(job.id)).at(-1)).toMatchObject({
      type: "attempt-started",
      attempt: 1,
      worker: "w7",
      machine: "m1",
      at: t0 + second,
    });
  });

  it("a claim is there after a restart", async () => {
    const { job } = await world().start();
    await world().restart();
    expect(await world().job(job.id)).toEqual(job);
    expect(await world().claim()).toEqual([]);
  });

  it("at most as many jobs are claimed as are wanted of each kind, and none of other kinds", async () => {
    await world().submitMany(3, { kind: "one" });
    await world().submitMany(3, { kind: "two" });
    await world().submitMany(3, { kind: "three" });
    const wants = [
      { kind: "one", max: 2 },
      { kind: "two", max: 5 },
      { kind: "four", max: 5 },
      { kind: "three", max: 0 },
    ];
    const { claims } = await world().store.claim({ worker: "w1", machine: "m1", now: t0, leaseMs, wants });
    expect(claims.map(({ job }) => job.kind)).toEqual(["one", "one", "two", "two", "two"]);
  });

  it("a job is claimed once, by however many workers at the same time", async () => {
    const jobs = await world().submitMany(60);
    const claimed: JobId[] = [];
    const work = async (worker: string): Promise<void> => {
      for (;;) {
        const claims = await world().claimIds({ worker, max: 3 });
        if (claims.length === 0) return;
        claimed.push(...claims);
      }
    };
    await Promise.all(Array.from({ length: 8 }, (_, n) => work(`worker ${n}`)));
    expect(claimed.toSorted()).toEqual(ids(jobs).toSorted());
  });

  it("a job that is created at the same time as a claim is claimed once, now or later", async () => {
    const [job, first] = await Promise.all([world().submit(), world().claimIds()]);
    const then = await world().claimIds();
    expect([...first, ...then]).toEqual([job.id]);
  });

  it("the fence rises with every claim of a job", async () => {
    const { job, lease } = await world().start();
    await world().store.settle(lease, { type: "interrupted", cause: "test", isLoss: true }, { now: t0 });
    const again = await world().claimJob(job);
    expect(again.lease.fence).toBeGreaterThan(lease.fence);
    expect((await world().takeOver(again.lease)).lease.fence).toBeGreaterThan(again.lease.fence);
  });
}

function describeOrder(world: () => World): void {
  it("the highest priority goes first, then the oldest", async () => {
    const priorities = [0, 5, -5, 5, 0];
    const created = await world().create(...priorities.map((priority) => ({ priority })));
    const [a, b, c, d, e] = created.map(({ job }) => job.id);
    expect(await world().claimIds({ max: 10 })).toEqual([b, d, a, e, c]);
  });

  it("the order is the same when jobs are claimed one by one, and after a restart", async () => {
    const created = await world().create({ priority: 0 }, { priority: 1 }, { priority: 0 });
    const [a, b, c] = created.map(({ job }) => job.id);
    const claimed: JobId[] = [];
    for (let n = 0; n < 3; n++) {
      await world().restart();
      claimed.push(...(await world().claimIds()));
    }
    expect(claimed).toEqual([b, a, c]);
  });
}

function describeTurns(world: () => World): void {
  const ownersClaimed = async (max: number): Promise<string[]> =>
    (await world().claim({ max })).map(({ job }) => job.owner);

  it("owners take turns, so that one job does not wait behind another owner's hundred", async () => {
    await world().submitMany(100, { owner: "ann" });
    await world().submitMany(2, { owner: "bob" });
    await world().submit({ owner: "eve" });
    expect(await ownersClaimed(6)).toEqual(["ann", "bob", "eve", "ann", "bob", "ann"]);
  });

  it("a newcomer gets a turn at once, however much was claimed before", async () => {
    await world().submitMany(100, { owner: "ann" });
    expect(await ownersClaimed(50)).toEqual(Array.from({ length: 50 }, () => "ann"));
    await world().submit({ owner: "bob" });
    expect(await ownersClaimed(2)).toContain("bob");
  });

  it("turns are taken after a restart as before it", async () => {
    await world().submitMany(100, { owner: "ann" });
    await world().claim({ max: 10 });
    await world().restart();
    await world().submitMany(2, { owner: "bob" });
    expect((await ownersClaimed(5)).filter((owner) => owner === "bob")).toHaveLength(2);
  });

  it("turns do not outweigh priority", async () => {
    await world().submitMany(3, { owner: "ann", priority: 1 });
    await world().submit({ owner: "bob" });
    expect(await ownersClaimed(4)).toEqual(["ann", "ann", "ann", "bob"]);
  });

  it("each kind has turns of its own", async () => {
    await world().submitMany(100, { owner: "ann", kind: "other" });
    await world().submit({ owner: "ann" });
    await world().submitMany(100, { owner: "bob" });
    expect(await ownersClaimed(2)).toContain("ann");
  });

  it("an urgent job that is claimed first does not cost a newcomer its turn", async () => {
    await world().submitMany(100, { owner: "ann" });
    await world().submit({ owner: "ann", priority: 1 });
    expect(await ownersClaimed(1)).toEqual(["ann"]);
    await world().submit({ owner: "bob" });
    expect(await ownersClaimed(2)).toContain("bob");
  });

  it("jobs of another priority do not cost an owner its turn", async () => {
    await world().submitMany(100, { owner: "ann", priority: -1 });
    await world().submitMany(100, { owner: "bob" });
    await world().submit({ owner: "ann" });
    expect(await ownersClaimed(2)).toContain("ann");
  });

  it("jobs that were cancelled do not cost their owner its turn", async () => {
    const cancelled = await world().submitMany(100, { owner: "ann" });
    await Promise.all(cancelled.map(({ id }) => world().store.cancel(id, { reason: "not needed", at: t0 })));
    await world().submitMany(100, { owner: "bob" });
    await world().submit({ owner: "ann" });
    expect(await ownersClaimed(2)).toContain("ann");
  });

  it("jobs that are not due yet do not cost their owner its turn", async () => {
    await world().submitMany(100, { owner: "ann", runAt: t0 + day });
    await world().submitMany(100, { owner: "bob" });
    await world().submit({ owner: "ann" });
    expect(await ownersClaimed(2)).toContain("ann");
  });

  it("a refused call does not cost its owner its turn", async () => {
    const refused = [...Array.from({ length: 100 }, () => ({})), { dependsOn: [unknownId] }];
    await world()
      .create(...refused)
      .catch(() => undefined);
    await world().submitMany(100, { owner: "bob" });
    await world().submit({ owner: "ann" });
    expect(await ownersClaimed(2)).toContain("ann");
  });
}

function describeDelays(world: () => World): void {
  it("a job is not claimed before its time, and is from then on", async () => {
    const job = await world().submit({ runAt: t0 + second });
    expect(await world().claimIds({ now: t0 + second - 1 })).toEqual([]);
    expect(await world().claimIds({ now: t0 + second })).toEqual([job.id]);
  });

  it("a delayed job takes its place by priority and age when its time has come", async () => {
    const delayed = await world().submit({ runAt: t0 + second, priority: 1 });
    const [older, newer] = [await world().submit(), await world().submit()];
    expect(await world().claimIds({ now: t0 })).toEqual([older.id]);
    expect(await world().claimIds({ now: t0 + second, max: 2 })).toEqual([delayed.id, newer.id]);
  });

  it("a claim says when the next delayed job becomes ready", async () => {
    const claim = (now: number): ReturnType<World["store"]["claim"]> =>
      world().store.claim({ worker: "w1", machine: "m1", now, leaseMs, wants: [{ kind: "work", max: 10 }] });
    expect(await claim(t0)).toEqual({ claims: [] });
    await world().create({ runAt: t0 + 20 }, { runAt: t0 + 10 }, { runAt: t0 });
    expect(await claim(t0)).toMatchObject({ claims: [{}], nextRunAt: t0 + 10 });
    expect(await claim(t0 + 10)).toMatchObject({ claims: [{}], nextRunAt: t0 + 20 });
    const last = await claim(t0 + 20);
    expect(last.claims).toHaveLength(1);
    expect(last.nextRunAt).toBeUndefined();
  });

  it("a claim never names a time that has come, so that nobody claims in vain again and again", async () => {
    const { job } = await world().start();
    const runAt = t0 + 10;
    const [blocked, cancelled] = [
      await world().submit({ dependsOn: [job.id], runAt }),
      await world().submit({ runAt }),
    ];
    await world().store.cancel(cancelled.id, { reason: "not needed", at: t0 });
    for (const now of [t0, runAt, runAt + 1]) {
      const { nextRunAt } = await world().store.claim({
        worker: "w1",
        machine: "m1",
        now,
        leaseMs,
        wants: [{ kind: "work", max: 9 }],
      });
      expect(nextRunAt ?? Infinity).toBeGreaterThan(now);
    }
    expect(await world().status(blocked.id)).toBe("queued");
  });

  it.each(["while the store is open", "before it is opened"])(
    "a clock that is set back %s makes no job wait longer than it was to",
    async (when) => {
      const { job, lease } = await world().start();
      await world().store.settle(lease, { type: "retry", failure, runAt: t0 + 10 * second }, { now: t0 });
      const delayed = await world().submit({ runAt: t0 + 20 * second, limits: { queueMs: second } });
      const ready = await world().submit();
      if (when !== "while the store is open") await world().restart();
      const later = t0 - day;
      expect(await world().claimIds({ now: later })).toEqual([ready.id]);
      expect(await world().claimIds({ now: later + 10 * second - 1, max: 3 })).toEqual([]);
      expect(await world().claimIds({ now: later + 10 * second, max: 3 })).toEqual([job.id]);
      expect((await world().job(delayed.id)).state).toMatchObject({
        acceptedAt: later,
        queuedAt: later,
        runAt: later + 20 * second,
        deadlineAt: later + 21 * second,
      });
      expect(await world().store.expireQueued(later + 21 * second, 10)).toBe(1);
    },
  );

  it("a job whose dependency succeeds after the clock was set back starts at once", async () => {
    const { job: needed, lease } = await world().start({ kind: "needed" });
    const dependent = await world().submit({ dependsOn: [needed.id] });
    const later = t0 - day;
    expect(await world().claimIds({ now: later })).toEqual([]);
    await world().store.settle(lease, outcomes.succeeded, { now: later });
    expect(await world().claimIds({ now: later })).toEqual([dependent.id]);
  });

  it("a delayed job whose dependency succeeds still waits for its time", async () => {
    const { job: needed, lease } = await world().start();
    const job = await world().submit({ dependsOn: [needed.id], runAt: t0 + second });
    await world().store.settle(lease, outcomes.succeeded, { now: t0 });
    expect(await world().claimIds({ now: t0 })).toEqual([]);
    expect(await world().claimIds({ now: t0 + second })).toEqual([job.id]);
  });
}
