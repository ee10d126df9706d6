import { describe, expect, it } from "vitest";
import type { JobId } from "../../../src/job/id.ts";
import type { Job } from "../../../src/job/job.ts";
import { day, second, t0, unknownId } from "../drafts.ts";
import { outcomes, terminalStatuses, useWorld, type OpenStore, type World } from "../world.ts";
import { present } from "../../present.ts";

const request = { reason: "not needed", at: t0 + second, by: "ann" };
const unsuccessful = terminalStatuses.filter((status) => status !== "succeeded");

export function describeCancelling(open: OpenStore): void {
  describe("cancelling", () => {
    const world = useWorld(open);
    describeCancel(world);
    describeDependents(world);
    describeChildren(world);
  });
}

function describeCancel(world: () => World): void {
  it("cancelling a queued job ends it at once, for good and across a restart", async () => {
    const { id } = await world().submit();
    const cancelled = present(await world().store.cancel(id, request));
    expect(cancelled.state).toMatchObject({
      status: "cancelled",
      reason: "not needed",
      by: "ann",
      finishedAt: request.at,
    });
    expect(cancelled.state).not.toHaveProperty("startedAt");
    expect(await world().claim()).toEqual([]);
    await world().restart();
    expect(await world().job(id)).toEqual(cancelled);
    expect(await world().claim()).toEqual([]);
  });

  it("cancelling a delayed or blocked job ends it at once", async () => {
    const { job: running } = await world().start();
    const [delayed, blocked] = [
      await world().submit({ runAt: t0 + day }),
      await world().submit({ dependsOn: [running.id] }),
    ];
    for (const { id } of [delayed, blocked]) await world().store.cancel(id, request);
    expect(await world().statuses([delayed, blocked])).toEqual(["cancelled", "cancelled"]);
    expect(await world().claim({ now: t0 + 2 * day, max: 10 })).toEqual([]);
  });

  it("cancelling a running job stamps it and leaves it running under its lease", async () => {
    const { job, lease } = await world().start();
    const stamped = present(await world().store.cancel(job.id, request));
    expect(stamped.state).toEqual({ ...job.state, cancelRequest: request });
    expect((await world().events(job.id)).at(-1)).toMatchObject({
      type: "cancel-requested",
      reason: "not needed",
      by: "ann",
      at: request.at,
    });
    await world().restart();
    expect(await world().job(job.id)).toEqual(stamped);
    expect(await world().store.append(lease, [{ type: "job-active-again" }], t0)).toBe(true);
  });

  it("cancelling a waiting job stamps it and leaves it waiting", async () => {
    const { job, lease } = await world().start();
    await world().store.ask(lease, { key: "q", question: { message: "Which?" }, at: t0 });
    expect(present(await world().store.cancel(job.id, request)).state).toMatchObject({
      status: "waiting",
      openQuestions: ["q"],
      cancelRequest: request,
    });
  });

  it("cancelling again changes nothing: the first reason stands", async () => {
    const { job } = await world().start();
    const stamped = await world().store.cancel(job.id, request);
    expect(await world().store.cancel(job.id, { reason: "second", at: t0 + day })).toEqual(stamped);
    expect(await world().events(job.id)).toHaveLength(present(stamped).lastSeq);
  });

  it.each(terminalStatuses)("cancelling a job that has %s leaves it as it is", async (status) => {
    const ended = await world().finish(status);
    expect(await world().store.cancel(ended.id, request)).toEqual(ended);
    expect(await world().job(ended.id)).toEqual(ended);
    expect(await world().events(ended.id)).toHaveLength(ended.lastSeq);
  });

  it("cancelling a job that is not there is told so", async () => {
    expect(await world().store.cancel(unknownId, request)).toBeUndefined();
  });

  it("a job that is claimed and cancelled at the same time is either cancelled or stamped", async () => {
    const { id } = await world().submit();
    const [claims] = await Promise.all([world().claim(), world().store.cancel(id, request)]);
    const stamped = { status: "running", cancelRequest: request };
    expect((await world().job(id)).state).toMatchObject(claims.length === 0 ? { status: "cancelled" } : stamped);
  });
}

/** Creates jobs that each depend on the one before; the first depends on `needed`. */
async function createChain(world: World, needed: JobId, length: number): Promise<Job[]> {
  const drafts = [world.draft({ dependsOn: [needed] })];
  while (drafts.length < length) drafts.push(world.draft({ dependsOn: [present(drafts.at(-1)).spec.id] }));
  return (await world.store.create(drafts)).map(({ job }) => job);
}

