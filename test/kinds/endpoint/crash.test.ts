import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createClient, type Client } from "../../../src/faces/local/client.ts";
import { startServer, type ServerProcess } from "../../faces/mcp/server-process.ts";
import { until } from "../../until.ts";
import { FakeRunpod, reply } from "./fake-runpod.ts";
import { workersOf } from "./world.ts";

interface View {
  readonly id: string;
  readonly state: string;
  readonly error?: { readonly code: string; readonly message: string };
}

describe("a server that is killed", () => {
  let home = "";
  let runpod: FakeRunpod;
  let server: ServerProcess | undefined;
  let client: Client;
  beforeEach(async () => {
    home = mkdtempSync(join(tmpdir(), "longhaul-endpoint-crash-"));
    client = createClient(join(home, "longhaul.sock"));
    runpod = await FakeRunpod.start();
  });
  afterEach(async () => {
    await server?.kill("SIGTERM");
    await runpod.close();
    rmSync(home, { recursive: true, force: true });
  });
  const start = async (): Promise<void> => {
    server = await startServer(home, { RUNPOD_API_KEY: runpod.key, RUNPOD_SERVERLESS_API_URL: runpod.url });
  };
  const submit = async (endpoint: string, input: object): Promise<string> =>
    (await client.call<View>("run_endpoint", { endpoint, input })).id;
  const look = (id: string): Promise<View> => client.call<View>("job_get", { id });

  it("at any moment, submits no job twice: each is followed to its end, or says that it does not know", async () => {
    runpod.latencyMs = () => Math.random() * 120;
    const ids = new Map<string, string>();
    for (let round = 0; round < 6; round++) {
      await start();
      for (const name of [`${round}a`, `${round}b`, `${round}c`]) ids.set(name, await submit("ep1", { name }));
      await delay(Math.random() * 250);
      await server?.kill("SIGKILL");
    }
    runpod.latencyMs = () => 0;
    for (const job of runpod.jobs.values()) Object.assign(job, { status: "COMPLETED", output: job.body["input"] });
    runpod.onSubmit = (job) => Object.assign(job, { status: "COMPLETED", output: job.body["input"] });
    await start();
    const ends = { succeeded: 0, unknown: 0 };
    for (const [name, id] of ids) {
      await until(async () => ["succeeded", "failed"].includes((await look(id)).state), { timeoutMs: 30_000 });
      const job = await look(id);
      const submissions = [...runpod.jobs.values()].filter(({ body }) => JSON.stringify(body).includes(`"${name}"`));
      if (job.state === "succeeded") {
        ends.succeeded += 1;
        expect(job).toMatchObject({ result: { output: { name } } });
        expect(submissions).toHaveLength(1);
      } else {
        ends.unknown += 1;
        expect(job.error).toMatchObject({
          code: "submission_unknown",
          message: expect.stringMatching(/^It is not known whether the job was submitted: the server ended/) as string,
        });
        expect(submissions.length).toBeLessThanOrEqual(1);
      }
    }
    expect(ends.succeeded + ends.unknown).toBe(ids.size);
    expect(ends.succeeded).toBeGreaterThan(0);
  });

  it("loses no chunk that the platform has given it", async () => {
    await start();
    const id = await submit("ep1", {});
    await until(() => runpod.jobs.size === 1);
    const remote = runpod.only();
    remote.status = "IN_PROGRESS";
    const text = async (): Promise<string> => (await client.call<{ text: string }>("job_output", { id })).text;
    for (let round = 0; round < 3; round++) {
      remote.chunks.push({ output: `${round}` });
      await until(async () => (await text()).includes(`"${round}"`));
      await server?.kill("SIGKILL");
      await start();
    }
    Object.assign(remote, { status: "COMPLETED", output: "end" });
    await until(async () => (await look(id)).state === "succeeded");
    expect(await text()).toBe('{"output":"0"}\n{"output":"1"}\n{"output":"2"}\n');
  });

  it("leaves no worker behind, not even one that hears nothing; its job runs again", async () => {
    const script = `process.stdin.resume(); console.log("up"); setInterval(() => undefined, 1000); for (;;) if (require("node:fs").existsSync("${home}/go")) break;
      require("node:fs").writeSync(1, JSON.stringify({ output: "free" }) + "\\n");`;
    const stubborn = { type: "local", argv: [process.execPath, "-e", script], mode: "warm", cwd: home };
    writeFileSync(join(home, "config.json"), JSON.stringify({ endpoints: { stubborn } }));
    await start();
    const id = await submit("stubborn", {});
    await until(() => workersOf(home).length >= 2);
    const before = workersOf(home);
    await server?.kill("SIGKILL");
    await until(() => workersOf(home).length === 0);
    await start();
    await until(() => workersOf(home).length >= 2);
    expect(workersOf(home).some((pid) => before.includes(pid))).toBe(false);
    // Killed again, and followed at once: the next server ends what it finds.
    await server?.kill("SIGKILL");
    writeFileSync(join(home, "go"), "");
    await start();
    await until(async () => (await look(id)).state === "succeeded");
    await server?.kill("SIGTERM");
    expect(workersOf(home)).toEqual([]);
  });

  it("and one that is not, keep keys and secrets out of everything that is shown", async () => {
    const s3Config = {
      accessId: "AKIDSECRETID",
      accessSecret: "very/secret+value",
      bucketName: "b",
      endpointUrl: "https://s3.example",
    };
    const secrets = [runpod.key, s3Config.accessId, s3Config.accessSecret];
    runpod.onSubmit = (job) => Object.assign(job, { status: "IN_PROGRESS", chunks: secrets.map((output) => ({ output })) });
    await start();
    const call = { endpoint: "ep1", input: { a: 1 }, s3Config };
    const followed = (await client.call<View>("run_endpoint", call)).id;
    await until(() => runpod.jobs.size === 1);
    const remote = runpod.only();
    expect(remote.body["s3Config"]).toEqual(s3Config);
    remote.output = `progress with ${secrets.join(" ")}`;
    await until(async () => JSON.stringify(await look(followed)).includes("progress with"));
    Object.assign(remote, { status: "COMPLETED", output: { said: secrets } });
    await until(async () => (await look(followed)).state === "succeeded");
    runpod.fault = (request, response) => {
      const told = (request.url ?? "").endsWith("/health") ? [runpod.key] : secrets;
      reply(response, 400, { error: `no: ${told.join(" ")}` });
      return true;
    };
    const refused = (await client.call<View>("run_endpoint", call)).id;
    await until(async () => (await look(refused)).state === "failed");
    const health = await client.call("endpoint_health", { endpoint: "ep1" }).catch((error: unknown) => String(error));
    const shown = [
      health,
      ...(await Promise.all([followed, refused].map(look))),
      ...(await Promise.all([followed, refused].map((id) => client.call("job_events", { id })))),
      await client.call("job_output", { id: followed }),
      await client.call("job_list", {}),
    ];
    for (const secret of secrets) expect(JSON.stringify(shown)).not.toContain(secret);
    expect(JSON.stringify(shown)).toContain("[redacted]");
    const found = await client.call<{ jobs: View[] }>("job_list", { text: s3Config.accessId });
    expect(found.jobs).toEqual([]);
    await server?.kill("SIGTERM");
    for (const file of listFiles(home)) {
      const bytes = readFileSync(file, "latin1");
      expect(bytes.includes(runpod.key), file).toBe(false);
      // The input itself must be kept for the platform; only the database has it.
      if (!file.includes("longhaul.db")) expect(secrets.some((secret) => bytes.includes(secret)), file).toBe(false);
    }
  });
});

function listFiles(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}
