import { describe, expect, it } from "vitest";
import type { Job } from "../../../src/job/job.ts";
import type { LostLease, Store } from "../../../src/store/store.ts";
import { second, t0, unknownId } from "../drafts.ts";
import { leaseMs, outcomes, useWorld, type OpenStore, type World } from "../world.ts";
import { present } from "../../present.ts";

export function describeLeases(open: OpenStore): void {
  describe("leases", () => {
    const world = useWorld(open);
    describeBeats(world);
    describeLoss(world);
    describeFencing(world);
    describeProgress(world);
    describeCheckpoints(world);
  });
}

const leaseEnd = (job: Job): number | undefined => ("lease" in job.state ? job.state.lease.expiresAt : undefined);

function describeBeats(world: () => World): void {
  it("a beat extends the leases that are held, and changes nothing else", async () => {
    const { job, lease } = await world().start();
    expect(await world().store.beat([lease], t0 + 99 * second)).toEqual({ lost: [], cancelled: [] });
    const extended = await world().job(job.id);
    expect(leaseEnd(extended)).toBe(t0 + 99 * second);
    expect({ ...extended, state: undefined }).toEqual({ ...job, state: undefined });
    expect(await world().store.lost({ before: t0 + 99 * second, kinds: ["work"], limit: 10 })).toEqual([]);
  });

  it("a beat without leases is answered", async () => {
    expect(await world().store.beat([], t0)).toEqual({ lost: [], cancelled: [] });
  });

  it("a beat extends the lease of a job that waits for an answer", async () => {
    const { job, lease } = await world().start();
    await world().store.ask(lease, { key: "q", question: { message: "Which?" }, at: t0 });
    expect(await world().store.beat([lease], t0 + 99 * second)).toEqual({ lost: [], cancelled: [] });
    expect(leaseEnd(await world().job(job.id))).toBe(t0 + 99 * second);
  });

  it("a beat says which leases are lost, and extends the others", async () => {
    const [kept, taken, ended] = [
      await world().start({ kind: "a" }),
      await world().start({ kind: "b" }),
      await world().start({ kind: "c" }),
    ];
    await world().takeOver(taken.lease);
    await world().store.settle(ended.lease, outcomes.succeeded, { now: t0 });
    const unknown = { id: unknownId, worker: "w1", fence: 1 };
    const leases = [kept.lease, taken.lease, ended.lease, unknown];
    const { lost } = await world().store.beat(leases, t0 + 99 * second);
    expect(lost.toSorted()).toEqual([taken.job.id, ended.job.id, unknownId].toSorted());
    expect(leaseEnd(await world().job(kept.job.id))).toBe(t0 + 99 * second);
    expect(leaseEnd(await world().job(taken.job.id))).toBe(t0 + leaseMs);
  });

  it("a beat says which jobs were asked to cancel, every time until they end", async () => {
    const { job, lease } = await world().start();
    await world().store.cancel(job.id, { reason: "not needed", at: t0 });
    const answer = { lost: [], cancelled: [{ id: job.id, reason: "not needed" }] };
    expect(await world().store.beat([lease], t0 + 40 * second)).toEqual(answer);
    expect(await world().store.beat([lease], t0 + 50 * second)).toEqual(answer);
    expect(leaseEnd(await world().job(job.id))).toBe(t0 + 50 * second);
  });

  it("an extended lease stays extended, whatever its worker writes next", async () => {
    const { job, lease } = await world().start();
    const { store } = world();
    await store.beat([lease], t0 + 99 * second);
    await store.append(lease, [{ type: "job-active-again" }], t0);
    await store.report(lease, { progress: { percent: 1 }, isEvent: true, at: t0 });
    await store.stall(lease, t0, t0);
    await store.ask(lease, { key: "q", question: { message: "Which?" }, at: t0 });
    await store.answer(job.id, { key: "q", answer: { action: "decline" }, at: t0 });
    await store.cancel(job.id, { reason: "not needed", at: t0 });
    expect(leaseEnd(await world().job(job.id))).toBe(t0 + 99 * second);
    expect(await store.lost({ before: t0 + 99 * second, kinds: ["work"], limit: 10 })).toEqual([]);
  });
}

