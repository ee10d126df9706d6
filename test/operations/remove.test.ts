import { describe, expect, it } from "vitest";
import { Puppet } from "../engine/puppet.ts";
import { refusal, untilStatus, useWorld } from "../engine/world.ts";
import { call } from "./call.ts";

const world = useWorld();

describe("job_delete", () => {
  it("removes finished jobs, once each; their ids answer as expired", async () => {
    const puppet = new Puppet();
    const { engine, id, attempt } = await puppet.start(await world().open([puppet.kind]), { name: "x" });
    attempt.succeed();
    await untilStatus(engine, id, "succeeded");
    expect(await call(engine, "job_delete", { ids: [id, "x"] })).toMatchObject({ count: 1, jobs: [{ id }] });
    await expect(call(engine, "job_get", { id })).rejects.toMatchObject(refusal("expired"));
    await expect(call(engine, "job_delete", { ids: [id] })).rejects.toMatchObject(refusal("expired"));
  });

  it("removes none where one of the ids has not ended", async () => {
    const puppet = new Puppet();
    const { engine, id: running } = await puppet.start(await world().open([puppet.kind]));
    const ended = await engine.submit({ kind: "puppet", input: {}, delayMs: 3_600_000 });
    await engine.cancel(ended.id);
    await expect(call(engine, "job_delete", { ids: [ended.id, running] })).rejects.toMatchObject(
      refusal("conflict", /is running: cancel it first, or remove it by force\. Nothing was removed\./),
    );
    expect(await call(engine, "job_get", { id: ended.id })).toMatchObject({ state: "cancelled" });
  });

  it("by force ends a running job first", async () => {
    const puppet = new Puppet();
    const { engine, id } = await puppet.start(await world().open([puppet.kind]));
    expect(await call(engine, "job_delete", { ids: [id], force: true })).toMatchObject({ count: 1 });
    await expect(call(engine, "job_get", { id })).rejects.toMatchObject(refusal("expired"));
  });

  it("by a filter leaves what has not ended, and what belongs to others", async () => {
    const puppet = new Puppet();
    const { engine, id: running } = await puppet.start(await world().open([puppet.kind]), { batch: "b" });
    const later = { kind: "puppet", input: {}, delayMs: 3_600_000, batch: "b" };
    const [mine, theirs] = await engine.submitMany([later, { ...later, owner: "ann" }]);
    for (const job of [mine, theirs]) await engine.cancel(job?.id ?? "");
    const answer = await call(engine, "job_delete", { filter: { batch: "b" } }, { owner: "local" });
    expect(answer).toMatchObject({ count: 1, jobs: [{ id: mine?.id }] });
    expect((await engine.get(theirs?.id ?? "")).owner).toBe("ann");
    expect((await engine.get(running)).state.status).toBe("running");
  });
});

describe("job_rerun", () => {
  it("starts a new job with the input and options of one that has succeeded, and leaves that one", async () => {
    const puppet = new Puppet();
    const engine = await world().open([puppet.kind]);
    const options = { name: "build", tags: ["t"], batch: "b", priority: 3, limits: { runMs: 60_000, attempts: 2 } };
    const first = await engine.submit({ kind: "puppet", input: { label: "x" }, ...options, idempotencyKey: "k" });
    (await puppet.next()).succeed("done");
    await untilStatus(engine, first.id, "succeeded");
    const again = (await call(engine, "job_rerun", { id: "build" })) as { id: string };
    expect(again.id).not.toBe(first.id);
    const { id: _id, createdAt: _at, state: _state, lastSeq: _seq, idempotencyKey: _key, ...spec } = first;
    expect(await engine.get(again.id)).toMatchObject(spec);
    expect(await engine.input(again.id)).toEqual({ label: "x" });
    expect((await engine.get(first.id)).state.status).toBe("succeeded");
  });

  it("changes the input as a merge patch says, and checks it", async () => {
    const puppet = new Puppet();
    const { engine, id, attempt } = await puppet.start(await world().open([puppet.kind]), { input: { label: "x" } });
    attempt.fail(new Error("no"));
    await untilStatus(engine, id, "failed");
    const again = (await call(engine, "job_rerun", { id, changes: { label: "y" } })) as { id: string };
    expect(await engine.input(again.id)).toEqual({ label: "y" });
    await expect(call(engine, "job_rerun", { id, changes: { label: 5 } })).rejects.toMatchObject(
      refusal("invalid_input", /label/),
    );
    expect((await engine.list({})).jobs).toHaveLength(2);
  });

  it("starts one job for one key, and none for a job that has not ended", async () => {
    const puppet = new Puppet();
    const { engine, id, attempt } = await puppet.start(await world().open([puppet.kind]));
    await expect(call(engine, "job_rerun", { id })).rejects.toMatchObject(
      refusal("conflict", /is running; only a job that has ended can be run again/),
    );
    attempt.succeed();
    await untilStatus(engine, id, "succeeded");
    const first = (await call(engine, "job_rerun", { id, idempotency_key: "k" })) as { id: string };
    expect(await call(engine, "job_rerun", { id, idempotency_key: "k" })).toMatchObject({
      id: first.id,
      is_known: true,
    });
  });
});
