import { describe, expect, it } from "vitest";
import { durationAt } from "../../../src/job/durations.ts";
import { noFigures, mergeFigures, type Figures, type Rollup } from "../../../src/store/rules/rollups.ts";
import { day, second, t0 } from "../drafts.ts";
import { outcomes, useWorld, type OpenStore, type World } from "../world.ts";

const minute = 60 * second;
const hour = 60 * minute;

export function describeRollups(open: OpenStore): void {
  describe("rollups", () => {
    const world = useWorld(open);

    it("each end is counted in its minute, ten minutes and hour, by owner and kind", async () => {
      await endAt(world(), t0 + 5 * minute, { owner: "ann" });
      await endAt(world(), t0 + 5 * minute + second, { owner: "ann" });
      await endAt(world(), t0 + 9 * minute, { owner: "bob", kind: "other" });
      await collect(world());
      const minutes = await read(world(), minute);
      expect(minutes.map(({ at, owner, kind, figures }) => [at - t0, owner, kind, figures.ends])).toEqual([
        [5 * minute, "ann", "work", { failed: 2 }],
        [9 * minute, "bob", "other", { failed: 1 }],
      ]);
      for (const span of [10 * minute, hour]) {
        const rollups = await read(world(), span);
        expect(rollups.map(({ at, figures }) => [at % span, figures.ends])).toEqual([
          [0, { failed: 2 }],
          [0, { failed: 1 }],
        ]);
      }
    });

    it("an end is told from how long the job waited and ran", async () => {
      await endAt(world(), t0 + 100 * second, {}, t0 + 40 * second);
      await collect(world());
      const [{ figures } = { figures: noFigures }] = await read(world(), minute);
      expect(relative(durationAt(figures.waits, 0.5), 40 * second)).toBeLessThan(0.2);
      expect(relative(durationAt(figures.runs, 0.5), 60 * second)).toBeLessThan(0.2);
    });

    it("a job that ends, is retried and ends again has ended twice, even if nobody counted in between", async () => {
      const { lease, job } = await world().start();
      await world().store.settle(lease, outcomes.failed, { now: t0 + second });
      await world().store.retry(job.id, { at: t0 + second });
      const [again] = await world().claim({ now: t0 + second });
      if (again !== undefined) await world().store.settle(again.lease, outcomes.succeeded, { now: t0 + 2 * second });
      await world().store.remove(job.id, t0 + 3 * second);
      await collect(world());
      expect((await sum(world())).ends).toEqual({ failed: 1, succeeded: 1 });
    });

    it("each end is counted once, whenever it is counted and however often the store is opened", async () => {
      for (let index = 0; index < 3; index++) {
        await endAt(world(), t0 + second);
        if (index === 1) await collect(world());
        await world().restart();
      }
      await collect(world());
      await collect(world());
      expect((await sum(world())).ends).toEqual({ failed: 3 });
    });

    it("figures keep to the owner, the kinds and the time that are asked for", async () => {
      await endAt(world(), t0, { owner: "ann" });
      await endAt(world(), t0, { owner: "bob", kind: "other" });
      await collect(world());
      const ask = async (request: object): Promise<string[]> =>
        (await world().store.rollups.read({ spanMs: minute, from: 0, before: t0 + day, ...request })).map(
          ({ owner }) => owner,
        );
      expect(await ask({ owner: "ann" })).toEqual(["ann"]);
      expect(await ask({ kinds: ["other"] })).toEqual(["bob"]);
      expect(await ask({ kinds: [] })).toEqual([]);
      expect(await ask({ from: t0 + hour })).toEqual([]);
      expect(await ask({ before: t0 - hour })).toEqual([]);
    });

    it("figures that are too old are forgotten, the finer ones first", async () => {
      await endAt(world(), t0);
      await collect(world());
      await endAt(world(), t0 + 2 * day);
      await collect(world(), t0 + 2 * day);
      expect(await read(world(), minute)).toHaveLength(1);
      expect(await read(world(), hour)).toHaveLength(2);
    });
  });
}

/** A job fails at a time. */
async function endAt(world: World, now: number, options: object = {}, startedAt = now): Promise<void> {
  const { lease } = await world.start(options, { now: startedAt });
  await world.store.settle(lease, outcomes.failed, { now });
}

async function collect({ store }: World, now = t0): Promise<void> {
  while (await store.rollups.collect(now));
}

function read({ store }: World, spanMs: number): Promise<Rollup[]> {
  return store.rollups.read({ spanMs, from: 0, before: t0 + 10 * day });
}

async function sum(world: World): Promise<Figures> {
  return (await read(world, minute)).map(({ figures }) => figures).reduce(mergeFigures, noFigures);
}

function relative(found: number | undefined, wanted: number): number {
  return Math.abs((found ?? 0) - wanted) / wanted;
}
