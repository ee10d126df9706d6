import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { until } from "../../until.ts";
import { reply } from "./fake-runpod.ts";
import { useServer } from "./server-world.ts";

const world = useServer();

describe("keys and secrets", () => {
  it("are in nothing that is shown, and keys in no file", async () => {
    const { home, runpod, client } = world();
    const s3Config = {
      accessId: "AKIDSECRETID",
      accessSecret: "very/secret+value",
      bucketName: "b",
      endpointUrl: "https://s3.example",
    };
    const secrets = [runpod.key, s3Config.accessId, s3Config.accessSecret];
    runpod.onSubmit = (job) =>
      Object.assign(job, { status: "IN_PROGRESS", chunks: secrets.map((output) => ({ output })) });
    await world().start();
    const call = { endpoint: "ep1", input: { a: 1 }, s3Config };
    const followed = (await client.call("run_endpoint", call)).id;
    await until(() => runpod.jobs.size === 1);
    const remote = runpod.only();
    expect(remote.body["s3Config"]).toEqual(s3Config);
    remote.output = `progress with ${secrets.join(" ")}`;
    await until(async () => JSON.stringify(await world().look(followed)).includes("progress with"));
    Object.assign(remote, { status: "COMPLETED", output: { said: secrets } });
    await until(async () => (await world().look(followed)).state === "succeeded");
    runpod.fault = (request, response) => {
      const told = (request.url ?? "").endsWith("/health") ? [runpod.key] : secrets;
      reply(response, 400, { error: `no: ${told.join(" ")}` });
      return true;
    };
    const refused = (await client.call("run_endpoint", call)).id;
    await until(async () => (await world().look(refused)).state === "failed");
    const health = await client.call("endpoint_health", { endpoint: "ep1" }).catch((error: unknown) => String(error));
    const shown = [
      health,
      ...(await Promise.all([followed, refused].map((id) => world().look(id)))),
      ...(await Promise.all([followed, refused].map((id) => client.call("job_events", { id })))),
      await client.call("job_output", { id: followed }),
      await client.call("job_list", {}),
    ];
    for (const secret of secrets) expect(JSON.stringify(shown)).not.toContain(secret);
    expect(JSON.stringify(shown)).toContain("[redacted]");
    const found = await client.call("job_list", { text: s3Config.accessId });
    expect(found.jobs).toEqual([]);
    await world().kill("SIGTERM");
    const files = listFiles(home).map((file) => ({ file, bytes: readFileSync(file, "latin1") }));
    expect(files.filter(({ bytes }) => bytes.includes(runpod.key))).toEqual([]);
    // The input itself must be kept for the platform; only the database has it.
    const others = files.filter(({ file }) => !file.includes("longhaul.db"));
    expect(others.filter(({ bytes }) => secrets.some((secret) => bytes.includes(secret)))).toEqual([]);
  });
});

function listFiles(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}
