import { Client, type CallToolResult } from "@modelcontextprotocol/client";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { FakeRunpod } from "../../../kinds/endpoint/fake-runpod.ts";
import { until } from "../../../until.ts";
import { openTransport } from "../../mcp/official-client.ts";
import { fencedIn, jobIdIn, textOf } from "../../mcp/reply-text.ts";
import { serveBuilt, type TestServer } from "../../mcp/server-process.ts";

type Reply = Record<string, unknown>;

const script = `
import { createInterface } from "node:readline";
for await (const line of createInterface({ input: process.stdin })) {
  const { id, input } = JSON.parse(line);
  const say = (what) => process.stdout.write(JSON.stringify({ id, ...what }) + "\\n");
  if (input.do === "stay") { say({ progress: "staying" }); await new Promise(() => setInterval(() => undefined, 1000)); }
  if (input.do === "fail") say({ error: { type: "Bad", why: "because" } });
  say({ stream: 1 });
  say({ stream: "two" });
  say({ output: { echo: input } });
}`;

describe("the profile runpod", () => {
  let home = "";
  let runpod: FakeRunpod;
  let server: TestServer;
  let client: Client;
  let core: Client;
  beforeAll(async () => {
    home = mkdtempSync(join(tmpdir(), "longhaul-runpod-"));
    runpod = await FakeRunpod.start();
    writeFileSync(join(home, "handler.mjs"), script);
    const local = { type: "local", argv: [process.execPath, join(home, "handler.mjs")], mode: "warm", cwd: home };
    const elsewhere = { type: "runpod", endpoint_id: "ep9", base_url: `${runpod.url}/`, api_key: runpod.key };
    const endpoints = { local: { ...local, concurrency: 1 }, elsewhere };
    writeFileSync(join(home, "config.json"), JSON.stringify({ endpoints }));
    server = await serveBuilt(home);
    client = new Client({ name: "drop-in", version: "0.0.0" });
    await client.connect(openTransport({ ...server, url: `${server.url}/runpod` }, "http", server.token));
    core = new Client({ name: "plain", version: "0.0.0" }, { versionNegotiation: { mode: "auto" } });
    await core.connect(openTransport(server, "http", server.token));
  });
  beforeEach(() => {
    runpod.onSubmit = () => undefined;
    runpod.fault = () => false;
    runpod.jobs.clear();
  });
  afterAll(async () => {
    await client.close();
    await core.close();
    await server.stop();
    await runpod.close();
    rmSync(home, { recursive: true, force: true });
  });

  const call = async (name: string, args: Reply = {}): Promise<CallToolResult> =>
    client.callTool({ name, arguments: args });
  /** One text of pretty JSON, and the same as structured content. */
  const data = async (name: string, args: Reply = {}): Promise<Reply> => {
    const { structuredContent, content, isError } = await call(name, args);
    const [first] = content;
    const text = first?.type === "text" ? first.text : "";
    if (isError === true) throw new Error(text);
    expect(text).toBe(JSON.stringify(structuredContent, null, 2));
    return structuredContent as Reply;
  };
  const error = async (name: string, args: Reply = {}): Promise<Reply> => {
    const { isError, content } = await call(name, args);
    const [first] = content;
    return JSON.parse(isError === true && first?.type === "text" ? first.text : "{}") as Reply;
  };
  const start = async (endpointId: string, input: Reply = {}): Promise<string> =>
    String((await data("run-endpoint", { endpointId, input }))["id"]);
  const status = (endpointId: string, jobId: string): Promise<Reply> => data("get-job-status", { endpointId, jobId });

  it("has these tools, with RunPod's titles and annotations", async () => {
    const { tools } = await client.listTools();
    const reads = { readOnlyHint: true, openWorldHint: true };
    const writes = { readOnlyHint: false, openWorldHint: true };
    expect(tools.map(({ name, annotations }) => [name, annotations])).toEqual([
      ["list-endpoints", { title: "List endpoints", ...reads }],
      ["list-endpoint-workers", { title: "List endpoint workers", ...reads }],
      ["stream-worker-logs", { title: "Stream worker logs", ...reads }],
      ["list-public-endpoints", { title: "List public endpoints", ...reads }],
      ["run-endpoint", { title: "Run endpoint (async)", ...writes }],
      ["runsync-endpoint", { title: "Run endpoint (sync)", ...writes }],
      ["get-job-status", { title: "Get job status", ...reads }],
      ["stream-job", { title: "Stream job", ...reads }],
      ["cancel-job", { title: "Cancel job", ...writes, idempotentHint: true }],
      ["retry-job", { title: "Retry job", ...writes }],
      ["endpoint-health", { title: "Endpoint health", ...reads }],
      ["purge-endpoint-queue", { title: "Purge endpoint queue", ...writes, idempotentHint: true }],
    ]);
    expect(tools.map(({ title, annotations }) => title === annotations?.title)).toEqual(tools.map(() => true));
  });

  it("names the six statuses wherever one is told", async () => {
    const { tools } = await client.listTools();
    const telling = tools.filter(({ name }) => /^(run|runsync|get-job|stream-job)/.test(name));
    expect(telling).toHaveLength(4);
    for (const { description } of telling) {
      for (const word of ["IN_QUEUE", "IN_PROGRESS", "COMPLETED", "FAILED", "CANCELLED", "TIMED_OUT"]) {
        expect(description).toContain(word);
      }
    }
  });

  it("runs a job on a remote endpoint through all its statuses", async () => {
    const started = await data("run-endpoint", { endpointId: "elsewhere", input: { a: 1 }, policy: { ttl: 60_000 } });
    expect(started).toEqual({ id: expect.any(String) as string, status: "IN_QUEUE" });
    const id = String(started["id"]);
    expect(await status("elsewhere", id)).toMatchObject({ status: "IN_QUEUE" });
    await until(() => runpod.jobs.size === 1);
    const remote = runpod.only();
    expect(runpod.requests.some((request) => request === "POST /v2/ep9/run")).toBe(true);
    expect(remote.body).toEqual({ input: { a: 1 }, policy: { ttl: 60_000 } });
    await until(async () => "hint" in (await status("elsewhere", id)));
    expect(await status("elsewhere", id)).toEqual({
      id,
      status: "IN_QUEUE",
      workerHealth: { idle: 1, initializing: 0, running: 0, throttled: 0, total: 1, unhealthy: 0 },
      hint: expect.any(String) as string,
    });
    Object.assign(remote, { status: "IN_PROGRESS", output: "half way" });
    await until(async () => (await status("elsewhere", id))["output"] === "half way");
    expect(await status("elsewhere", id)).toEqual({ id, status: "IN_PROGRESS", output: "half way" });
    remote.chunks.push({ output: "x" });
    Object.assign(remote, { status: "COMPLETED", output: { b: 2 } });
    const done = { id, status: "COMPLETED", delayTime: 12, executionTime: 34, workerId: "w1", output: { b: 2 } };
    expect(await data("get-job-status", { endpointId: "elsewhere", jobId: id, wait: 30_000 })).toEqual(done);
    expect(await data("stream-job", { endpointId: "elsewhere", jobId: id })).toEqual({
      ...done,
      stream: [{ output: "x" }],
    });
    // The platform has forgotten it; we have not.
    runpod.jobs.clear();
    expect(await status("elsewhere", id)).toEqual(done);
  });

  it("waits for a result, and answers without it when the time is over", async () => {
    const input = { hello: "you" };
    expect(await data("runsync-endpoint", { endpointId: "local", input })).toEqual({
      id: expect.any(String) as string,
      status: "COMPLETED",
      output: { echo: input },
      delayTime: expect.any(Number) as number,
      executionTime: expect.any(Number) as number,
    });
    const slow = await data("runsync-endpoint", { endpointId: "local", input: { do: "stay" }, wait: 1_000 });
    expect(slow).toEqual({ id: expect.any(String) as string, status: "IN_PROGRESS" });
    const id = String(slow["id"]);
    expect(await data("get-job-status", { endpointId: "local", jobId: id, wait: 1_000 })).toEqual({
      id,
      status: "IN_PROGRESS",
      delayTime: expect.any(Number) as number,
      output: "staying",
      pollingTimedOut: true,
      note: expect.any(String) as string,
    });
    const queued = await start("local");
    expect(await status("local", queued)).toEqual({
      id: queued,
      status: "IN_QUEUE",
      workerHealth: { idle: 0, initializing: 0, running: 1, throttled: 0, total: 1, unhealthy: 0 },
      hint: 'at most 1 job with the key "local" may run at once',
    });
    expect(await data("endpoint-health", { endpointId: "local" })).toEqual({
      jobs: { completed: 1, failed: 0, inProgress: 1, inQueue: 1, retried: 0 },
      workers: { idle: 0, initializing: 0, ready: 0, running: 1, throttled: 0, unhealthy: 0 },
    });
    expect(await data("purge-endpoint-queue", { endpointId: "local" })).toEqual({ removed: 1, status: "completed" });
    expect(await status("local", queued)).toEqual({ id: queued, status: "CANCELLED" });
    expect(await data("cancel-job", { endpointId: "local", jobId: id })).toEqual({
      id,
      status: "CANCELLED",
      delayTime: expect.any(Number) as number,
      executionTime: expect.any(Number) as number,
    });
  });

  it("streams all chunks of a local job, as often as it is asked", async () => {
    const id = await start("local");
    const stream = [{ output: 1 }, { output: "two" }];
    expect(await data("stream-job", { endpointId: "local", jobId: id })).toMatchObject({ status: "COMPLETED", stream });
    expect(await data("stream-job", { endpointId: "local", jobId: id })).toMatchObject({ status: "COMPLETED", stream });
  });

  it("retries what has failed, and only that", async () => {
    const id = await start("local", { do: "fail" });
    await until(async () => (await status("local", id))["status"] === "FAILED");
    expect(await status("local", id)).toMatchObject({ error: '{"type":"Bad","why":"because"}' });
    expect(await data("retry-job", { endpointId: "local", jobId: id })).toEqual({ id, status: "IN_QUEUE" });
    const fine = await start("local");
    await until(async () => (await status("local", fine))["status"] === "COMPLETED");
    expect(await error("retry-job", { endpointId: "local", jobId: fine })).toMatchObject({
      error: `Job ${fine} is COMPLETED: only FAILED and TIMED_OUT jobs can be retried.`,
    });
  });

  it("purges the platform's queue, and ends what was in it here", async () => {
    const id = await start("elsewhere");
    await until(() => runpod.jobs.size === 1);
    await until(async () => "hint" in (await status("elsewhere", id)));
    expect(await data("purge-endpoint-queue", { endpointId: "elsewhere" })).toEqual({
      removed: 1,
      status: "completed",
    });
    await until(async () => (await status("elsewhere", id))["status"] === "CANCELLED");
  });

  it("refuses in the words that clients of RunPod's server know", async () => {
    const unknown = "01a1e1c2-c303-7000-b83d-4afd30c19974";
    expect(await error("get-job-status", { endpointId: "local", jobId: unknown })).toEqual({
      error: "Runpod runtime API error (404)",
      detail: { error: `There is no job ${unknown}.` },
      hint: expect.any(String) as string,
    });
    const id = await start("local");
    expect(await error("get-job-status", { endpointId: "elsewhere", jobId: id })).toMatchObject({
      error: "Runpod runtime API error (404)",
    });
    expect(await error("run-endpoint", { endpointId: "nowhere", input: {} })).toMatchObject({
      detail: { error: expect.stringContaining("There is no endpoint") as string },
    });
    expect(await error("run-endpoint", { endpointId: "local", input: "text" })).toMatchObject({
      error: expect.stringContaining("input must be") as string,
    });
    expect(await error("stream-worker-logs", { endpointId: "local", workerId: "1" })).toMatchObject({
      error: expect.stringContaining("is local") as string,
    });
  });

  it("tells of local endpoints and their workers, too", async () => {
    await start("local");
    const { items } = await data("list-endpoints");
    expect(items).toEqual([{ id: "local", name: "local", type: "local", workers: { max: 1 } }]);
    await until(async () => {
      const { workers } = await data("list-endpoint-workers", { id: "local" });
      return JSON.stringify(workers).includes("IDLE");
    });
    expect(await data("list-endpoint-workers", { id: "local" })).toEqual({
      workers: [{ id: expect.stringMatching(/^\d+$/) as string, status: "IDLE" }],
      summary: { idle: 1, ready: 1, initializing: 0, running: 0, throttled: 0, unhealthy: 0, total: 1 },
    });
  });

  it("shares its jobs with the core profile, which has run_endpoint", async () => {
    const { tools } = await core.listTools();
    expect(tools.map(({ name }) => name)).toContain("run_endpoint");
    expect(JSON.stringify({ tools }).length).toBeLessThan((6_000 * tools.length) / 5);
    const { description = "" } = tools.find(({ name }) => name === "run_endpoint") ?? {};
    expect(description).toContain("(local, elsewhere)");
    expect(core.getInstructions()).toContain("run_endpoint");
    const ran = await core.callTool({ name: "run_endpoint", arguments: { endpoint: "local", input: { n: 1 } } });
    expect(textOf(ran)).toMatch(/^job [0-9a-f-]{36} succeeded after /);
    expect(JSON.parse(fencedIn(ran, "Result"))).toMatchObject({ output: { echo: { n: 1 } } });
    expect(await status("local", jobIdIn(ran))).toMatchObject({ status: "COMPLETED" });
  });
});
