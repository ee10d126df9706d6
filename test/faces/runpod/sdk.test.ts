import type runpodSdk from "runpod-sdk";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { until } from "../../until.ts";
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
      ...{ id, status: "COMPLETED", started: true, completed: true, succeeded: true },
      ...{ output: { echo: { word: "hello" } } },
      ...{ delayTime: expect.any(Number) as number, executionTime: expect.any(Number) as number },
    });
  });

  it("waits for a job's end", async () => {
    expect(await open("local").runSync({ input: { word: "sync" } })).toMatchObject({
      ...{ status: "COMPLETED", completed: true, succeeded: true, output: { echo: { word: "sync" } } },
    });
    expect(await open("local").runSync({ input: { do: "fail" } })).toMatchObject({
      ...{ status: "FAILED", completed: true, succeeded: false, error: '{"type":"Bad"}' },
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

  // The limits are the client's own and run in real time: a busy machine may need another try.
  it("keeps within its time limits of three seconds with 200 jobs at once", { retry: 2, timeout: 60_000 }, async () => {
    const crowd = open("crowd");
    await crowd.runSync({ input: {} });
    const started = await Promise.all(Array.from({ length: 200 }, () => crowd.run({ input: {} })));
    expect(new Set(started.map(({ id }) => id)).size).toBe(200);
    const waiting = started.map(({ id }) => until(() => isOver(crowd, id), { timeoutMs: 30_000 }));
    await Promise.all([...waiting, crowd.health()]);
    const ends = await Promise.all(started.map(({ id }) => crowd.status(id)));
    expect(ends.filter((end) => "output" in end && end.output === "done")).toHaveLength(200);
  });
});
