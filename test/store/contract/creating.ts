import { describe, expect, it } from "vitest";
import { day, second, t0, unknownId } from "../drafts.ts";
import { outcomes, refusal, useWorld, type OpenStore, type World } from "../world.ts";
import { present } from "../../present.ts";

export function describeCreating(open: OpenStore): void {
  describe("creating", () => {
    const world = useWorld(open);
    describeDurability(world);
    describeIdempotency(world);
    describeDependencies(world);
  });
}

function describeDurability(world: () => World): void {
  it("a created job is queued and has its first event", async () => {
    const job = await world().submit({ by: "cli" });
    expect(job.state).toMatchObject({ status: "queued", because: "submitted", attempt: 1, runAt: t0 });
    expect(job.lastSeq).toBe(1);
    expect(await world().events(job.id)).toEqual([{ type: "job-submitted", by: "cli", jobId: job.id, seq: 1, at: t0 }]);
  });

  it("a created job is there after a restart, with all that was said of it", async () => {
    const draft = world().draft({
      name: "nightly",
      tags: ["a", "b"],
      batch: "batch 1",
      parent: unknownId,
      key: "host",
      priority: 3,
      idempotencyKey: "once",
      limits: { queueMs: 5 * second, runMs: 6 * second, idleMs: 7 * second, totalMs: 8 * second },
      runAt: t0 + second,
      input: { url: "https://example.com/ünï" },
    });
    const [created] = await world().store.create([draft]);
    await world().restart();
    const job = await world().job(draft.spec.id);
    expect(job).toEqual(present(created).job);
    expect(job).toMatchObject(draft.spec);
    expect(await world().store.payload(job.id)).toEqual({ input: draft.input });
  });

  it("inputs are kept to the letter, whatever they look like", async () => {
    const inputs = ["null", "0", '{"b":1,  "a":2}', JSON.stringify("🙂 \u2028 '\" \\ %"), `"${"x".repeat(1_000_000)}"`];
    const drafts = inputs.map((input) => ({ ...world().draft(), input }));
    await world().store.create(drafts);
    await world().restart();
    const kept = await Promise.all(drafts.map(({ spec }) => world().store.payload(spec.id)));
    expect(kept.map((payload) => payload?.input)).toEqual(inputs);
  });

  it("workers get what the client left for them, and nobody else does", async () => {
    const { job, client, lease } = await world().start({ client: '{"env":"hunter"}' });
    expect(client).toBe('{"env":"hunter"}');
    await world().restart();
    expect((await world().takeOver(lease)).client).toBe('{"env":"hunter"}');
    expect(JSON.stringify([await world().job(job.id), await world().store.payload(job.id)])).not.toContain("hunter");
    expect((await world().store.list({ text: "hunter" }, { limit: 10 })).jobs).toEqual([]);
  });

  it("workers get the input, readers and searches what may be shown of it", async () => {
    const { job, input, lease } = await world().start({ input: { token: "hunter" }, shownInput: { token: "hidden" } });
    expect(input).toBe('{"token":"hunter"}');
    await world().restart();
    expect(await world().store.payload(job.id)).toEqual({ input: '{"token":"hidden"}' });
    const find = async (text: string): Promise<unknown> => (await world().store.list({ text }, { limit: 10 })).jobs;
    expect([await find("hunter"), await find("hidden")]).toMatchObject([[], [{ id: job.id }]]);
    expect((await world().takeOver(lease)).input).toBe('{"token":"hunter"}');
    await world().store.abandon(
      { ...lease, worker: "w2", fence: lease.fence + 1, before: Infinity },
      outcomes.failed,
      t0,
    );
    expect([await find("hunter"), await find("hidden")]).toMatchObject([[], [{ id: job.id }]]);
  });

  it("a call returns its jobs in its order", async () => {
    const created = await world().create({ name: "one" }, { name: "two" }, { name: "three" });
    expect(created.map(({ job }) => job.name)).toEqual(["one", "two", "three"]);
    expect(created.every(({ isDuplicate }) => !isDuplicate)).toBe(true);
  });

  it("a call without drafts creates nothing", async () => {
    expect(await world().store.create([])).toEqual([]);
  });

  it("a call creates all of its jobs or none", async () => {
    const good = world().draft();
    const bad = world().draft({ dependsOn: [unknownId] });
    await expect(world().store.create([good, bad, world().draft()])).rejects.toMatchObject(refusal("not_found"));
    expect(await world().store.get(good.spec.id)).toBeUndefined();
    expect(await world().store.count({})).toEqual([]);
    expect(await world().claim({ max: 10 })).toEqual([]);
  });

  it("a refused call does not disturb others made at the same time", async () => {
    const before = world().submit({ name: "before" });
    const refused = world().submit({ dependsOn: [unknownId] });
    const after = world().submit({ name: "after" });
    await expect(refused).rejects.toMatchObject(refusal("not_found"));
    expect(await world().statuses([await before, await after])).toEqual(["queued", "queued"]);
  });
}

