import { describe, expect, it } from "vitest";
import { day, second, t0 } from "../drafts.ts";
import { failure, outcomes, terminalStatuses, useWorld, type OpenStore } from "../world.ts";
import { present } from "../../present.ts";

const end = t0 + second;

export function describeSettling(open: OpenStore): void {
  describe("settling", () => {
    const world = useWorld(open);

    const endings = [
      ["succeeded", { partial: false }, day],
      ["failed", { failure }, 7 * day],
      ["timed_out", { failure }, 7 * day],
      ["cancelled", { reason: "not needed" }, day],
    ] as const;

    it.each(endings)(
      "an attempt that %s ends its job, for good and across a restart",
      async (status, facts, keptMs) => {
        const { job, lease } = await world().start();
        const settled = present(await world().store.settle(lease, outcomes[status], { now: end }));
        const { attempt, interruptions, losses, acceptedAt } = job.state;
        expect(settled.state).toEqual({
          status,
          attempt,
          interruptions,
          losses,
          acceptedAt,
          startedAt: t0,
          finishedAt: end,
          expiresAt: end + keptMs,
          ...facts,
        });
        await world().restart();
        expect(await world().job(job.id)).toEqual(settled);
        expect((await world().events(job.id)).at(-1)).toEqual({
          type: "job-finished",
          status,
          attempt: 1,
          jobId: job.id,
          seq: settled.lastSeq,
          at: end,
          ...facts,
        });
        expect(await world().claim({ now: t0 + day })).toEqual([]);
      },
    );

    it("a job that succeeded in part says so", async () => {
      const { lease } = await world().start();
      const settled = await world().store.settle(lease, { type: "succeeded", partial: true }, { now: end });
      expect(present(settled).state).toMatchObject({ status: "succeeded", partial: true });
    });

    it("the result of a job that succeeded is kept to the letter, across a restart", async () => {
      const { job, lease } = await world().start();
      const result = JSON.stringify({ text: "🙂".repeat(100_000) });
      await world().store.settle(lease, outcomes.succeeded, { now: end, result });
      await world().restart();
      expect(await world().store.payload(job.id)).toEqual({ input: "{}", result });
    });

    it("whoever has looked before the end sees the result after it", async () => {
      const { job, lease } = await world().start();
      expect(await world().store.payload(job.id)).toEqual({ input: "{}" });
      await world().store.settle(lease, outcomes.succeeded, { now: end, result: "1" });
      expect(await world().store.payload(job.id)).toEqual({ input: "{}", result: "1" });
    });

    it("a job may succeed without a result", async () => {
      const { job } = await world().start();
      expect(await world().store.payload(job.id)).toEqual({ input: "{}" });
    });

    it.each(terminalStatuses.filter((status) => status !== "succeeded"))(
      "a result that comes with the outcome %s is not stored",
      async (status) => {
        const { job, lease } = await world().start();
        await world().store.settle(lease, outcomes[status], { now: end, result: "1" });
        expect(await world().store.payload(job.id)).toEqual({ input: "{}" });
      },
    );

    it("the last progress of a job stays when it ends", async () => {
      const { lease } = await world().start();
      await world().store.report(lease, { progress: { percent: 62 }, isEvent: false, at: t0 });
      const settled = await world().store.settle(lease, outcomes.failed, { now: end });
      expect(present(settled).state).toMatchObject({ status: "failed", progress: { percent: 62 } });
    });

    it("a retry puts the job back into the queue for its next attempt, not before its time", async () => {
      const { job, lease } = await world().start();
      const runAt = t0 + 10 * second;
      const requeued = present(await world().store.settle(lease, { type: "retry", failure, runAt }, { now: end }));
      expect(requeued.state).toMatchObject({ status: "queued", because: "retry", attempt: 2, queuedAt: end, runAt });
      expect((await world().events(job.id)).at(-1)).toMatchObject({
        type: "attempt-failed",
        attempt: 1,
        failure,
        nextRunAt: runAt,
      });
      await world().restart();
      expect(await world().claim({ now: runAt - 1 })).toEqual([]);
      expect((await world().claimJob(job, { now: runAt })).job.state).toMatchObject({ status: "running", attempt: 2 });
    });

    it("an interrupted attempt goes back into the queue and can be claimed at once, as the same attempt", async () => {
      const { job, lease } = await world().start();
      const outcome = { type: "interrupted", cause: "the engine stopped", isLoss: true } as const;
      const requeued = present(await world().store.settle(lease, outcome, { now: end }));
      expect(requeued.state).toMatchObject({ status: "queued", because: "interrupted", attempt: 1, interruptions: 1 });
      const again = await world().claimJob(job, { now: end });
      expect(again.job.state).toMatchObject({ status: "running", attempt: 1, interruptions: 1, startedAt: end });
    });

    it.each([...terminalStatuses, "retry", "interrupted"] as const)(
      "a job that was asked to cancel ends as cancelled, even if its attempt %s",
      async (type) => {
        const { job, lease } = await world().start();
        await world().store.cancel(job.id, { reason: "first cause", at: t0, by: "ann" });
        const outcome =
          type === "retry"
            ? { type, failure, runAt: end }
            : type === "interrupted"
              ? { type, cause: "test", isLoss: true }
              : outcomes[type];
        const settled = await world().store.settle(lease, outcome, { now: end, result: "1" });
        expect(present(settled).state).toMatchObject({ status: "cancelled", reason: "first cause", by: "ann" });
        expect(await world().store.payload(job.id)).toEqual({ input: "{}" });
      },
    );

    it("a job is settled from waiting as from running", async () => {
      for (const status of terminalStatuses) {
        const { job, lease } = await world().start();
        await world().store.ask(lease, { key: "q", question: { message: "Which?" }, at: t0 });
        await world().store.settle(lease, outcomes[status], { now: end });
        expect(await world().status(job.id)).toBe(status);
      }
    });

    it("a job is settled once, however often its holder says so", async () => {
      const { job, lease } = await world().start();
      const answers = await Promise.all([
        world().store.settle(lease, outcomes.failed, { now: end }),
        world().store.settle(lease, outcomes.timed_out, { now: end }),
      ]);
      const settled = answers.filter((answer) => answer !== undefined);
      expect(settled).toEqual([await world().job(job.id)]);
      expect((await world().eventTypes(job.id)).filter((type) => type === "job-finished")).toHaveLength(1);
    });
  });
}
