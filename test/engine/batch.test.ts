import { describe, expect, it } from "vitest";
import type { Engine, Job } from "../../src/index.ts";
import { Puppet } from "./puppet.ts";
import { statusOf, untilStatus, useWorld } from "./world.ts";
import { present } from "../present.ts";

const world = useWorld();

async function submitBatch(engine: Engine, labels: readonly string[]): Promise<string[]> {
  const jobs = await engine.submitMany(labels.map((label) => ({ kind: "puppet", input: { label }, batch: "b1" })));
  return jobs.map(({ id }) => id);
}

async function openBatch(labels: readonly string[]): Promise<{ engine: Engine; puppet: Puppet; ids: string[] }> {
  const puppet = new Puppet();
  const engine = await world().open([puppet.kind]);
  return { engine, puppet, ids: await submitBatch(engine, labels) };
}

function statuses(jobs: readonly Job[]): string[] {
  return jobs.map(({ state }) => state.status);
}

describe("waiting for a batch", () => {
  it("for all of it ends when the last job has ended, however it ended", async () => {
    const { engine, puppet, ids } = await openBatch(["a", "b", "c"]);
    const waiting = engine.wait(ids, { for: "all" });
    const [a, b, c] = [await puppet.next(), await puppet.next(), await puppet.next()];
    c.fail(new Error("broken"));
    a.succeed();
    await untilStatus(engine, a.context.id, "succeeded");
    b.succeed();
    const { isReached, met, jobs } = await waiting;
    expect(isReached).toBe(true);
    expect(met.toSorted()).toEqual(ids.toSorted());
    expect(statuses(jobs)).toEqual(["succeeded", "succeeded", "failed"]);
  });

  it("for any of it ends with the first end, also one without success", async () => {
    const { engine, puppet, ids } = await openBatch(["a", "b", "c"]);
    const waiting = engine.wait(ids, { for: "any" });
    await puppet.next();
    (await puppet.next()).fail(new Error("broken"));
    const { isReached, met } = await waiting;
    expect({ isReached, met }).toEqual({ isReached: true, met: [ids[1]] });
  });

  it("for a success passes over ends without one", async () => {
    const { engine, puppet, ids } = await openBatch(["a", "b", "c"]);
    const waiting = engine.wait(ids, { for: "success" });
    const [a, b] = [await puppet.next(), await puppet.next()];
    a.fail(new Error("broken"));
    await untilStatus(engine, present(ids[0]), "failed");
    b.succeed();
    const { isReached, jobs } = await waiting;
    expect(isReached).toBe(true);
    expect(statuses(jobs)).toEqual(["failed", "succeeded", "running"]);
  });

  it("for a success also ends when none can come any more", async () => {
    const { engine, puppet, ids } = await openBatch(["a", "b"]);
    const waiting = engine.wait(ids, { for: "success" });
    (await puppet.next()).fail(new Error("broken"));
    (await puppet.next()).fail(new Error("broken"));
    const { isReached, jobs } = await waiting;
    expect(isReached).toBe(true);
    expect(statuses(jobs)).toEqual(["failed", "failed"]);
  });

  it("for a number of its jobs ends when that many have ended", async () => {
    const { engine, puppet, ids } = await openBatch(["a", "b", "c", "d"]);
    const waiting = engine.wait(ids, { for: 2 });
    const [, b, , d] = [await puppet.next(), await puppet.next(), await puppet.next(), await puppet.next()];
    d.succeed();
    await untilStatus(engine, present(ids[3]), "succeeded");
    b.succeed();
    const { isReached, met } = await waiting;
    expect(isReached).toBe(true);
    expect(new Set(met)).toEqual(new Set([ids[1], ids[3]]));
  });

  it("for more jobs than it has ends when all have ended", async () => {
    const { engine, puppet, ids } = await openBatch(["a", "b"]);
    const waiting = engine.wait(ids, { for: 5 });
    (await puppet.next()).succeed();
    (await puppet.next()).succeed();
    expect((await waiting).isReached).toBe(true);
  });
});

describe("a batch", () => {
  it("is cancelled but for the first success: the rest ends, the success stays", async () => {
    const { engine, puppet, ids } = await openBatch(["a", "b", "c"]);
    await puppet.next();
    (await puppet.next()).succeed("won");
    await engine.wait(ids, { for: "success" });
    for (const { id } of (await engine.list({ batch: "b1" })).jobs) await engine.cancel(id, "another was faster");
    await engine.wait(ids);
    expect(await Promise.all(ids.map((id) => statusOf(engine, id)))).toEqual(["cancelled", "succeeded", "cancelled"]);
    expect(await engine.result(present(ids[1]))).toBe("won");
  });

  it("has one digest: how many of its jobs are in which state, within what the owner may see", async () => {
    const { engine, puppet, ids } = await openBatch(["a", "b", "c"]);
    await engine.submit({ kind: "puppet", input: {}, batch: "other" });
    (await puppet.next()).succeed();
    (await puppet.next()).fail(new Error("broken"));
    await engine.wait(ids, { for: 2 });
    const digest = await engine.count({ batch: "b1" });
    expect(digest).toHaveLength(3);
    expect(digest).toEqual(
      expect.arrayContaining([
        { kind: "puppet", status: "succeeded", count: 1 },
        { kind: "puppet", status: "failed", count: 1 },
        { kind: "puppet", status: "running", count: 1 },
      ]),
    );
    expect(await engine.count({ batch: "b1", owner: "somebody" })).toEqual([]);
  });
});