function describeIdempotency(world: () => World): void {
  const once = { idempotencyKey: "once", input: { n: 1 } };

  it("a known idempotency key with the same kind and input returns the job that is there", async () => {
    const first = await world().submit(once);
    const [again] = await world().create(once);
    expect(again).toEqual({ job: first, isDuplicate: true });
    expect(await world().store.count({})).toEqual([{ kind: "work", status: "queued", count: 1 }]);
  });

  it("an idempotency key is known after a restart and after the job's end", async () => {
    const ended = await world().finish("failed", once);
    await world().restart();
    expect(await world().create(once)).toEqual([{ job: ended, isDuplicate: true }]);
  });

  it("a known idempotency key with another input is refused, and the call creates nothing", async () => {
    await world().submit(once);
    const creating = world().create({ name: "beside" }, { ...once, input: { n: 2 } });
    await expect(creating).rejects.toMatchObject(refusal("conflict"));
    expect(await world().store.count({})).toEqual([{ kind: "work", status: "queued", count: 1 }]);
  });

  it("a known idempotency key from another client is the same job", async () => {
    const first = await world().submit({ ...once, client: "here" });
    expect((await world().submit({ ...once, client: "there" })).id).toBe(first.id);
  });

  it("of two inputs that look the same, the idempotency key tells the difference", async () => {
    await world().submit({ ...once, shownInput: "hidden" });
    const creating = world().submit({ ...once, input: { n: 2 }, shownInput: "hidden" });
    await expect(creating).rejects.toMatchObject(refusal("conflict"));
  });

  it("a known idempotency key with another kind is refused", async () => {
    await world().submit(once);
    await expect(world().submit({ ...once, kind: "other" })).rejects.toMatchObject(refusal("conflict"));
  });

  it("each owner has idempotency keys of its own", async () => {
    const first = await world().submit(once);
    const [other] = await world().create({ ...once, owner: "bob", input: { n: 2 } });
    expect(other).toMatchObject({ isDuplicate: false });
    expect(present(other).job.id).not.toBe(first.id);
  });

  it("an idempotency key that comes twice in one call creates one job", async () => {
    const [first, again] = await world().create(once, once);
    expect(again).toEqual({ job: present(first).job, isDuplicate: true });
    await expect(world().create({ idempotencyKey: "new" }, { idempotencyKey: "new", input: 2 })).rejects.toMatchObject(
      refusal("conflict"),
    );
  });

  it("of calls with one idempotency key at the same time, one creates the job and all return it", async () => {
    const created = (await Promise.all(Array.from({ length: 5 }, () => world().create(once)))).flat();
    expect(created.filter(({ isDuplicate }) => !isDuplicate)).toHaveLength(1);
    expect(new Set(created.map(({ job }) => job.id)).size).toBe(1);
  });

  it("an idempotency key is free again once its job is purged", async () => {
    await world().finish("succeeded", once);
    await world().store.purge(t0 + 30 * day, 10);
    expect(await world().create({ ...once, input: { n: 2 } })).toMatchObject([{ isDuplicate: false }]);
  });
}

function describeDependencies(world: () => World): void {
  it("somebody else's job cannot be depended on, and looks as if it did not exist", async () => {
    const foreign = await world().submit({ owner: "ann" });
    const refused = world().submit({ owner: "bob", dependsOn: [foreign.id] });
    await expect(refused).rejects.toMatchObject(refusal("not_found"));
  });

  it("a dependency that does not exist is refused", async () => {
    await expect(world().submit({ dependsOn: [unknownId] })).rejects.toMatchObject(refusal("not_found"));
  });

  it("a dependency that stands later in the call, or is the job itself, is refused", async () => {
    const first = world().draft();
    const later = world().draft({ dependsOn: [first.spec.id] });
    await expect(world().store.create([later, first])).rejects.toMatchObject(refusal("not_found"));
    const self = world().draft();
    const circular = { ...self, spec: { ...self.spec, dependsOn: [self.spec.id] } };
    await expect(world().store.create([circular])).rejects.toMatchObject(refusal("not_found"));
  });

  it.each(["failed", "timed_out", "cancelled"] as const)("a dependency that ended as %s is refused", async (status) => {
    const ended = await world().finish(status);
    await expect(world().submit({ dependsOn: [ended.id] })).rejects.toMatchObject(refusal("conflict"));
    expect(await world().store.count({})).toEqual([{ kind: "work", status, count: 1 }]);
  });

  it("a dependency that has succeeded holds nothing up", async () => {
    const ended = await world().finish("succeeded");
    const job = await world().submit({ dependsOn: [ended.id] });
    expect(await world().claimIds()).toEqual([job.id]);
  });

  it("a dependency may stand earlier in the call, and is claimed first", async () => {
    const first = world().draft();
    const then = world().draft({ dependsOn: [first.spec.id], priority: 100 });
    await world().store.create([first, then]);
    const claims = await world().claim({ max: 10 });
    expect(claims.map(({ job }) => job.id)).toEqual([first.spec.id]);
    await world().store.settle(present(claims[0]).lease, outcomes.succeeded, { now: t0 });
    expect(await world().claimIds({ max: 10 })).toEqual([then.spec.id]);
  });

  it("a job waits for all of its dependencies, also across a restart", async () => {
    const needed = [await world().start(), await world().start()];
    const job = await world().submit({ dependsOn: needed.map((claim) => claim.job.id) });
    for (const { lease } of needed) {
      await world().restart();
      expect(await world().claim()).toEqual([]);
      await world().store.settle(lease, outcomes.succeeded, { now: t0 });
    }
    expect(await world().claimIds()).toEqual([job.id]);
  });

  it("a dependency named twice counts once", async () => {
    const { job: needed, lease } = await world().start();
    const job = await world().submit({ dependsOn: [needed.id, needed.id] });
    await world().store.settle(lease, outcomes.succeeded, { now: t0 });
    expect(await world().claimIds()).toEqual([job.id]);
  });

  it("a dependency on an earlier draft that was there before is one on the job that is there", async () => {
    const keyed = { idempotencyKey: "once" };
    const { job: there, lease } = await world().start(keyed);
    const again = world().draft(keyed);
    const then = world().draft({ dependsOn: [again.spec.id] });
    await world().store.create([again, then]);
    expect((await world().job(then.spec.id)).dependsOn).toEqual([there.id]);
    expect(await world().claim()).toEqual([]);
    await world().store.settle(lease, outcomes.succeeded, { now: t0 });
    expect(await world().claimIds()).toEqual([then.spec.id]);
  });
}
