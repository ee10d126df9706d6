import { describe, expect, it } from "vitest";
import type { EventBody } from "../../../src/job/event.ts";
import { second, t0, unknownId } from "../drafts.ts";
import { outcomes, useWorld, type OpenStore } from "../world.ts";

const logged = (message: string): EventBody => ({ type: "message-logged", level: "info", message });

export function describeEvents(open: OpenStore): void {
  describe("events", () => {
    const world = useWorld(open);

    it("events added under a lease get the next sequence numbers, and outlive a restart", async () => {
      const { job, lease } = await world().start();
      expect(await world().store.append(lease, [logged("one"), logged("two")], t0 + 1)).toBe(true);
      expect(await world().store.append(lease, [logged("three")], t0 + 2)).toBe(true);
      await world().restart();
      expect((await world().events(job.id)).slice(2)).toEqual([
        { ...logged("one"), jobId: job.id, seq: 3, at: t0 + 1 },
        { ...logged("two"), jobId: job.id, seq: 4, at: t0 + 1 },
        { ...logged("three"), jobId: job.id, seq: 5, at: t0 + 2 },
      ]);
      expect((await world().job(job.id)).lastSeq).toBe(5);
    });

    it("sequence numbers have no gaps, whoever writes at the same time", async () => {
      const { job, lease } = await world().start();
      const { store } = world();
      await Promise.all([
        ...Array.from({ length: 20 }, (_, n) => store.append(lease, [logged(`${n}`), logged(`${n}`)], t0)),
        store.report(lease, { progress: { percent: 5 }, isEvent: true, at: t0 }),
        store.cancel(job.id, { reason: "not needed", at: t0 }),
        store.ask(lease, { key: "q", question: { message: "Which?" }, at: t0 }),
      ]);
      await store.settle(lease, outcomes.succeeded, { now: t0 });
      const events = await world().events(job.id);
      expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
      expect((await world().job(job.id)).lastSeq).toBe(events.length);
    });

    it("sequence numbers go on after a write that was refused", async () => {
      const { job, lease } = await world().start();
      const refused = world()
        .submit({ dependsOn: [unknownId] })
        .catch(() => undefined);
      const appended = world().store.append(lease, [logged("one")], t0);
      await Promise.all([refused, appended]);
      await world().store.append(lease, [logged("two")], t0);
      expect((await world().events(job.id)).map(({ seq }) => seq)).toEqual([1, 2, 3, 4]);
    });

    it("reading begins after a sequence number and stops at a limit", async () => {
      const { job, lease } = await world().start();
      await world().store.append(lease, ["a", "b", "c", "d"].map(logged), t0);
      const read = async (after: number, limit: number): Promise<number[]> =>
        (await world().store.read(job.id, after, limit)).map(({ seq }) => seq);
      expect(await read(0, 3)).toEqual([1, 2, 3]);
      expect(await read(3, 2)).toEqual([4, 5]);
      expect(await read(5, 10)).toEqual([6]);
      expect(await read(6, 10)).toEqual([]);
    });

    it("each job has a sequence of its own", async () => {
      const [one, two] = [await world().start({ kind: "one" }), await world().start({ kind: "two" })];
      await world().store.append(one.lease, [logged("one")], t0);
      await world().store.append(two.lease, [logged("two")], t0);
      for (const { job } of [one, two]) {
        expect((await world().events(job.id)).map(({ seq, jobId }) => [seq, jobId])).toEqual([
          [1, job.id],
          [2, job.id],
          [3, job.id],
        ]);
      }
    });

    it("adding events leaves the job's state as it was", async () => {
      const { job, lease } = await world().start();
      await world().store.append(lease, [logged("one")], t0 + second);
      expect(await world().job(job.id)).toEqual({ ...job, lastSeq: 3 });
    });
  });
}
