import { describe, expect, it } from "vitest";
import type { Engine, Job } from "../../src/index.ts";
import { Puppet } from "../engine/puppet.ts";
import { refusal, useWorld } from "../engine/world.ts";
import { call } from "./call.ts";

const world = useWorld();

async function open(): Promise<Engine> {
  return world().open([new Puppet().kind]);
}

function submit(engine: Engine, name?: string, owner = "local"): Promise<Job> {
  return engine.submit({ kind: "puppet", input: {}, owner, name });
}

describe("a job is found", () => {
  it("by its id, in any case and with spaces around it", async () => {
    const engine = await open();
    const { id } = await submit(engine);
    expect(await call(engine, "job_get", { id })).toMatchObject({ id });
    expect(await call(engine, "job_get", { id: ` ${id.toUpperCase()}\n` })).toMatchObject({ id });
  });

  it("by the last characters of its id", async () => {
    const engine = await open();
    const { id } = await submit(engine);
    await submit(engine);
    expect(await call(engine, "job_get", { id: id.slice(-8) })).toMatchObject({ id });
    expect(await call(engine, "job_get", { id: id.slice(-14).toUpperCase() })).toMatchObject({ id });
  });

  it("by its name, the newest of those that share it", async () => {
    const engine = await open();
    const older = await submit(engine, "nightly build");
    const newer = await submit(engine, "nightly build");
    expect(older.id).not.toBe(newer.id);
    expect(await call(engine, "job_get", { id: "nightly build" })).toMatchObject({ id: newer.id });
  });

  it("by a name that looks like the end of an id, before any id that ends so", async () => {
    const engine = await open();
    const other = await submit(engine);
    const { id } = await submit(engine, other.id.slice(-6));
    expect(await call(engine, "job_get", { id: other.id.slice(-6) })).toMatchObject({ id });
  });

  it("in the same way by every operation that takes a reference", async () => {
    const engine = await open();
    const { id } = await submit(engine, "build");
    const end = id.slice(-10);
    expect(await call(engine, "job_wait", { ids: ["build", end, id], timeout_ms: 0 })).toMatchObject({
      reached: false,
      jobs: [{ id }],
    });
    expect(await call(engine, "job_output", { id: end })).toMatchObject({ id, text: "" });
    expect(await call(engine, "job_events", { id: "build" })).toMatchObject({ events: [{ jobId: id }, { jobId: id }] });
    expect(await call(engine, "job_cancel", { ids: ["build"] })).toMatchObject({ jobs: [{ id }] });
  });
});

describe("a reference", () => {
  it.each(["nobody", "abc", "deadbeef", "00000000-0000-7000-8000-000000000000", "  ", "%", "../x"])(
    "to a job that is not there is refused in one sentence: %j",
    async (id) => {
      const engine = await open();
      await submit(engine);
      await expect(call(engine, "job_get", { id })).rejects.toMatchObject(
        refusal("not_found", /^There is no job.*\.$/),
      );
    },
  );

  it("that fits the ends of two ids is refused", async () => {
    const engine = await open();
    const ids = new Map<string, string>();
    let shared: string | undefined;
    while (shared === undefined) {
      const jobs = await engine.submitMany(Array.from({ length: 200 }, () => ({ kind: "puppet", input: {} })));
      for (const { id } of jobs) {
        if (ids.has(id.slice(-4))) shared = id.slice(-4);
        ids.set(id.slice(-4), id);
      }
    }
    await expect(call(engine, "job_get", { id: shared })).rejects.toMatchObject(
      refusal("conflict", /More than one job's id ends with/),
    );
  });

  it.each(["id", "end of the id", "name"])("by %s does not reach the job of another owner", async (by) => {
    const engine = await open();
    const { id } = await submit(engine, "build", "ann");
    const reference = by === "id" ? id : by === "name" ? "build" : id.slice(-8);
    expect(await call(engine, "job_get", { id: reference }, { owner: "ann", by: "Ann" })).toMatchObject({ id });
    await expect(call(engine, "job_get", { id: reference }, { owner: "bob", by: "Bob" })).rejects.toMatchObject(
      refusal("not_found"),
    );
  });
});