function describeLoss(world: () => World): void {
  const lostLease = async ({ leaseMs: forMs = second } = {}): Promise<LostLease & { job: Job }> => {
    const { job, lease } = await world().start({}, { leaseMs: forMs });
    return { ...lease, before: t0 + 2 * second, job };
  };
  const rescue = { worker: "w2", machine: "m1", now: t0 + 2 * second, leaseMs };

  it("the lost jobs are those whose lease ended before a time, oldest end first, up to a limit", async () => {
    const [late, early, running] = [
      await world().start({ kind: "a" }, { leaseMs: 2 * second }),
      await world().start({ kind: "b" }, { leaseMs: second }),
      await world().start({ kind: "c" }, { leaseMs: 3 * second }),
    ];
    await world().submit();
    await world().finish("failed", { kind: "d" });
    const lost = async (before: number, limit: number): Promise<unknown> =>
      (await world().store.lost({ before, kinds: ["a", "b", "c", "d", "work"], limit })).map(({ id }) => id);
    expect(await lost(t0 + 2 * second + 1, 10)).toEqual([early.job.id, late.job.id]);
    expect(await lost(t0 + 2 * second, 10)).toEqual([early.job.id]);
    expect(await lost(Infinity, 1)).toEqual([early.job.id]);
    expect(await lost(Infinity, 10)).toEqual([early.job.id, late.job.id, running.job.id]);
  });

  it("lost jobs of other kinds are not told", async () => {
    const [one, two] = [await world().start({ kind: "one" }), await world().start({ kind: "two" })];
    const lost = async (...kinds: string[]): Promise<unknown> =>
      (await world().store.lost({ before: Infinity, kinds, limit: 1 })).map(({ id }) => id);
    expect(await lost("one")).toEqual([one.job.id]);
    expect(await lost("two", "three")).toEqual([two.job.id]);
    expect(await lost("three", "on", "one,two", '"one"')).toEqual([]);
    expect(await lost()).toEqual([]);
  });

  it("a lost job is adopted as it is: same attempt, new lease, one interruption more", async () => {
    const { job, ...lost } = await lostLease();
    const claim = present(await world().store.adopt(lost, rescue));
    expect(claim).toMatchObject({ input: "{}", lease: { id: job.id, worker: "w2" } });
    expect(claim.job).toEqual({
      ...job,
      lastSeq: job.lastSeq + 1,
      state: {
        ...job.state,
        interruptions: 1,
        losses: 1,
        lease: { worker: "w2", machine: "m1", fence: claim.lease.fence, expiresAt: t0 + 2 * second + leaseMs },
      },
    });
    expect(await world().job(job.id)).toEqual(claim.job);
    expect((await world().eventTypes(job.id)).at(-1)).toBe("attempt-adopted");
  });

  it("a job that waits for an answer is adopted waiting", async () => {
    const { job, lease } = await world().start({}, { leaseMs: second });
    await world().store.ask(lease, { key: "q", question: { message: "Which?" }, at: t0 });
    const claim = await world().store.adopt({ ...lease, before: t0 + 2 * second }, rescue);
    expect(present(claim).job.state).toMatchObject({ status: "waiting", openQuestions: ["q"] });
    expect(await world().status(job.id)).toBe("waiting");
  });

  it("a lost job that is abandoned goes back to the queue, or ends", async () => {
    const { job, ...lost } = await lostLease();
    const requeued = await world().store.abandon(
      lost,
      { type: "interrupted", cause: "lost", isLoss: true },
      t0 + 2 * second,
    );
    expect(present(requeued).state).toMatchObject({
      status: "queued",
      because: "interrupted",
      interruptions: 1,
      losses: 1,
    });
    const again = await world().claimJob(job, { now: t0 + 2 * second, leaseMs: second });
    const lostAgain = { ...again.lease, before: t0 + 4 * second };
    const ended = await world().store.abandon(lostAgain, outcomes.failed, t0 + 4 * second);
    expect(present(ended).state).toMatchObject({ status: "failed", attempt: 1 });
    expect(await world().job(job.id)).toEqual(ended);
  });

  it("a lost job that was asked to cancel ends as cancelled when it is abandoned", async () => {
    const { job, ...lost } = await lostLease();
    await world().store.cancel(job.id, { reason: "not needed", at: t0 });
    const ended = await world().store.abandon(
      lost,
      { type: "interrupted", cause: "lost", isLoss: true },
      t0 + 2 * second,
    );
    expect(present(ended).state).toMatchObject({ status: "cancelled", reason: "not needed" });
  });

  const rescues: [string, (store: Store, lost: LostLease) => Promise<unknown>][] = [
    ["adopted", (store, lost) => store.adopt(lost, rescue)],
    ["abandoned", (store, lost) => store.abandon(lost, outcomes.failed, t0 + 2 * second)],
  ];

  it.each(rescues)("a job whose holder was heard again is not %s", async (_what, attempt) => {
    const { job, ...lost } = await lostLease();
    await world().store.beat([lost], t0 + 2 * second);
    const before = await world().job(job.id);
    expect(await attempt(world().store, lost)).toBeUndefined();
    expect(await world().job(job.id)).toEqual(before);
  });

  it.each(rescues)("of two rescuers one is faster, and the other has not %s the job", async (_what, attempt) => {
    const { job, ...lost } = await lostLease();
    const faster = present(await world().store.adopt(lost, { ...rescue, worker: "w3" }));
    expect(await attempt(world().store, lost)).toBeUndefined();
    expect(await world().job(job.id)).toEqual(faster.job);
  });

  it.each(rescues)("a job that has ended or is not there is not %s", async (_what, attempt) => {
    const { job, ...lost } = await lostLease();
    const ended = await world().store.settle(lost, outcomes.succeeded, { now: t0 });
    expect(await attempt(world().store, lost)).toBeUndefined();
    expect(await attempt(world().store, { ...lost, id: unknownId })).toBeUndefined();
    expect(await world().job(job.id)).toEqual(ended);
  });

  it("of rescuers at the same time, one adopts the job", async () => {
    const { job: _job, ...lost } = await lostLease();
    const workers = ["w2", "w3", "w4", "w5"];
    const claims = await Promise.all(workers.map((worker) => world().store.adopt(lost, { ...rescue, worker })));
    expect(claims.filter((claim) => claim !== undefined)).toHaveLength(1);
  });

  it("a released job keeps its state and is adopted at once, also after a restart", async () => {
    const { job, lease } = await world().start();
    await world().store.release(lease);
    const released = await world().job(job.id);
    expect({ ...released.state, lease: undefined }).toEqual({ ...job.state, lease: undefined });
    expect(released.lastSeq).toBe(job.lastSeq);
    await world().restart();
    expect(await world().store.lost({ before: t0, kinds: ["work"], limit: 10 })).toEqual([await world().job(job.id)]);
    const adopted = await world().store.adopt(
      { ...lease, before: t0 },
      { worker: "w2", machine: "m1", now: t0, leaseMs },
    );
    expect(present(adopted).job.state).toMatchObject({ status: "running", attempt: 1, lease: { worker: "w2" } });
  });
}

