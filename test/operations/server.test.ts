import { describe, expect, it } from "vitest";
import { operations } from "../../src/operations/registry.ts";
import { Puppet } from "../engine/puppet.ts";
import { refusal, statusOf, untilStatus, useWorld } from "../engine/world.ts";
import { until } from "../until.ts";
import { call, server } from "./call.ts";

const world = useWorld();

describe("job_stats", () => {
  it("counts jobs by kind and state, those that ended lately, and tells how long they ran", async () => {
    const puppet = new Puppet();
    const { engine, id, attempt } = await puppet.start(await world().open([puppet.kind]));
    attempt.succeed();
    await untilStatus(engine, id, "succeeded");
    await engine.submit({ kind: "puppet", input: {}, delayMs: 3_600_000 });
    expect(await call(engine, "job_stats")).toEqual({
      jobs: { succeeded: 1, queued: 1 },
      kinds: [
        {
          kind: "puppet",
          jobs: { succeeded: 1, queued: 1 },
          ended_last_hour: 1,
          ended_last_day: 1,
          running: { p50_ms: expect.any(Number) as number, p95_ms: expect.any(Number) as number },
        },
      ],
    });
  });
});

describe("machine_list", () => {
  it("lists a server by itself, and tells its address only to whoever looks after it", async () => {
    const puppet = new Puppet({ concurrency: 2 });
    const address = "http://127.0.0.1:7070";
    const engine = await world().open([puppet.kind], { machine: "m1", labels: ["gpu"], address: () => address });
    const machine = {
      machine: "m1",
      role: "server",
      labels: ["gpu"],
      kinds: [{ kind: "puppet", slots: 2, running: 0 }],
      version: expect.stringMatching(/^\d/) as string,
      started_at: expect.any(String) as string,
      last_beat_at: expect.any(String) as string,
    };
    expect(await call(engine, "machine_list")).toEqual({ machines: [{ ...machine, address }] });
    expect(await call(engine, "machine_list", {}, { owner: "ann" })).toEqual({ machines: [machine] });
  });
});

describe("kind_pause", () => {
  it("keeps new jobs of the kind queued until it is resumed, and running ones go on", async () => {
    const puppet = new Puppet();
    const engine = await world().open([puppet.kind]);
    const running = await engine.submit({ kind: "puppet", input: {} });
    const attempt = await puppet.next();
    expect(await call(engine, "kind_pause", { kind: "puppet" })).toEqual({ paused_kinds: ["puppet"] });
    expect(await call(engine, "kind_pause", { kind: "puppet" })).toEqual({ paused_kinds: ["puppet"] });
    const { id } = await engine.submit({ kind: "puppet", input: {} });
    expect(await call(engine, "job_get", { id })).toMatchObject({ state: "queued", reason: 'kind "puppet" is paused' });
    attempt.succeed();
    await untilStatus(engine, running.id, "succeeded");
    expect(await statusOf(engine, id)).toBe("queued");
    expect(await call(engine, "kind_resume", { kind: "puppet" })).toEqual({ paused_kinds: [] });
    (await puppet.next()).succeed();
    await untilStatus(engine, id, "succeeded");
  });

  it.each(["kind_pause", "kind_resume"])("and its opposite refuse a kind that is not there: %s", async (verb) => {
    const engine = await world().open([new Puppet().kind]);
    await expect(call(engine, verb, { kind: "nothing" })).rejects.toMatchObject(
      refusal("unknown_kind", /no kind "nothing"; known kinds: puppet\.$/),
    );
  });
});

describe("jobs_prune", () => {
  it("removes finished jobs whose time has ended, and only those", async () => {
    const puppet = new Puppet();
    const engine = await world().open([puppet.kind]);
    const old = await engine.submit({ kind: "puppet", input: {}, retention: { succeededMs: 0 } });
    (await puppet.next()).succeed();
    const kept = await engine.submit({ kind: "puppet", input: {} });
    (await puppet.next()).succeed();
    const running = await engine.submit({ kind: "puppet", input: {} });
    await engine.wait([old.id, kept.id]);
    let removed = 0;
    await until(async () => {
      removed += ((await call(engine, "jobs_prune")) as { removed: number }).removed;
      return removed > 0;
    });
    expect(removed).toBe(1);
    expect(await call(engine, "jobs_prune")).toEqual({ removed: 0 });
    await expect(call(engine, "job_get", { id: old.id })).rejects.toMatchObject(refusal("expired", /has expired/));
    expect(await call(engine, "job_list")).toMatchObject({ jobs: [{ id: running.id }, { id: kept.id }] });
  });
});

describe("server_status", () => {
  it("tells of the server, what is paused and how many of the caller's jobs are in each state", async () => {
    const [puppet, other] = [new Puppet(), new Puppet({ name: "other" })];
    const engine = await world().open([puppet.kind, other.kind]);
    await call(engine, "kind_pause", { kind: "other" });
    await engine.submit({ kind: "other", input: {} });
    await engine.submit({ kind: "puppet", input: {}, delayMs: 3_600_000 });
    await engine.submit({ kind: "puppet", input: {}, owner: "ann" });
    await puppet.next();
    expect(await call(engine, "server_status")).toEqual({
      version: "1.2.3",
      pid: process.pid,
      started_at: "1970-01-01T00:00:00.000Z",
      home: "/srv/longhaul",
      memory_bytes: expect.any(Number) as number,
      paused_kinds: ["other"],
      jobs: { queued: 2, running: 1 },
    });
    expect(await call(engine, "server_status", {}, { owner: "ann" })).toMatchObject({ jobs: { running: 1 } });
  });

  it("tells the address of a server that has one", async () => {
    const engine = await world().open([]);
    const status = operations.find(({ name }) => name === "server_status");
    const context = { engine, actor: {}, server: { ...server, url: "http://localhost:1" } };
    expect(await status?.call(context, undefined)).toMatchObject({ url: "http://localhost:1", jobs: {} });
  });
});
