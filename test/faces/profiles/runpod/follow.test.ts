import type { AnswerOf } from "../../../../src/operations/registry.ts";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createClient } from "../../../../src/faces/door/local-client.ts";
import { until } from "../../../until.ts";
import { startServer, type ServerProcess } from "../../mcp/server-process.ts";
import { openV2World, type V2World } from "./v2-world.ts";

describe("a server that runs its jobs on another one", () => {
  const home = mkdtempSync(join(tmpdir(), "longhaul-follow-"));
  const client = createClient(join(home, "longhaul.sock"));
  let serving: V2World;
  let following: ServerProcess | undefined;
  const start = async (): Promise<void> => {
    const variables = { RUNPOD_API_KEY: serving.token(), RUNPOD_SERVERLESS_API_URL: serving.url() };
    following = await startServer(home, { ...variables, LONGHAUL_PORT: "0" });
  };
  beforeAll(async () => {
    serving = await openV2World();
  });
  afterAll(async () => {
    await following?.kill("SIGTERM");
    await serving.close();
    rmSync(home, { recursive: true, force: true });
  });

  it("submits each job once, whenever it is killed, and follows it to its end with its stream", async () => {
    const look = (id: string): Promise<AnswerOf<"job_get">> => client.call("job_get", { id });
    const ids = new Map<string, string>();
    for (let round = 0; round < 6; round++) {
      await start();
      for (const name of [`${round}a`, `${round}b`, `${round}c`]) {
        const input = { name, chunks: [name, "end"], pause: 100 };
        ids.set(name, (await client.call("run_endpoint", { endpoint: "many", input })).id);
      }
      // In every second round not before one of them is known to have been submitted, or has ended.
      const isKnown = async (): Promise<boolean> => {
        const { state, live } = await look(ids.get(`${round}a`) ?? "");
        return state === "succeeded" || live?.["remote_id"] !== undefined;
      };
      if (round % 2 === 1) await until(isKnown);
      else await delay(Math.random() * 400);
      await following?.kill("SIGKILL");
    }
    await start();
    for (const id of ids.values()) {
      await until(async () => ["succeeded", "failed"].includes((await look(id)).state), { timeoutMs: 30_000 });
    }
    const there = createClient(join(serving.home, "longhaul.sock"));
    const { jobs } = await there.call("job_list", { limit: 100 });
    const served = await Promise.all(jobs.map(({ id }) => there.call("job_get", { id })));
    let succeeded = 0;
    for (const [name, id] of ids) {
      const job = await look(id);
      const submissions = served.filter(({ input }) => (input as { input: { name: string } }).input.name === name);
      if (job.state === "succeeded") {
        succeeded += 1;
        expect(submissions).toHaveLength(1);
        expect(job).toMatchObject({ result: { output: { echo: { name } }, remote_id: submissions[0]?.id } });
        expect((await client.call("job_output", { id })).text).toBe(`{"output":"${name}"}\n{"output":"end"}\n`);
      } else {
        expect(job.error).toMatchObject({ code: "submission_unknown" });
        expect(submissions.length).toBeLessThanOrEqual(1);
      }
    }
    expect(succeeded).toBeGreaterThan(0);
    expect(served.length).toBeLessThanOrEqual(ids.size);
  }, 90_000);

  it("cancels there what is cancelled here, and tells the health of the endpoint there", async () => {
    const { id } = await client.call("run_endpoint", { endpoint: "many", input: { do: "stay" } });
    await until(async () => JSON.stringify(await client.call("job_get", { id })).includes("staying"));
    expect(await client.call("endpoint_health", { endpoint: "many" })).toMatchObject({ jobs: { inProgress: 1 } });
    await client.call("job_cancel", { ids: [id] });
    await until(async () => (await client.call("job_get", { id })).state === "cancelled");
    expect(await client.call("endpoint_health", { endpoint: "many" })).toMatchObject({ jobs: { inProgress: 0 } });
  }, 30_000);
});