function describeFencing(world: () => World): void {
  const verbs: [string, (store: Store, lease: LostLease) => Promise<unknown>, lostAnswer: unknown][] = [
    ["append", (store, lease) => store.append(lease, [{ type: "job-active-again" }], t0), false],
    ["settle", (store, lease) => store.settle(lease, outcomes.succeeded, { now: t0, result: "1" }), undefined],
    [
      "requeue",
      (store, lease) => store.settle(lease, { type: "interrupted", cause: "", isLoss: true }, { now: t0 }),
      undefined,
    ],
    ["report", (store, lease) => store.report(lease, { progress: { percent: 9 }, isEvent: true, at: t0 }), false],
    ["stall", (store, lease) => store.stall(lease, t0, t0), false],
    ["save a checkpoint", (store, lease) => store.saveCheckpoint(lease, "1"), false],
    ["ask", (store, lease) => store.ask(lease, { key: "q", question: { message: "?" }, at: t0 }), undefined],
    ["release", (store, lease) => store.release(lease), undefined],
    ["adopt", (store, lease) => store.adopt(lease, { worker: "w1", machine: "m1", now: t0, leaseMs }), undefined],
    ["abandon", (store, lease) => store.abandon(lease, outcomes.failed, t0), undefined],
  ];

  it.each(verbs)("a holder whose job was taken over can no longer %s", async (_verb, call, lostAnswer) => {
    const { job, lease } = await world().start();
    const { job: taken } = await world().takeOver(lease);
    expect(await call(world().store, { ...lease, before: Infinity })).toEqual(lostAnswer);
    await expectUntouched(world(), taken);
    expect(await world().status(job.id)).toBe("running");
  });

  it.each(verbs)("a holder whose job was requeued and claimed again can no longer %s", async (_verb, call, answer) => {
    const { job, lease } = await world().start();
    await world().store.settle(lease, { type: "interrupted", cause: "test", isLoss: true }, { now: t0 });
    const again = await world().claimJob(job, { worker: lease.worker });
    expect(await call(world().store, { ...lease, before: Infinity })).toEqual(answer);
    await expectUntouched(world(), again.job);
  });

  it.each(verbs)("a worker that never held the job cannot %s", async (_verb, call, answer) => {
    const { job, lease } = await world().start();
    expect(await call(world().store, { ...lease, worker: "stranger", before: Infinity })).toEqual(answer);
    await expectUntouched(world(), job);
  });

  it("a beat of a worker that never held the job extends nothing", async () => {
    const { job, lease } = await world().start();
    const answer = await world().store.beat([{ ...lease, worker: "stranger" }], t0 + 99 * second);
    expect(answer).toEqual({ lost: [job.id], cancelled: [] });
    await expectUntouched(world(), job);
  });

  it("a beat of a holder whose job was taken over extends nothing", async () => {
    const { lease } = await world().start();
    const { job: taken } = await world().takeOver(lease);
    expect(await world().store.beat([lease], t0 + 99 * second)).toEqual({ lost: [taken.id], cancelled: [] });
    await expectUntouched(world(), taken);
  });
}

