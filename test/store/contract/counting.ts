import { describe, expect, it } from "vitest";
import { jobStatuses } from "../../../src/job/state.ts";
import type { JobFilter, StatusCount } from "../../../src/store/store.ts";
import { present } from "../../present.ts";
import { day, t0 } from "../drafts.ts";
import { failure, outcomes, terminalStatuses, useWorld, type OpenStore, type World } from "../world.ts";

export function describeCounting(open: OpenStore): void {
  describe("counting", () => {
    const world = useWorld(open);
    describeKeptCounts(world);
    describeCountsOfFilters(world);
  });
}

type Counted = Pick<JobFilter, "owner" | "kinds" | "batch">;

/** What `count` should say: every job is looked at. */
async function countByHand({ store }: World, filter: Counted): Promise<StatusCount[]> {
  const { jobs } = await store.list(filter, { limit: 1_000 });
  const counts = new Map<string, StatusCount>();
  for (const { kind, state } of jobs) {
    const key = `${kind} ${state.status}`;
    counts.set(key, { kind, status: state.status, count: (counts.get(key)?.count ?? 0) + 1 });
  }
  return inOrder([...counts.values()]);
}

function inOrder(counts: readonly StatusCount[]): StatusCount[] {
  return counts.toSorted((one, other) => `${one.kind} ${one.status}`.localeCompare(`${other.kind} ${other.status}`));
}

async function expectTrueCounts(world: World): Promise<void> {
  const filters: Counted[] = [{}, { owner: "ann" }, { owner: "bob" }, { batch: "b" }, { owner: "bob", batch: "b" }];
  for (const filter of filters)
    expect(inOrder(await world.store.count(filter))).toEqual(await countByHand(world, filter));
}

function describeKeptCounts(world: () => World): void {
  it("the counts follow every change of a job, from its submit to its removal", async () => {
    const { store } = world();
    const step = async (change: Promise<unknown>): Promise<void> => {
      await change;
      await expectTrueCounts(world());
    };
    await step(world().submitMany(3, { batch: "b" }));
    const [claim] = await world().claim();
    const { lease, job } = present(claim);
    await expectTrueCounts(world());
    await step(store.ask(lease, { key: "q", question: { message: "Which?" }, at: t0 }));
    await step(store.answer(job.id, { key: "q", answer: { action: "decline" }, at: t0 }));
    await step(store.settle(lease, { type: "retry", failure, runAt: t0 }, { now: t0 }));
    for (const status of terminalStatuses)
      await step(world().finish(status, { kind: status, owner: "bob", batch: "b" }));
    const failed = await world().finish("failed", { kind: "again" });
    await step(store.retry(failed.id, { at: t0 }));
    await step(store.cancel(failed.id, { reason: "not needed", at: t0 }));
    await step(store.remove(failed.id, t0));
    await step(store.purge(t0 + 30 * day, 100));
  });

  it("a job that takes others with it when it ends changes the counts of all of them", async () => {
    const parent = await world().start({ kind: "parent" });
    await world().submitMany(2, { parent: parent.job.id, owner: "bob", batch: "b" });
    await world().create({ dependsOn: [parent.job.id] });
    await world().store.settle(parent.lease, outcomes.failed, { now: t0 });
    await expectTrueCounts(world());
    expect(await world().store.count({ owner: "bob" })).toEqual([{ kind: "work", status: "cancelled", count: 2 }]);
  });

  it("what was refused is not counted", async () => {
    const stored = world().submit();
    const refused = world().store.create([
      world().draft({ idempotencyKey: "k" }),
      world().draft({ dependsOn: [(await stored).id] }),
    ]);
    await refused;
    const conflict = world().store.create([world().draft(), world().draft({ idempotencyKey: "k", kind: "other" })]);
    await expect(conflict).rejects.toMatchObject({ code: "conflict" });
    await expectTrueCounts(world());
  });

  it("the counts are the same after a restart", async () => {
    await world().submitMany(4, { batch: "b" });
    await world().claim({ max: 2 });
    const before = await world().store.count({});
    await world().restart();
    expect(await world().store.count({})).toEqual(before);
    await expectTrueCounts(world());
  });
}

function describeCountsOfFilters(world: () => World): void {
  it("the jobs of any filter are counted by kind and state", async () => {
    await world().create({ tags: ["t"] }, { tags: ["t"], kind: "other" }, { name: "n" });
    const { counts, cursor } = await world().store.countMatching({ tags: ["t"] }, { limit: 10 });
    expect(cursor).toBeUndefined();
    expect(inOrder(counts)).toEqual([
      { kind: "other", status: "queued", count: 1 },
      { kind: "work", status: "queued", count: 1 },
    ]);
    expect(await world().store.countMatching({ name: "m" }, { limit: 10 })).toEqual({ counts: [] });
    expect(await world().store.countMatching({ createdFrom: t0 + day }, { limit: 10 })).toEqual({ counts: [] });
  });

  it("a count goes on from its cursor until all are counted, each once", async () => {
    await world().submitMany(7, { tags: ["t"] });
    for (const filter of [{ tags: ["t"] }, { tags: ["t"], status: [...jobStatuses] }]) {
      const counted: number[] = [];
      let cursor: string | undefined;
      do {
        const page = await world().store.countMatching(filter, {
          limit: 3,
          ...(cursor === undefined ? {} : { cursor }),
        });
        counted.push(page.counts.reduce((sum, { count }) => sum + count, 0));
        cursor = page.cursor;
      } while (cursor !== undefined);
      expect(counted).toEqual([3, 3, 1]);
    }
  });
}
