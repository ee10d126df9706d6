import { mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { AnswerOf } from "../../src/operations/registry.ts";
import { createClient, type Client } from "../../src/faces/door/local-client.ts";
import { serveBuilt, startServer, type TestServer } from "../faces/mcp/server-process.ts";
import { FakeModels } from "../kinds/agent/fake-models.ts";
import { call } from "../kinds/agent/world.ts";
import { FakeRunpod } from "../kinds/endpoint/fake-runpod.ts";
import { until } from "../until.ts";

const key = "plain-words-that-are-the-clients-key";
const noKeys = { OPENAI_BASE_URL: "", OPENAI_API_KEY: "", RUNPOD_API_KEY: "", ANTHROPIC_API_KEY: "" };

describe("keys that a client brings", () => {
  let base = "";
  let home = "";
  let server: TestServer | undefined;
  const open: { close: () => Promise<unknown> }[] = [];
  beforeEach(async () => {
    base = await realpath(await mkdtemp(join(tmpdir(), "longhaul-keys-")));
    home = join(base, "home");
    mkdirSync(home);
  });
  afterEach(async () => {
    await server?.stop();
    server = undefined;
    await Promise.all(open.splice(0).map((one) => one.close()));
    await rm(base, { recursive: true, force: true });
  });

  const from = (env: Record<string, string>): Client =>
    createClient(join(home, "longhaul.sock"), {
      context: () => ({ cwd: base, env: { PATH: process.env["PATH"] ?? "", ...env } }),
    });
  const end = async (client: Client, id: string): Promise<AnswerOf<"job_get">> => {
    await client.call("job_wait", { ids: [id], timeout_ms: 30_000 });
    return client.call("job_get", { id });
  };
  const openModels = async (): Promise<FakeModels> => {
    const models = await FakeModels.open();
    open.push(models);
    return models;
  };

  it("serve its agents, also after a restart, with its folder and environment, and are nowhere to be seen", async () => {
    const first = await startServer(home, noKeys);
    server = first;
    const models = await openModels();
    const client = from({ OPENAI_BASE_URL: models.url, OPENAI_API_KEY: key, VIRTUAL_ENV: "/venvs/one" });
    models.script(
      "m",
      call("run_command", { command: 'echo "$PWD $VIRTUAL_ENV" > told; while [ ! -e go ]; do sleep 0.05; done' }),
      () => ({ status: 401, error: `the key ${key} is refused` }),
    );
    const { id } = await client.callWithContext("run_agent", { task: "do it", model: "openai/m" });
    await until(() => readdirSync(base).includes("told"));
    await first.kill("SIGKILL");
    server = await serveBuilt(home, noKeys);
    writeFileSync(join(base, "go"), "");
    const job = await end(client, id);
    expect(job).toMatchObject({ state: "failed", cwd: base });
    expect(job.error?.message).toContain("the key [redacted] is refused");
    expect(readFileSync(join(base, "told"), "utf8")).toBe(`${base} /venvs/one\n`);
    expect(models.heard.map(({ headers }) => headers.authorization)).toEqual([`Bearer ${key}`, `Bearer ${key}`]);
    const shown = await Promise.all([
      client.call("job_get", { id }),
      client.call("job_events", { id }),
      client.call("job_output", { id }),
      client.call("job_list", {}),
    ]);
    expect(JSON.stringify(shown)).not.toMatch(new RegExp(`${key}|/venvs/one`));
    expect(readFileSync(join(home, "server.log"), { encoding: "utf8", flag: "a+" })).not.toContain(key);
  });

  it("serve nobody else", async () => {
    server = await serveBuilt(home, noKeys);
    const models = await openModels();
    const client = from({ OPENAI_BASE_URL: models.url, OPENAI_API_KEY: key });
    models.script("m", { text: "OK" });
    const request = { task: "do it", model: "openai/m" };
    const { id } = await client.callWithContext("run_agent", request);
    expect(await end(client, id)).toMatchObject({ state: "succeeded" });
    await expect(from({}).callWithContext("run_agent", request)).rejects.toThrow("No model can be called");
    await expect(client.call("run_agent", request)).rejects.toThrow("No model can be called");
  });

  it("are not needed where the server has its own", async () => {
    const models = await openModels();
    server = await serveBuilt(home, { ...noKeys, OPENAI_BASE_URL: models.url, OPENAI_API_KEY: "the-servers-own-key" });
    models.script("m", { text: "OK" });
    const client = from({ OPENAI_BASE_URL: "http://127.0.0.1:9", OPENAI_API_KEY: key });
    const { id } = await client.callWithContext("run_agent", { task: "do it", model: "openai/m" });
    expect(await end(client, id)).toMatchObject({ state: "succeeded" });
    expect(models.heard.map(({ headers }) => headers.authorization)).toEqual(["Bearer the-servers-own-key"]);
  });

  it("come from the file that ENV_FILE names, seen from where the client stands", async () => {
    server = await serveBuilt(home, noKeys);
    const models = await openModels();
    models.script("m", { text: "OK" });
    writeFileSync(join(base, "keys.env"), `OPENAI_BASE_URL=${models.url}\nOPENAI_API_KEY=${key}\n`);
    const client = from({ ENV_FILE: "keys.env" });
    expect(await client.callWithContext("agent_check", { models: ["openai/m"] })).toMatchObject({
      models: [{ model: "openai/m", ok: true }],
    });
  });

  it("reach RunPod for its endpoint jobs, also after a restart", async () => {
    const first = await startServer(home, noKeys);
    server = first;
    const runpod = await FakeRunpod.start();
    open.push(runpod);
    const client = from({ RUNPOD_API_KEY: runpod.key, RUNPOD_SERVERLESS_API_URL: runpod.url });
    const request = { endpoint: "abc123", input: { prompt: "a cat" } };
    await expect(from({}).callWithContext("run_endpoint", request)).rejects.toThrow("RUNPOD_API_KEY");
    const { id } = await client.callWithContext("run_endpoint", request);
    expect(await client.callWithContext("endpoint_health", { endpoint: "abc123" })).toHaveProperty("workers");
    await until(() => runpod.count("status") > 0);
    await first.kill("SIGKILL");
    server = await serveBuilt(home, noKeys);
    Object.assign(runpod.only(), { status: "COMPLETED", output: { done: true } });
    const job = await end(client, id);
    expect(job).toMatchObject({ state: "succeeded" });
    expect(JSON.stringify(job)).not.toContain(runpod.key);
  });
});
