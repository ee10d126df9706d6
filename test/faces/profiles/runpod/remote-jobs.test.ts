import { Client } from "@modelcontextprotocol/client";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createClient } from "../../../../src/faces/door/local-client.ts";
import { FakeRunpod, reply, type FakeJob } from "../../../kinds/endpoint/fake-runpod.ts";
import { until } from "../../../until.ts";
import { openTransport } from "../../mcp/official-client.ts";
import { serveBuilt, type TestServer } from "../../mcp/server-process.ts";

type Reply = Record<string, unknown>;

const endpointId = "ep9";

describe("jobs of a platform, by RunPod's tools and its HTTP API,", () => {
  let home = "";
  let platform: FakeRunpod;
  let server: TestServer;
  let client: Client;
  beforeAll(async () => {
    home = mkdtempSync(join(tmpdir(), "longhaul-runpod-"));
    platform = await FakeRunpod.start();
    server = await serveBuilt(home, platform.variables);
    client = new Client({ name: "drop-in", version: "0.0.0" });
    await client.connect(openTransport({ ...server, url: `${server.url}/runpod` }, "http", server.token));
  });
  beforeEach(() => {
    platform.jobs.clear();
    platform.requests.length = 0;
    platform.onSubmit = () => undefined;
    platform.fault = () => false;
  });
  afterAll(async () => {
    await client.close();
    await server.stop();
    await platform.close();
    rmSync(home, { recursive: true, force: true });
  });

  const call = async (name: string, args: Reply): Promise<Reply> => {
    const { content } = await client.callTool({ name, arguments: { endpointId, ...args } });
    return JSON.parse(content[0]?.type === "text" ? content[0].text : "{}") as Reply;
  };
  const send = async (
    method: string,
    path: string,
    { body, token = server.token }: { body?: unknown; token?: string } = {},
  ): Promise<{ status: number; said: Reply }> => {
    const response = await fetch(`${server.url.replace(/\/mcp$/, "/v2")}/${endpointId}/${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: response.status, said: (await response.json()) as Reply };
  };
  const submit = (): Promise<{ status: number; said: Reply }> => send("POST", "run", { body: { input: {} } });
  const refuseSubmissions = (status: number, body: unknown, headers: Record<string, string> = {}): void => {
    platform.fault = (request, response) => {
      if (!(request.url ?? "").endsWith("/run")) return false;
      reply(response, status, body, headers);
      return true;
    };
  };
  /** Ends when it was asked about so often. */
  const endAfterLooks = (looks: number): ((job: FakeJob) => void) => {
    let seen = 0;
    platform.fault = (request, _response, job) => {
      if (job !== undefined && (request.url ?? "").includes("/status/") && ++seen === looks) {
        Object.assign(job, { status: "COMPLETED", output: "done" });
      }
      return false;
    };
    return (job) => Object.assign(job, { status: "IN_PROGRESS" });
  };

  it("are asked for ever so often while somebody waits, though they are followed seldom", async () => {
    const done = { status: "COMPLETED", output: "done" };
    platform.onSubmit = endAfterLooks(16);
    expect(await call("runsync-endpoint", { input: {}, wait: 30_000 })).toMatchObject(done);
    platform.onSubmit = endAfterLooks(16);
    expect((await send("POST", "runsync?wait=30000", { body: { input: {} } })).said).toMatchObject(done);
    platform.onSubmit = endAfterLooks(16);
    const { id } = (await submit()).said;
    expect(await call("get-job-status", { jobId: id, wait: 30_000 })).toMatchObject(done);
    platform.onSubmit = endAfterLooks(16);
    const other = (await submit()).said["id"];
    expect((await send("GET", `status-sync/${String(other)}?wait=30000`)).said).toMatchObject(done);
    // Each was submitted in the way that the platform keeps results of for longest.
    expect(platform.count("run")).toBe(platform.count("runsync") + 4);
    expect(platform.count("runsync")).toBe(0);
  });

  it.each([
    [400, 400],
    [401, 502],
    [404, 404],
  ])("that are refused with %i are an error at once, %i over HTTP", async (status, told) => {
    refuseSubmissions(status, { error: "no such thing" });
    const answer = { error: expect.stringContaining("no such thing") as string };
    expect(await submit()).toEqual({ status: told, said: answer });
    expect(await send("POST", "runsync", { body: { input: {} } })).toEqual({ status: told, said: answer });
    expect(await call("run-endpoint", { input: {} })).toMatchObject({ error: `Runpod runtime API error (${status})` });
    expect(platform.jobs.size).toBe(0);
  });

  it("that are put off say so, and are submitted when the platform takes them", async () => {
    refuseSubmissions(429, "slow down", { "retry-after": "0" });
    const said = [await call("run-endpoint", { input: {} }), (await submit()).said];
    for (const one of said) {
      expect(one).toEqual({
        id: expect.any(String) as string,
        status: "IN_QUEUE",
        hint: expect.stringMatching(/does not take the job yet.*429/) as string,
      });
    }
    platform.onSubmit = (job) => Object.assign(job, { status: "COMPLETED", output: "late" });
    platform.fault = () => false;
    for (const { id } of said) {
      expect(await call("get-job-status", { jobId: id, wait: 50_000 })).toMatchObject({ output: "late" });
    }
  });

  it("that were submitted elsewhere are reached over HTTP by the platform's id", async () => {
    const job = platform.add("elsewhere-1", { status: "IN_PROGRESS", output: { step: 1 } });
    expect(await send("GET", `status/${job.id}`)).toEqual({
      status: 200,
      said: { id: job.id, status: "IN_PROGRESS", output: { step: 1 } },
    });
    job.chunks.push({ output: "a" });
    expect((await send("GET", `stream/${job.id}`)).said).toEqual({ status: "IN_PROGRESS", stream: [{ output: "a" }] });
    expect(await send("POST", `retry/${job.id}`)).toMatchObject({ status: 400 });
    expect((await send("POST", `cancel/${job.id}`)).said).toEqual({ id: job.id, status: "CANCELLED" });
    expect((await send("GET", `status-sync/${job.id}`)).said).toMatchObject({ status: "CANCELLED" });
    expect((await send("GET", "status/nobody-knows-it")).status).toBe(404);
    const failed = platform.add("elsewhere-2", { status: "FAILED" });
    expect((await send("POST", `retry/${failed.id}`)).said).toEqual({ id: failed.id, status: "IN_QUEUE" });
  });

  it("that were submitted elsewhere are nobody's who has a token for one owner", async () => {
    const { id } = platform.add("elsewhere-3");
    const local = createClient(join(home, "longhaul.sock"));
    const { token } = await local.call("token_create", { name: "bob", owner: "bob", scope: "admin" });
    for (const [method, verb] of [
      ["GET", "status"],
      ["GET", "stream"],
      ["POST", "cancel"],
      ["POST", "retry"],
    ] as const) {
      expect((await send(method, `${verb}/${id}`, { token })).status).toBe(404);
    }
    expect(platform.requests).toEqual([]);
    const bob = new Client({ name: "bob", version: "0.0.0" });
    await bob.connect(openTransport({ ...server, url: `${server.url}/runpod` }, "http", token));
    const { isError } = await bob.callTool({
      name: "stream-worker-logs",
      arguments: { endpointId, workerId: "w1", maxWaitMs: 500 },
    });
    expect(isError).toBe(true);
    expect(platform.requests).toEqual([]);
    await bob.close();
  });

  it("keep their output when they are cancelled after their end, over HTTP, too", async () => {
    const { id } = (await submit()).said;
    Object.assign(platform.only(), { status: "COMPLETED", output: { kept: true } });
    const { said } = await send("POST", `cancel/${String(id)}`);
    expect(said).toMatchObject({ id, status: "COMPLETED", output: { kept: true } });
    expect(platform.count("cancel")).toBe(0);
    expect((await send("GET", `status/${String(id)}`)).said).toMatchObject({ output: { kept: true } });
  });

  it("that end on the platform while they are cancelled keep their output", async () => {
    const { id } = (await submit()).said;
    const job = platform.only();
    platform.fault = (request) => {
      if ((request.url ?? "").includes("/cancel/")) Object.assign(job, { status: "COMPLETED", output: "just done" });
      return false;
    };
    expect(await call("cancel-job", { jobId: id })).toMatchObject({ status: "COMPLETED", output: "just done" });
  });

  it("are cancelled here when the platform does not answer, and there when it does again", async () => {
    const { id } = (await submit()).said;
    const job = platform.only();
    let refusals = 2;
    platform.fault = (request, response) => {
      if (!(request.url ?? "").includes("/cancel/") || refusals-- <= 0) return false;
      reply(response, 502, "bad gateway");
      return true;
    };
    expect(await call("cancel-job", { jobId: id })).toMatchObject({ id, status: "CANCELLED" });
    await until(() => job.status === "CANCELLED");
  });

  it("are told as they were known last, with the reason, while the platform does not answer", async () => {
    platform.onSubmit = (job) => Object.assign(job, { status: "IN_PROGRESS", output: { step: 2 } });
    const { id } = (await submit()).said;
    await until(async () => (await call("get-job-status", { jobId: id }))["status"] === "IN_PROGRESS");
    platform.fault = (_request, response) => {
      reply(response, 500, "down");
      return true;
    };
    await until(async () => "lastError" in (await call("get-job-status", { jobId: id })));
    expect(await call("get-job-status", { jobId: id })).toEqual({
      id,
      status: "IN_PROGRESS",
      output: { step: 2 },
      lastError: expect.stringContaining("500: down") as string,
    });
    platform.fault = () => false;
    await call("cancel-job", { jobId: id });
  });

  it("with a result of more than 25 MB are FAILED, and say why", async () => {
    platform.onSubmit = (job) => Object.assign(job, { status: "COMPLETED", output: "x".repeat(25_000_001) });
    expect(await call("runsync-endpoint", { input: {} })).toMatchObject({
      status: "FAILED",
      error: expect.stringContaining("is too large") as string,
    });
  });
});