async function expectUntouched(world: World, job: Job): Promise<void> {
  expect(await world.job(job.id)).toEqual(job);
  expect(await world.events(job.id)).toHaveLength(job.lastSeq);
  expect(await world.store.payload(job.id)).toEqual({ input: "{}" });
  expect(await world.store.loadCheckpoint(job.id)).toBeUndefined();
  expect(await world.store.questions(job.id)).toEqual([]);
}

function describeProgress(world: () => World): void {
  it("reported progress is in the job's state, and outlives a restart", async () => {
    const { job, lease } = await world().start();
    const progress = { percent: 62, phase: "pages", message: "page 31/50", counts: { done: 31, total: 50 } };
    expect(await world().store.report(lease, { progress, isEvent: false, at: t0 })).toBe(true);
    await world().restart();
    expect(await world().job(job.id)).toEqual({ ...job, state: { ...job.state, progress } });
  });

  it("progress becomes an event only when asked for", async () => {
    const { job, lease } = await world().start();
    await world().store.report(lease, { progress: { percent: 1 }, isEvent: false, at: t0 });
    await world().store.report(lease, { progress: { percent: 2 }, isEvent: true, at: t0 + 1 });
    expect((await world().events(job.id)).slice(2)).toEqual([
      { type: "progress-made", progress: { percent: 2 }, jobId: job.id, seq: 3, at: t0 + 1 },
    ]);
  });

  it("a silent job is marked as stalled, and the mark goes when it is heard again", async () => {
    const { job, lease } = await world().start();
    const { store } = world();
    expect(await store.stall(lease, t0 + 10, t0 + 15)).toBe(true);
    expect((await world().job(job.id)).state).toMatchObject({ status: "running", stalledSince: t0 + 10 });
    expect(await store.stall(lease, undefined, t0 + 20)).toBe(true);
    expect((await world().job(job.id)).state).toEqual(job.state);
    expect((await world().events(job.id)).slice(2)).toMatchObject([
      { type: "job-stalled", idleMs: 5, at: t0 + 15 },
      { type: "job-active-again", at: t0 + 20 },
    ]);
  });

  it("marking a job as it is marked already adds no event", async () => {
    const { job, lease } = await world().start();
    await world().store.stall(lease, undefined, t0);
    await world().store.stall(lease, t0, t0 + 5);
    await world().store.stall(lease, t0, t0 + 6);
    expect((await world().eventTypes(job.id)).slice(2)).toEqual(["job-stalled"]);
  });
}

function describeCheckpoints(world: () => World): void {
  it("a checkpoint replaces the one before, and outlives a restart and a requeue", async () => {
    const { job, lease } = await world().start();
    expect(await world().store.loadCheckpoint(job.id)).toBeUndefined();
    expect(await world().store.saveCheckpoint(lease, '{"page":1}')).toBe(true);
    expect(await world().store.saveCheckpoint(lease, '{"page":2}')).toBe(true);
    await world().restart();
    await world().store.settle(lease, { type: "interrupted", cause: "test", isLoss: true }, { now: t0 });
    expect(await world().store.loadCheckpoint(job.id)).toBe('{"page":2}');
  });

  it("a checkpoint is deleted when its job succeeds, and kept for a retry when it does not", async () => {
    for (const status of ["succeeded", "failed", "timed_out", "cancelled"] as const) {
      const { job, lease } = await world().start();
      await world().store.saveCheckpoint(lease, "1");
      await world().store.settle(lease, outcomes[status], { now: t0 });
      expect(await world().store.loadCheckpoint(job.id)).toBe(status === "succeeded" ? undefined : "1");
    }
  });

  it("a checkpoint that differs from the one before clears the losses: the attempt has got further", async () => {
    const { job, lease } = await world().start();
    await world().store.saveCheckpoint(lease, "1");
    const { lease: newLease, job: taken } = await world().takeOver(lease);
    expect(taken.state).toMatchObject({ interruptions: 1, losses: 1 });
    await world().store.saveCheckpoint(newLease, "1");
    expect(await world().job(job.id)).toEqual(taken);
    await world().store.saveCheckpoint(newLease, "2");
    const further = { ...taken, state: { ...taken.state, losses: 0 } };
    expect(await world().job(job.id)).toEqual(further);
    await world().restart();
    expect(await world().job(job.id)).toEqual(further);
  });

  it("saving a checkpoint leaves the job and its events as they were", async () => {
    const { job, lease } = await world().start();
    await world().store.saveCheckpoint(lease, "1");
    expect(await world().job(job.id)).toEqual(job);
  });
}
