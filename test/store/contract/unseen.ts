import { describe, expect, it } from "vitest";
import type { JobId } from "../../../src/job/id.ts";
import { day, second, t0, unknownId, type DraftOptions } from "../drafts.ts";
import { outcomes, terminalStatuses, useWorld, type OpenStore } from "../world.ts";
import { present } from "../../present.ts";

export function describeUnseen(open: OpenStore): void {
  describe("ends that nobody has looked at", () => {
    const world = useWorld(open);
    const unseen = async (owner = "ann", kinds?: string[]): Promise<JobId[]> => {
      const filter = { owner, ...(kinds === undefined ? {} : { kinds }) };
      return (await world().store.unseen(filter, { limit: 100 })).jobs.map(({ id }) => id);
    };
    const finishAt = async (now: number, options: DraftOptions = {}): Promise<JobId> => {
      const { lease } = await world().start(options);
      return present(await world().store.settle(lease, outcomes.succeeded, { now })).id;
    };

    it.each(terminalStatuses)("a job that has %s is one of them, as it is", async (status) => {
      const job = await world().finish(status);
      expect((await world().store.unseen({ owner: "ann" }, { limit: 10 })).jobs).toEqual([job]);
    });

    it("a job that has not ended is none of them", async () => {
      await world().start();
      await world().submit({ kind: "queued" });
      expect(await unseen()).toEqual([]);
    });

    it("a child is none of them, nor is one that ended with its parent", async () => {
      const { job: parent, lease } = await world().start({ kind: "parent" });
      await world().finish("failed", { parent: parent.id });
      await world().submit({ parent: parent.id });
      await world().store.settle(lease, outcomes.failed, { now: t0 });
      expect(await unseen()).toEqual([parent.id]);
    });

    it("the latest end comes first, whatever was created first, page by page", async () => {
      const early = await finishAt(t0 + 3 * second);
      const late = await finishAt(t0 + 5 * second);
      const twins = [await finishAt(t0 + second), await finishAt(t0 + second)];
      expect(await unseen()).toEqual([late, early, ...twins.toReversed()]);
      const pages: JobId[][] = [];
      let cursor: string | undefined;
      do {
        const page = await world().store.unseen(
          { owner: "ann" },
          { limit: 3, ...(cursor === undefined ? {} : { cursor }) },
        );
        pages.push(page.jobs.map(({ id }) => id));
        cursor = page.cursor;
      } while (cursor !== undefined);
      expect(pages).toEqual([[late, early, twins[1]], [twins[0]]]);
      await expect(world().store.unseen({ owner: "ann" }, { limit: 3, cursor: "x" })).rejects.toMatchObject({
        code: "invalid_input",
      });
    });

    it("they are listed for one owner, and of the kinds that are asked for", async () => {
      const ann = await finishAt(t0);
      const other = await finishAt(t0 + 1, { kind: "other" });
      const bob = await finishAt(t0, { owner: "bob" });
      expect(await unseen()).toEqual([other, ann]);
      expect(await unseen("ann", ["work"])).toEqual([ann]);
      expect(await unseen("bob")).toEqual([bob]);
      expect(await unseen("eve")).toEqual([]);
    });

    it("one that is marked as seen is none of them any more, also after a restart, and changes in nothing else", async () => {
      const [first, second_] = [await finishAt(t0), await finishAt(t0)];
      const before = await world().job(first);
      expect(await world().store.markSeen([first, first, unknownId])).toBe(1);
      expect(await world().store.markSeen([first])).toBe(0);
      expect(await unseen()).toEqual([second_]);
      await world().restart();
      expect(await unseen()).toEqual([second_]);
      expect(await world().job(first)).toEqual(before);
    });

    it("marking a job that has not ended leaves its end to be seen", async () => {
      const { job, lease } = await world().start();
      expect(await world().store.markSeen([job.id])).toBe(0);
      await world().store.settle(lease, outcomes.failed, { now: t0 });
      expect(await unseen()).toEqual([job.id]);
    });

    it("a job that is retried is left out until it has ended again, also when it was seen before", async () => {
      const { id } = await world().finish("failed");
      await world().store.markSeen([id]);
      const retried = present(await world().store.retry(id, { at: t0 }));
      expect(await unseen()).toEqual([]);
      const { lease } = await world().claimJob(retried);
      await world().store.settle(lease, outcomes.failed, { now: t0 + second });
      expect(await unseen()).toEqual([id]);
    });

    it("one that is purged is none of them any more", async () => {
      await finishAt(t0);
      await world().store.purge(t0 + 2 * day, 10);
      expect(await unseen()).toEqual([]);
    });
  });
}