function describeDependents(world: () => World): void {
  it.each(unsuccessful)(
    "when a job ends as %s, the jobs that depend on it are cancelled, and theirs",
    async (status) => {
      const { job, lease } = await world().start();
      const chain = await createChain(world(), job.id, 3);
      const beside = await world().submit();
      await world().store.settle(lease, outcomes[status], { now: t0 + second });
      expect(await world().statuses(chain)).toEqual(["cancelled", "cancelled", "cancelled"]);
      expect(await world().status(beside.id)).toBe("queued");
      const { state } = await world().job(present(chain[0]).id);
      expect(state).toMatchObject({ finishedAt: t0 + second, reason: expect.stringContaining(job.id) as string });
      expect(await world().eventTypes(present(chain[2]).id)).toEqual(["job-submitted", "job-finished"]);
    },
  );

  it("when a queued job is cancelled, so are the jobs that depend on it", async () => {
    const job = await world().submit();
    const chain = await createChain(world(), job.id, 2);
    await world().store.cancel(job.id, request);
    expect(await world().statuses(chain)).toEqual(["cancelled", "cancelled"]);
  });

  it("when a job is abandoned as failed, the jobs that depend on it are cancelled", async () => {
    const { job, lease } = await world().start();
    const [dependent] = await createChain(world(), job.id, 1);
    await world().store.abandon({ ...lease, before: Infinity }, outcomes.failed, t0);
    expect(await world().status(present(dependent).id)).toBe("cancelled");
  });

  it("a job that depends on several is cancelled once, and stays so when the others succeed", async () => {
    const [one, two] = [await world().start({ kind: "one" }), await world().start({ kind: "two" })];
    const job = await world().submit({ dependsOn: [one.job.id, two.job.id] });
    await world().store.settle(one.lease, outcomes.failed, { now: t0 });
    const cancelled = await world().job(job.id);
    await world().store.settle(two.lease, outcomes.succeeded, { now: t0 });
    expect(await world().job(job.id)).toEqual(cancelled);
    expect(await world().claim()).toEqual([]);
  });

  it("a job that goes back into the queue leaves the jobs that depend on it waiting", async () => {
    const { job, lease } = await world().start({ kind: "first" });
    const [dependent] = await createChain(world(), job.id, 1);
    await world().store.settle(lease, { type: "interrupted", cause: "test", isLoss: true }, { now: t0 });
    expect(await world().status(present(dependent).id)).toBe("queued");
    expect(await world().claim()).toEqual([]);
  });

  it("a chain of thousands is cancelled as one of three", async () => {
    const { job, lease } = await world().start();
    const chain = await createChain(world(), job.id, 5_000);
    await world().store.settle(lease, outcomes.failed, { now: t0 });
    expect(await world().status(present(chain.at(-1)).id)).toBe("cancelled");
    expect(await world().store.count({})).toContainEqual({ kind: "work", status: "cancelled", count: 5_000 });
  });
}

function describeChildren(world: () => World): void {
  it.each(unsuccessful)("when a job ends as %s, its queued children are cancelled, and theirs", async (status) => {
    const { job, lease } = await world().start();
    const child = await world().submit({ parent: job.id });
    const grandchild = await world().submit({ parent: child.id });
    await world().store.settle(lease, outcomes[status], { now: t0 + second });
    expect(await world().statuses([child, grandchild])).toEqual(["cancelled", "cancelled"]);
    expect((await world().job(child.id)).state).toMatchObject({
      reason: expect.stringContaining(job.id) as string,
    });
  });

  it("when a job ends without success, its running children are stamped and stay running", async () => {
    const { job, lease } = await world().start();
    const child = await world().start({ parent: job.id });
    const grandchild = await world().submit({ parent: child.job.id });
    await world().store.settle(lease, outcomes.failed, { now: t0 });
    expect((await world().job(child.job.id)).state).toMatchObject({
      status: "running",
      cancelRequest: { at: t0, reason: expect.stringContaining(job.id) as string },
    });
    expect(await world().store.beat([child.lease], t0 + day)).toMatchObject({ cancelled: [{ id: child.job.id }] });
    expect(await world().status(grandchild.id)).toBe("queued");
    await world().store.settle(child.lease, outcomes.succeeded, { now: t0 });
    expect(await world().statuses([child.job, grandchild])).toEqual(["cancelled", "cancelled"]);
  });

  it("children that have ended stay as they are", async () => {
    const { job, lease } = await world().start();
    const child = await world().finish("succeeded", { parent: job.id });
    await world().store.settle(lease, outcomes.cancelled, { now: t0 });
    expect(await world().job(child.id)).toEqual(child);
  });

  it("children of a job that succeeded go on", async () => {
    const { job, lease } = await world().start();
    const child = await world().submit({ parent: job.id });
    await world().store.settle(lease, outcomes.succeeded, { now: t0 });
    expect(await world().status(child.id)).toBe("queued");
  });

  it("cancelling a running job leaves its children alone until it has ended", async () => {
    const { job, lease } = await world().start();
    const child = await world().submit({ parent: job.id });
    await world().store.cancel(job.id, request);
    expect(await world().status(child.id)).toBe("queued");
    await world().store.settle(lease, outcomes.cancelled, { now: t0 });
    expect(await world().status(child.id)).toBe("cancelled");
  });

  it("a child that depends on another child is cancelled once", async () => {
    const { job, lease } = await world().start();
    const first = await world().submit({ parent: job.id });
    const then = await world().submit({ parent: job.id, dependsOn: [first.id] });
    await world().store.settle(lease, outcomes.failed, { now: t0 });
    expect(await world().statuses([first, then])).toEqual(["cancelled", "cancelled"]);
    expect(await world().eventTypes(then.id)).toEqual(["job-submitted", "job-finished"]);
  });
}
