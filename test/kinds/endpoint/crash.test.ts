import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { until } from "../../until.ts";
import { useServer } from "./server-world.ts";

const world = useServer();

describe("a server that is killed", () => {
  it("at any moment, submits no job twice: each is followed to its end, or says that it does not know", async () => {
    const { runpod } = world();
    runpod.latencyMs = () => Math.random() * 120;
    const ids = new Map<string, string>();
    for (let round = 0; round < 6; round++) {
      await world().start();
      for (const name of [`${round}a`, `${round}b`, `${round}c`]) ids.set(name, await world().submit("ep1", { name }));
      // In every second round not before one of them is known to have been submitted.
      const known = async (): Promise<boolean> =>
        (await world().look(ids.get(`${round}a`) ?? "")).live?.["remote_id"] !== undefined;
      if (round % 2 === 1) await until(known);
      else await delay(Math.random() * 250);
      await world().kill();
    }
    runpod.latencyMs = () => 0;
    for (const job of runpod.jobs.values()) Object.assign(job, { status: "COMPLETED", output: job.body["input"] });
    runpod.onSubmit = (job) => Object.assign(job, { status: "COMPLETED", output: job.body["input"] });
    await world().start();
    const ends = { succeeded: 0, unknown: 0 };
    for (const [name, id] of ids) {
      await until(async () => ["succeeded", "failed"].includes((await world().look(id)).state), { timeoutMs: 30_000 });
      const job = await world().look(id);
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
    const { runpod, client } = world();
    await world().start();
    const id = await world().submit("ep1", {});
    await until(() => runpod.jobs.size === 1);
    const remote = runpod.only();
    remote.status = "IN_PROGRESS";
    const text = async (): Promise<string> => (await client.call("job_output", { id })).text;
    for (let round = 0; round < 2; round++) {
      remote.chunks.push({ output: `${round}` });
      await until(async () => (await text()).includes(`"${round}"`));
      await world().kill();
      await world().start();
    }
    Object.assign(remote, { status: "COMPLETED", output: "end" });
    await until(async () => (await world().look(id)).state === "succeeded");
    expect(await text()).toBe('{"output":"0"}\n{"output":"1"}\n');
  });
});
