import { describe, expect, it } from "vitest";
import { JobFailure, type Engine } from "../../src/index.ts";
import { Puppet } from "../engine/puppet.ts";
import { untilStatus, useWorld } from "../engine/world.ts";
import { call } from "./call.ts";

const world = useWorld();

/** Runs a job to its end. */
async function end(engine: Engine, puppet: Puppet, request: object, failure?: string): Promise<void> {
  const { id } = await engine.submit({ kind: puppet.kind.name, input: {}, limits: { attempts: 1 }, ...request });
  const attempt = await puppet.next();
  if (failure === undefined) attempt.succeed();
  else attempt.fail(new JobFailure("broken", failure));
  await untilStatus(engine, id, failure === undefined ? "succeeded" : "failed");
}

async function openWithEnds(): Promise<Engine> {
  const [puppet, other] = [new Puppet(), new Puppet({ name: "other" })];
  const engine = await world().open([puppet.kind, other.kind]);
  await end(engine, puppet, { owner: "ann" });
  await end(engine, puppet, { owner: "ann" }, "exit 1: process 17 broke at 0x1f");
  await end(engine, puppet, { owner: "bob", tags: ["x"] }, "exit 1: process 4711 broke at 0x2e");
  await end(engine, other, { owner: "bob" }, "exit 1: process 1 broke at 0x1");
  return engine;
}

describe("job_series", () => {
  it("tells how many jobs ended in each step, in all and by kind, with how long they waited and ran", async () => {
    const engine = await openWithEnds();
    const series = (await call(engine, "job_series", { last: "1h" })) as {
      points: { ended: Record<string, number>; run?: object }[];
      total: unknown;
      kinds: unknown;
      step_ms: number;
    };
    expect(series.points).toHaveLength(60);
    expect(series.step_ms).toBe(60_000);
    const ended = series.points
      .slice(-2)
      .map((point) => Object.values(point.ended).reduce((sum, count) => sum + count, 0));
    expect(ended.reduce((sum, count) => sum + count, 0)).toBe(4);
    expect(series.total).toMatchObject({
      ended: { succeeded: 1, failed: 3 },
      wait: { p50_ms: expect.any(Number) as number },
    });
    expect(series.kinds).toMatchObject([
      { kind: "other", ended: { failed: 1 } },
      { kind: "puppet", ended: { succeeded: 1, failed: 2 }, run: { p99_ms: expect.any(Number) as number } },
    ]);
  });

  it.each(["1h", "6h", "24h", "7d", "30d", "90d"])(
    "has what ended just now in the last of at most 120 steps of %s",
    async (last) => {
      const engine = await openWithEnds();
      const { points } = (await call(engine, "job_series", { last })) as { points: { ended: object }[] };
      expect(points.length).toBeLessThanOrEqual(120);
      expect(points.slice(-2).some((point) => Object.keys(point.ended).length > 0)).toBe(true);
    },
  );

  it("counts only what the caller may see and asks for", async () => {
    const engine = await openWithEnds();
    const total = async (input: object, actor: object = {}): Promise<unknown> =>
      ((await call(engine, "job_series", input, actor)) as { total: { ended: unknown } }).total.ended;
    expect(await total({}, { owner: "ann" })).toEqual({ succeeded: 1, failed: 1 });
    expect(await total({ owner: "bob" }, { owner: "ann" })).toEqual({});
    expect(await total({}, { kinds: ["other"] })).toEqual({ failed: 1 });
    expect(await total({ kind: ["other", "none"], owner: "bob" })).toEqual({ failed: 1 });
  });
});

describe("job_failures", () => {
  it("groups the jobs that failed by kind and by what went wrong, whatever numbers it names", async () => {
    const engine = await openWithEnds();
    const answer = (await call(engine, "job_failures")) as { groups: { ids: string[] }[]; sampled: number };
    expect(answer).toMatchObject({
      sampled: 3,
      groups: [
        { kind: "puppet", code: "broken", message: "exit 1: process 4711 broke at 0x2e", count: 2 },
        { kind: "other", code: "broken", count: 1 },
      ],
    });
    const [first] = answer.groups;
    await call(engine, "job_retry", { ids: first?.ids });
    expect(await call(engine, "job_failures")).toMatchObject({ groups: [{ kind: "other" }], sampled: 1 });
  });

  it("groups only what the filter leaves and the caller may see", async () => {
    const engine = await openWithEnds();
    expect(await call(engine, "job_failures", { tag: "x" })).toMatchObject({ sampled: 1 });
    expect(await call(engine, "job_failures", {}, { owner: "ann" })).toMatchObject({ sampled: 1 });
    expect(await call(engine, "job_failures", { q: "since:1h kind:other" })).toMatchObject({ sampled: 1 });
  });
});
