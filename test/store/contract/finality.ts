import { describe, expect, it } from "vitest";
import type { Job } from "../../../src/job/job.ts";
import type { HeldLease } from "../../../src/store/store.ts";
import { day, second, t0 } from "../drafts.ts";
import { failure, leaseMs, outcomes, terminalStatuses, useWorld, type OpenStore, type World } from "../world.ts";

const late = t0 + 10 * second;

/** Everything that anybody may try on a job, except to retry it. */
async function tryEverything(world: World, lease: HeldLease): Promise<void> {
  const { store } = world;
  const { id } = lease;
  const lost = { ...lease, before: Infinity };
  await store.append(lease, [{ type: "job-active-again" }], late);
  await store.report(lease, { progress: { percent: 99 }, isEvent: true, at: late });
  await store.stall(lease, t0, late);
  await store.saveCheckpoint(lease, "late");
  await store.ask(lease, { key: "late", question: { message: "Late?" }, at: late });
  await store.answer(id, { key: "open", answer: { action: "decline" }, at: late });
  await store.beat([lease], late + leaseMs);
  await store.release(lease);
  for (const outcome of Object.values(outcomes)) {
    await store.settle(lease, outcome, { now: late, result: "late" });
    await store.abandon(lost, outcome, late);
  }
  await store.settle(lease, { type: "retry", failure, runAt: late }, { now: late });
  await store.settle(lease, { type: "interrupted", cause: "late", isLoss: true }, { now: late });
  await store.adopt(lost, { worker: "w2", machine: "m1", now: late, leaseMs });
  await store.cancel(id, { reason: "late", at: late });
  await store.expireQueued(late + day, 100);
  await store.claim({ worker: "w3", machine: "m1", now: late + day, leaseMs, wants: [{ kind: "work", max: 100 }] });
  await store.purge(late, 100);
  await store.tidy();
  await world.restart();
}

export function describeFinality(open: OpenStore): void {
  describe("ended jobs", () => {
    const world = useWorld(open);

    it.each(terminalStatuses)("a job that has %s stays so, whatever anybody tries", async (status) => {
      const parent = await world().start({ kind: "parent", limits: { queueMs: second, totalMs: second } });
      const needed = await world().finish("succeeded", { kind: "needed" });
      const { lease } = await world().start({ parent: parent.job.id, dependsOn: [needed.id] });
      await world().store.ask(lease, { key: "open", question: { message: "Which?" }, at: t0 });
      const ended = (await world().store.settle(lease, outcomes[status], { now: t0, result: "1" })) as Job;
      const [payload, questions, checkpoint] = await remember(world(), ended);

      await tryEverything(world(), lease);
      await world().store.settle(parent.lease, outcomes.failed, { now: late });

      expect(await world().job(ended.id)).toEqual(ended);
      expect(await world().events(ended.id)).toHaveLength(ended.lastSeq);
      expect(await remember(world(), ended)).toEqual([payload, questions, checkpoint]);
    });

    it.each(["cancelled", "timed_out"] as const)("a job that has %s in the queue stays so", async (status) => {
      const { id } = await world().submit({ limits: { queueMs: second } });
      if (status === "cancelled") await world().store.cancel(id, { reason: "not needed", at: t0 });
      else await world().store.expireQueued(t0 + second, 10);
      const ended = await world().job(id);
      expect(ended.state.status).toBe(status);
      await tryEverything(world(), { id, worker: "w1", fence: 1 });
      expect(await world().job(id)).toEqual(ended);
      expect(await world().events(id)).toHaveLength(ended.lastSeq);
    });
  });
}

function remember(world: World, { id }: Job): Promise<unknown[]> {
  const { store } = world;
  return Promise.all([store.payload(id), store.questions(id), store.loadCheckpoint(id)]);
}
