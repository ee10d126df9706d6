import { describe, expect, it } from "vitest";
import { day, second, t0, unknownId } from "../drafts.ts";
import { outcomes, refusal, useWorld, type OpenStore, type World } from "../world.ts";
import { present } from "../../present.ts";

const request = { at: t0 + second, by: "ann" };

export function describeRetrying(open: OpenStore): void {
  describe("retrying", () => {
    const world = useWorld(open);
    describeRetry(world);
    describeDependencies(world);
  });
  describe("limits on the time in the queue", () => {
    describeExpiry(useWorld(open));
  });
}

function describeRetry(world: () => World): void {
  it.each(["failed", "timed_out", "cancelled"] as const)(
    "a job that ended as %s gets a new attempt under its id",
    async (status) => {
      const ended = await world().finish(status, { limits: { queueMs: second } });
      const retried = present(await world().store.retry(ended.id, request));
      expect(retried.state).toEqual({
        status: "queued",
        because: "retried",
        attempt: 2,
        interruptions: 0,
        losses: 0,
        acceptedAt: request.at,
        queuedAt: request.at,
        runAt: request.at,
        deadlineAt: request.at + second,
      });
      expect((await world().events(ended.id)).at(-1)).toMatchObject({ type: "job-retried", attempt: 2, by: "ann" });
      await world().restart();
      expect(await world().job(ended.id)).toEqual(retried);
      const claim = await world().claimJob(retried, { now: request.at });
      expect(claim.job.state).toMatchObject({ status: "running", attempt: 2 });
      const done = await world().store.settle(claim.lease, outcomes.succeeded, { now: request.at, result: "2" });
      expect(done?.state).toMatchObject({ status: "succeeded", attempt: 2 });
      expect(await world().store.payload(ended.id)).toMatchObject({ result: "2" });
    },
  );

  it("an attempt that was never started is not counted", async () => {
    const { id } = await world().submit();
    await world().store.cancel(id, { reason: "not needed", at: t0 });
    expect(present(await world().store.retry(id, request)).state).toMatchObject({ status: "queued", attempt: 1 });
  });

  it("a retried job keeps its earlier events, output and checkpoint", async () => {
    const { job, lease } = await world().start();
    const address = { id: job.id, attempt: 1, stream: "stdout" };
    await world().writeOutput(lease, "first");
    await world().store.saveCheckpoint(lease, "1");
    await world().store.settle(lease, outcomes.failed, { now: t0 });
    await world().store.retry(job.id, request);
    expect(await world().eventTypes(job.id)).toEqual([
      "job-submitted",
      "attempt-started",
      "job-finished",
      "job-retried",
    ]);
    expect(await world().store.loadCheckpoint(job.id)).toBe("1");
    expect(Buffer.from((await world().store.output.read(address, 0, 100)).bytes).toString()).toBe("first");
  });

  it("a job that succeeded is not retried", async () => {
    const ended = await world().finish("succeeded");
    await expect(world().store.retry(ended.id, request)).rejects.toMatchObject(refusal("conflict"));
    expect(await world().job(ended.id)).toEqual(ended);
  });

  it("a job that has not ended is not retried", async () => {
    const { job: running, lease } = await world().start({ kind: "a" });
    const waiting = await world().start({ kind: "b" });
    await world().store.ask(waiting.lease, { key: "q", question: { message: "Which?" }, at: t0 });
    const queued = await world().submit();
    for (const { id } of [running, waiting.job, queued]) {
      const before = await world().job(id);
      await expect(world().store.retry(id, request)).rejects.toMatchObject(refusal("conflict"));
      expect(await world().job(id)).toEqual(before);
    }
    expect(lease.id).toBe(running.id);
  });

  it("retrying a job that is not there is told so", async () => {
    expect(await world().store.retry(unknownId, request)).toBeUndefined();
  });

  it("of two retries at the same time, one is refused", async () => {
    const { id } = await world().finish("failed");
    const retries = await Promise.allSettled([world().store.retry(id, request), world().store.retry(id, request)]);
    expect(retries.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
    expect((await world().job(id)).state.attempt).toBe(2);
  });

  it("a retried job that is due to be purged is kept", async () => {
    const { id } = await world().finish("failed");
    await world().store.retry(id, { at: t0 + 30 * day });
    expect(await world().store.purge(t0 + 30 * day, 10)).toBe(0);
    expect(await world().status(id)).toBe("queued");
  });
}

function describeDependencies(world: () => World): void {
  it("a job whose dependency has not succeeded is refused until that is retried", async () => {
    const { job: needed, lease } = await world().start();
    const job = await world().submit({ dependsOn: [needed.id] });
    await world().store.settle(lease, outcomes.failed, { now: t0 });
    await expect(world().store.retry(job.id, request)).rejects.toMatchObject(refusal("conflict"));
    expect(await world().status(job.id)).toBe("cancelled");
  });

  it("a retried job waits for its retried dependency", async () => {
    const { job: needed, lease } = await world().start();
    const job = await world().submit({ dependsOn: [needed.id] });
    await world().store.settle(lease, outcomes.failed, { now: t0 });
    await world().store.retry(needed.id, request);
    await world().store.retry(job.id, request);
    const claims = await world().claim({ now: request.at, max: 10 });
    expect(claims.map((claim) => claim.job.id)).toEqual([needed.id]);
    await world().store.settle(present(claims[0]).lease, outcomes.succeeded, { now: request.at });
    expect(await world().claimIds({ now: request.at, max: 10 })).toEqual([job.id]);
  });

  it("a job whose dependency has succeeded meanwhile is claimed at once", async () => {
    const { job: needed, lease } = await world().start();
    const job = await world().submit({ dependsOn: [needed.id] });
    await world().store.settle(lease, outcomes.failed, { now: t0 });
    await world().store.retry(needed.id, request);
    const again = await world().claimJob(needed, { now: request.at });
    await world().store.settle(again.lease, outcomes.succeeded, { now: request.at });
    await world().store.retry(job.id, request);
    expect(await world().claimIds({ now: request.at })).toEqual([job.id]);
  });

  it("a job whose dependency succeeded and was purged since can still be retried", async () => {
    const needed = await world().finish("succeeded", { retention: { succeededMs: second } });
    const { id } = await world().finish("failed", { dependsOn: [needed.id] });
    await world().store.purge(t0 + 2 * second, 10);
    expect(await world().store.get(needed.id)).toBeUndefined();
    expect(present(await world().store.retry(id, { at: t0 + 2 * second })).state.status).toBe("queued");
    expect(await world().claimIds({ now: t0 + 2 * second })).toEqual([id]);
  });
}

function describeExpiry(world: () => World): void {
  it("a queued job whose limit has passed ends as timed out, and not before", async () => {
    const { id } = await world().submit({ limits: { queueMs: second } });
    expect(await world().store.expireQueued(t0 + second - 1, 10)).toBe(0);
    expect(await world().status(id)).toBe("queued");
    expect(await world().store.expireQueued(t0 + second, 10)).toBe(1);
    const { state } = await world().job(id);
    expect(state).toMatchObject({ status: "timed_out", finishedAt: t0 + second, failure: { code: "queue_limit" } });
    expect(state).not.toHaveProperty("startedAt");
    expect(await world().claim({ now: t0 + second })).toEqual([]);
    expect(await world().store.expireQueued(t0 + day, 10)).toBe(0);
  });

  it("the total limit ends a job that was requeued", async () => {
    const { job, lease } = await world().start({ limits: { totalMs: 5 * second, queueMs: second } });
    await world().store.settle(lease, { type: "interrupted", cause: "test", isLoss: true }, { now: t0 + 2 * second });
    expect(await world().store.expireQueued(t0 + 4 * second, 10)).toBe(0);
    expect(await world().store.expireQueued(t0 + 5 * second, 10)).toBe(1);
    expect(await world().status(job.id)).toBe("timed_out");
  });

  it("jobs that run, have ended or have no limit do not expire", async () => {
    const limits = { queueMs: second, totalMs: 2 * second };
    const { job: running } = await world().start({ limits });
    const ended = await world().finish("failed", { limits });
    const unlimited = await world().submit();
    expect(await world().store.expireQueued(t0 + day, 10)).toBe(0);
    expect(await world().statuses([running, ended, unlimited])).toEqual(["running", "failed", "queued"]);
  });

  it("at most as many jobs expire as asked for, those first whose limit passed first", async () => {
    const created = await world().create(
      { limits: { queueMs: 3 * second } },
      { limits: { queueMs: second } },
      { limits: { queueMs: 2 * second } },
    );
    expect(await world().store.expireQueued(t0 + day, 2)).toBe(2);
    expect(await world().statuses(created.map(({ job }) => job))).toEqual(["queued", "timed_out", "timed_out"]);
    expect(await world().store.expireQueued(t0 + day, 2)).toBe(1);
  });

  it("a job that expires takes with it those that depend on it, also when their limits have passed too", async () => {
    const limits = { queueMs: second };
    const first = await world().submit({ limits });
    const then = await world().submit({ limits, dependsOn: [first.id] });
    const child = await world().submit({ limits, parent: first.id });
    await world().store.expireQueued(t0 + day, 10);
    expect(await world().statuses([first, then, child])).toEqual(["timed_out", "cancelled", "cancelled"]);
    for (const { id } of [then, child]) expect(await world().eventTypes(id)).toEqual(["job-submitted", "job-finished"]);
  });
}
