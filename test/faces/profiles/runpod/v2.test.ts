import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { until } from "../../../until.ts";
import { openV2World, type V2World } from "./v2-world.ts";

interface Sent {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

describe("the interface of RunPod", () => {
  let world: V2World;
  const received: { data: { id: string; state: string } }[] = [];
  const receiver = createServer((request, response) => {
    let text = "";
    request.on("data", (chunk: Buffer) => (text += chunk.toString()));
    request.once("end", () => {
      received.push(JSON.parse(text) as (typeof received)[number]);
      response.end();
    });
  });
  const hook = (): string => `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;
  beforeAll(async () => {
    await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
    world = await openV2World({ webhooks: { allow: [hook()] } });
  });
  afterAll(async () => {
    await world.close();
    receiver.closeAllConnections();
    receiver.close();
  });

  const ask = async (
    method: string,
    path: string,
    { body, key = `Bearer ${world.token()}` }: { body?: unknown; key?: string } = {},
  ): Promise<Sent> => {
    const response = await fetch(`${world.url()}/${path}`, {
      method,
      headers: { "content-type": "application/json", ...(key === "" ? {} : { authorization: key }) },
      body: body === undefined ? undefined : typeof body === "string" ? body : JSON.stringify(body),
    });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };
  const run = async (input: object, more: object = {}, endpoint = "many"): Promise<string> => {
    const { status, body } = await ask("POST", `${endpoint}/run`, { body: { input, ...more } });
    expect(body).toEqual({ id: expect.any(String) as string, status: "IN_QUEUE" });
    expect(status).toBe(200);
    return body["id"] as string;
  };
  const view = async (id: string): Promise<Record<string, unknown>> => {
    const headers = { authorization: `Bearer ${world.token()}` };
    const response = await fetch(`${world.url().replace(/v2$/, "v1")}/jobs/${id}`, { headers });
    return (await response.json()) as Record<string, unknown>;
  };
  const isDone = async (id: string): Promise<boolean> => "finished_at" in (await view(id));

  it("takes a key with and without the word Bearer before it, and no other", async () => {
    expect(await ask("GET", "local/health", { key: world.token() })).toMatchObject({ status: 200 });
    for (const key of ["", "nonsense", "Bearer nonsense", "Basic a b"]) {
      expect(await ask("GET", "local/health", { key })).toEqual({
        status: 401,
        body: { error: expect.any(String) as string },
      });
    }
  });

  it.each([
    ["POST", "local/run", { input: 1 }, 400, /input/],
    ["POST", "local/run", {}, 400, /input/],
    ["POST", "local/run", "{", 400, /not JSON/],
    ["POST", "local/run", { input: {}, policy: { executionTimeout: 4_999 } }, 400, /executionTimeout/],
    ["POST", "local/run", { input: {}, policy: { ttl: 9_999 } }, 400, /ttl/],
    ["POST", "local/run", { input: {}, webhook: "http://127.0.0.1:9/elsewhere" }, 403, /webhook/],
    ["POST", "local/runsync?wait=999", { input: {} }, 400, /1000 to 300000/],
    ["POST", "local/runsync?wait=300001", { input: {} }, 400, /1000 to 300000/],
    ["POST", "local/runsync?wait=soon", { input: {} }, 400, /1000 to 300000/],
    ["POST", "nowhere/run", { input: {} }, 404, /nowhere/],
    ["GET", "nowhere/health", undefined, 404, /nowhere/],
    ["GET", "local/status/01a1e203-e0ef-7000-9fc3-ebeca2d18073", undefined, 404, /01a1e203/],
    ["GET", "local/status/nonsense", undefined, 404, /nonsense/],
    ["GET", "local/nonsense", undefined, 404, /purge-queue/],
    ["GET", "local/run", undefined, 405, /POST/],
  ])("%s %s is refused with %j as an object with an error", async (method, path, body, status, message) => {
    const count = async (): Promise<unknown> => (await ask("GET", "local/health")).body["jobs"];
    const before = await count();
    const sent = await ask(method, path, body === undefined ? {} : { body });
    expect(sent.body).toEqual({ error: expect.stringMatching(message) as string });
    expect(sent.status).toBe(status);
    expect(await count()).toEqual(before);
  });

  it.each([
    ["run", 10_000_000],
    ["runsync", 20_000_000],
  ])("/%s takes no more than %i bytes", async (verb, max) => {
    const body = { input: { text: "x".repeat(max) } };
    // The connection ends with the answer, which may come before all is sent.
    const sent = await ask("POST", `local/${verb}`, { body }).catch(() => undefined);
    if (sent !== undefined) expect(sent).toMatchObject({ status: 413, body: { error: expect.any(String) as string } });
    expect(await ask("GET", "local/health")).toMatchObject({ body: { jobs: { completed: 0, inQueue: 0 } } });
  });

  it("knows a job only under its own endpoint", async () => {
    const id = await run({});
    await until(() => isDone(id));
    expect(await ask("GET", `many/status/${id}`)).toMatchObject({ status: 200, body: { id, status: "COMPLETED" } });
    expect(await ask("GET", `local/status/${id}`)).toMatchObject({ status: 404 });
    expect(await ask("POST", `local/cancel/${id}`)).toMatchObject({ status: 404 });
  });

  it("answers a wait that runs out with the id and the status, and a longer one with the end", async () => {
    const slow = { body: { input: { chunks: [1, 2, 3, 4], pause: 600 } } };
    const { body } = await ask("POST", "many/runsync?wait=1000", slow);
    const { id } = body;
    expect(body).toEqual({ id, status: "IN_PROGRESS" });
    expect(await ask("GET", `many/status-sync/${String(id)}?wait=90001`)).toMatchObject({ status: 400 });
    expect(await ask("GET", `many/status-sync/${String(id)}?wait=60000`)).toMatchObject({
      body: { id, status: "COMPLETED" },
    });
  });

  it("maps a policy to limits and priority", async () => {
    const policy = { executionTimeout: 5_000, ttl: 60_000 };
    const first = await run({ do: "stay" }, { policy }, "local");
    const low = await run({}, { policy: { lowPriority: true } }, "local");
    const usual = await run({}, {}, "local");
    expect(await ask("GET", `local/status-sync/${first}`)).toMatchObject({ body: { status: "TIMED_OUT" } });
    await until(() => isDone(low));
    const [early, late] = [await view(usual), await view(low)];
    expect(Date.parse(String(early["finished_at"]))).toBeLessThanOrEqual(Date.parse(String(late["started_at"])));
  }, 20_000);

  it("tells an allowed webhook of the end", async () => {
    const id = await run({}, { webhook: hook() });
    await until(() => received.some(({ data }) => data.id === id));
    expect(received.filter(({ data }) => data.id === id)).toMatchObject([{ type: "job.succeeded", data: { id } }]);
  });

  it("runs a job again under its id only if it has failed", async () => {
    const failed = await run({ do: "fail" });
    await until(() => isDone(failed));
    expect(await ask("POST", `many/retry/${failed}`)).toEqual({
      status: 200,
      body: { id: failed, status: "IN_QUEUE" },
    });
    const good = await run({});
    await until(() => isDone(good));
    expect(await ask("POST", `many/retry/${good}`)).toMatchObject({
      status: 400,
      body: { error: expect.stringContaining("only FAILED and TIMED_OUT") as string },
    });
  });

  describe("the stream of a job", () => {
    const take = async (id: string, query = ""): Promise<unknown> =>
      (await ask("GET", `many/stream/${id}${query}`)).body;

    it("gives each chunk once, waits for the next, and goes back to what a reader says it has", async () => {
      const id = await run({ chunks: ["a", "b"], pause: 700 });
      const all: unknown[] = [];
      let reply: { status: string; stream: unknown[] };
      do {
        reply = (await take(id)) as typeof reply;
        all.push(...reply.stream);
      } while (reply.status !== "COMPLETED");
      expect(all).toEqual([{ output: "a" }, { output: "b" }]);
      expect(await take(id)).toEqual({ status: "COMPLETED", stream: [] });
      expect(await take(id, "?have=0")).toEqual({ status: "COMPLETED", stream: all, have: 0 });
      expect(await take(id, "?have=1")).toEqual({ status: "COMPLETED", stream: [{ output: "b" }], have: 1 });
      expect(await take(id, "?have=1")).toEqual({ status: "COMPLETED", stream: [{ output: "b" }], have: 1 });
      expect(await take(id, "?have=2")).toEqual({ status: "COMPLETED", stream: [], have: 2 });
    });

    it("does not end before everything was given", async () => {
      const chunk = "x".repeat(1_500_000);
      const id = await run({ chunks: Array.from({ length: 6 }, () => chunk) });
      await until(() => isDone(id));
      const replies: { status: string; stream: unknown[] }[] = [];
      do replies.push((await take(id)) as (typeof replies)[number]);
      while (replies.at(-1)?.status !== "COMPLETED");
      expect(replies.length).toBeGreaterThan(1);
      expect(replies.flatMap(({ stream }) => stream)).toEqual(Array.from({ length: 6 }, () => ({ output: chunk })));
    });

    it("gives up waiting when its reader has gone, and loses nothing", async () => {
      const id = await run({ chunks: ["late"], do: "stay" });
      await until(async () => ((await take(id, "?wait=1000")) as { stream: unknown[] }).stream.length === 1);
      const gone = new AbortController();
      const waiting = fetch(`${world.url()}/many/stream/${id}?wait=300000`, {
        headers: { authorization: world.token() },
        signal: gone.signal,
      });
      gone.abort();
      await expect(waiting).rejects.toThrow(/abort/);
      expect(await take(id, "?wait=1000")).toEqual({ status: "IN_PROGRESS", stream: [] });
      expect(await ask("POST", `many/cancel/${id}`)).toMatchObject({ body: { id, status: "CANCELLED" } });
    });
  });
});
