import { describe, expect, it } from "vitest";
import { day, second, t0 } from "../drafts.ts";
import { outcomes, terminalStatuses, useWorld, type OpenStore } from "../world.ts";
import { present } from "../../present.ts";

export function describePurging(open: OpenStore): void {
  describe("purging", () => {
    const world = useWorld(open);

    const retentions = [
      ["succeeded", day],
      ["cancelled", day],
      ["failed", 7 * day],
      ["timed_out", 7 * day],
    ] as const;

    it.each(retentions)("a job that has %s is kept for its retention and then removed", async (status, keptMs) => {
      const { id } = await world().finish(status);
      expect(await world().store.purge(t0 + keptMs - 1, 10)).toBe(0);
      expect(await world().status(id)).toBe(status);
      expect(await world().store.purge(t0 + keptMs, 10)).toBe(1);
      expect(await world().store.get(id)).toBeUndefined();
      expect(await world().store.purge(t0 + keptMs, 10)).toBe(0);
    });

    it("jobs that have not ended are kept, however old", async () => {
      const { job: running } = await world().start();
      const queued = await world().submit();
      expect(await world().store.purge(t0 + 1_000 * day, 10)).toBe(0);
      expect(await world().statuses([running, queued])).toEqual(["running", "queued"]);
    });

    it("at most as many jobs are removed as asked for, those first whose retention ended first", async () => {
      const kept = [3, 1, 2].map((days) => ({ retention: { succeededMs: days * day } }));
      const jobs = [];
      for (const options of kept) jobs.push(await world().finish("succeeded", options));
      expect(await world().store.purge(t0 + 10 * day, 2)).toBe(2);
      const left = await Promise.all(jobs.map(({ id }) => world().store.get(id)));
      expect(left.map((job) => job?.id)).toEqual([present(jobs[0]).id, undefined, undefined]);
    });

    it("a purged job leaves nothing but its tombstone", async () => {
      const { store } = world();
      const needed = await world().finish("succeeded", { owner: "bob", retention: { succeededMs: 100 * day } });
      const parent = await world().start({ kind: "parent" });
      const { job, lease } = await world().start({
        name: "purged",
        batch: "b",
        tags: ["t"],
        key: "k",
        owner: "bob",
        input: "needle",
        parent: parent.job.id,
        dependsOn: [needed.id],
      });
      await world().writeOutput(lease, "output");
      await store.saveCheckpoint(lease, "1");
      await store.ask(lease, { key: "q", question: { message: "Which?" }, at: t0 });
      await store.settle(lease, outcomes.failed, { now: t0 });
      await store.purge(t0 + 8 * day, 10);

      expect(await store.get(job.id)).toBeUndefined();
      expect(await store.payload(job.id)).toBeUndefined();
      expect(await store.loadCheckpoint(job.id)).toBeUndefined();
      expect(await store.read(job.id, 0, 10)).toEqual([]);
      expect(await store.questions(job.id)).toEqual([]);
      expect(await store.idsEndingWith(job.id, {}, 10)).toEqual([]);
      expect(await store.output.streams(job.id, 1)).toEqual([]);
      expect(await store.output.measure({ id: job.id, attempt: 1, stream: "stdout" })).toEqual({ size: 0, dropped: 0 });
      expect(await store.count({ owner: "bob" })).toEqual([{ kind: "work", status: "succeeded", count: 1 }]);
      const { batch, name } = { batch: "b", name: "purged" };
      for (const filter of [{ batch }, { name }, { tags: ["t"] }, { text: "needle" }]) {
        expect((await store.list(filter, { limit: 10 })).jobs).toEqual([]);
      }
      await world().restart();
      expect(await world().store.tombstone(job.id)).toEqual({ owner: "bob", purgedAt: t0 + 8 * day });
    });

    it("a job that is not purged has no tombstone", async () => {
      const { id } = await world().finish("succeeded");
      expect(await world().store.tombstone(id)).toBeUndefined();
    });

    it("what is created after a purge has nothing of what was removed", async () => {
      const { job, lease } = await world().start({ tags: ["old"] });
      await world().store.saveCheckpoint(lease, "old");
      await world().store.ask(lease, { key: "q", question: { message: "Old?" }, at: t0 });
      await world().store.settle(lease, outcomes.failed, { now: t0 });
      await world().store.purge(t0 + 8 * day, 10);
      const fresh = await world().start({ createdAt: t0 + 8 * day }, { now: t0 + 8 * day });
      expect(fresh.job.id).not.toBe(job.id);
      expect(await world().eventTypes(fresh.job.id)).toEqual(["job-submitted", "attempt-started"]);
      expect(await world().store.payload(fresh.job.id)).toEqual({ input: "{}" });
      expect(await world().store.loadCheckpoint(fresh.job.id)).toBeUndefined();
      expect(await world().store.questions(fresh.job.id)).toEqual([]);
      expect((await world().store.list({ tags: ["old"] }, { limit: 10 })).jobs).toEqual([]);
    });

    it("jobs that depended on a purged one go on", async () => {
      const needed = await world().finish("succeeded", { retention: { succeededMs: second } });
      const { job, lease } = await world().start();
      const dependent = await world().submit({ dependsOn: [needed.id, job.id] });
      await world().store.purge(t0 + second, 10);
      await world().store.settle(lease, outcomes.succeeded, { now: t0 });
      expect(await world().claimIds()).toEqual([dependent.id]);
    });

    it("a job that is retried while a purge is under way is gone, or whole", async () => {
      const { job, lease } = await world().start();
      const address = { id: job.id, attempt: 1, stream: "stdout" };
      await world().writeOutput(lease, "output");
      await world().store.settle(lease, outcomes.failed, { now: t0 });
      const purging = world().store.purge(t0 + 8 * day, 10);
      const retrying = world().store.retry(job.id, { at: t0 + 8 * day });
      await Promise.all([purging, retrying]);
      const { size } = await world().store.output.measure(address);
      expect(size).toBe((await world().store.get(job.id)) === undefined ? 0 : 6);
    });

    it.each(terminalStatuses)(
      "a job that has %s can be removed before its time, with all that it left",
      async (status) => {
        const { store } = world();
        const { job, lease } = await world().start({ owner: "bob", tags: ["t"], idempotencyKey: "k" });
        const address = { id: job.id, attempt: 1, stream: "stdout" };
        await world().writeOutput(lease, "output");
        await store.output.saveArtifact(job.id, "report.txt", "made");
        await store.settle(lease, outcomes[status], { now: t0 });
        expect(await store.remove(job.id, t0 + second)).toBe(true);
        expect(await store.get(job.id)).toBeUndefined();
        expect((await store.list({ tags: ["t"] }, { limit: 10 })).jobs).toEqual([]);
        expect(await store.output.measure(address)).toEqual({ size: 0, dropped: 0 });
        expect(await store.output.artifacts(job.id)).toEqual([]);
        expect(await store.tombstone(job.id)).toEqual({ owner: "bob", purgedAt: t0 + second });
        expect(await store.remove(job.id, t0 + second)).toBe(false);
        expect((await world().submit({ owner: "bob", idempotencyKey: "k" })).id).not.toBe(job.id);
      },
    );

    it("a job that has not ended, or whose parent has not, is not removed", async () => {
      const { store } = world();
      const parent = await world().start({ kind: "parent" });
      const queued = await world().submit({ kind: "queued" });
      const child = await world().start({ parent: parent.job.id });
      await store.settle(child.lease, outcomes.succeeded, { now: t0 });
      for (const { id } of [queued, parent.job, child.job]) {
        await expect(store.remove(id, t0)).rejects.toMatchObject({ code: "conflict" });
        expect((await world().job(id)).id).toBe(id);
      }
      await store.settle(parent.lease, outcomes.succeeded, { now: t0 });
      expect(await store.remove(parent.job.id, t0)).toBe(true);
      expect(await store.remove(child.job.id, t0)).toBe(true);
    });

    it("jobs that depended on a removed one go on, and so do its children", async () => {
      const { store } = world();
      const { job, lease } = await world().start();
      const needed = await world().start();
      const dependent = await world().submit({ dependsOn: [job.id, needed.job.id] });
      const child = await world().submit({ kind: "child", parent: job.id });
      await store.settle(lease, outcomes.succeeded, { now: t0 });
      await store.remove(job.id, t0);
      await store.settle(needed.lease, outcomes.succeeded, { now: t0 });
      expect(await world().claimIds()).toEqual([dependent.id]);
      expect(await world().status(child.id)).toBe("queued");
    });

    it("what a job was made from can be read, for another one like it, with what nobody is shown", async () => {
      const { id } = await world().submit({ input: "secret", shownInput: "***", client: "{}" });
      expect(await world().store.source(id)).toEqual({ input: '"secret"', client: "{}", notify: [] });
      expect(await world().store.payload(id)).toEqual({ input: '"***"' });
      await world().store.cancel(id, { reason: "x", at: t0 });
      await world().store.remove(id, t0);
      expect(await world().store.source(id)).toBeUndefined();
    });

    it("upkeep ends, and changes nothing that anybody sees", async () => {
      await world().submitMany(20, { input: "needle" });
      for (const status of terminalStatuses) await world().finish(status, { kind: "ended" });
      const seen = async (): Promise<unknown> => [
        await world().store.list({}, { limit: 100 }),
        await world().store.list({ text: "needle" }, { limit: 100 }),
      ];
      const before = await seen();
      await world().submitMany(3, { kind: "more", owner: "bob" });
      let rounds = 0;
      while (await world().store.tidy()) expect(++rounds).toBeLessThan(1_000);
      for (const job of await world().claim({ kind: "more", max: 3 })) expect(job.job.owner).toBe("bob");
      expect(await world().store.list({ text: "needle" }, { limit: 100 })).toEqual((before as unknown[])[1]);
    });
  });
}
