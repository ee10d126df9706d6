import { describe, expect, it } from "vitest";
import { until } from "../until.ts";
import { Puppet } from "./puppet.ts";
import { refusal, rejection, stateOf, statusOf, untilStatus, useWorld } from "./world.ts";

const world = useWorld();

function createFamily(): { parent: Puppet; child: Puppet } {
  return { parent: new Puppet({ name: "parent", onInterrupt: "resume" }), child: new Puppet({ name: "child" }) };
}

describe("a child job", () => {
  it("belongs to its parent and to its parent's owner, and runs as any job", async () => {
    const { parent, child } = createFamily();
    const engine = await world().open([parent.kind, child.kind]);
    const { id } = await engine.submit({ kind: "parent", input: {}, owner: "me" });
    const attempt = await parent.next();
    const childId = await attempt.context.spawn({ kind: "child", input: { label: "c" }, key: "one", name: "helper" });
    expect(await engine.get(childId)).toMatchObject({ parent: id, owner: "me", kind: "child", name: "helper" });
    expect((await engine.list({ parent: id })).jobs.map((job) => job.id)).toEqual([childId]);
    (await child.next()).succeed("done");
    await engine.wait(childId);
    expect(await engine.result(childId)).toBe("done");
  });

  it("is the same one when its parent spawns again under the same key, and another under another key", async () => {
    const { parent, child } = createFamily();
    const engine = await world().open([parent.kind, child.kind]);
    await engine.submit({ kind: "parent", input: {} });
    const { context } = await parent.next();
    const first = await context.spawn({ kind: "child", input: {}, key: "one" });
    expect(await context.spawn({ kind: "child", input: {}, key: "one" })).toBe(first);
    expect(await context.spawn({ kind: "child", input: {}, key: "two" })).not.toBe(first);
  });

  it("is the same one after its parent was interrupted and resumed", async () => {
    const { parent, child } = createFamily();
    const engine = await world().open([parent.kind, child.kind]);
    const { id } = await engine.submit({ kind: "parent", input: {} });
    const request = { kind: "child", input: {}, key: "one" };
    const before = await (await parent.next()).context.spawn(request);
    const reopened = await world().reopen();
    const resumed = await parent.next();
    expect(resumed.context).toMatchObject({ attempt: 1, isInterrupted: true });
    expect(await resumed.context.spawn(request)).toBe(before);
    expect((await reopened.list({ parent: id })).jobs).toHaveLength(1);
  });

  it("of two parents is not shared, though the key is the same", async () => {
    const { parent, child } = createFamily();
    const engine = await world().open([parent.kind, child.kind]);
    await engine.submitMany([
      { kind: "parent", input: {} },
      { kind: "parent", input: {} },
    ]);
    const request = { kind: "child", input: {}, key: "one" };
    const first = await (await parent.next()).context.spawn(request);
    expect(await (await parent.next()).context.spawn(request)).not.toBe(first);
  });

  it("is refused with an unknown kind or an input that does not fit, and its parent may go on", async () => {
    const { parent, child } = createFamily();
    const engine = await world().open([parent.kind, child.kind]);
    const { id } = await engine.submit({ kind: "parent", input: {} });
    const attempt = await parent.next();
    const { spawn } = attempt.context;
    await expect(spawn({ kind: "nope", input: {}, key: "one" })).rejects.toMatchObject(refusal("unknown_kind"));
    await expect(spawn({ kind: "child", input: 5, key: "one" })).rejects.toMatchObject(refusal("invalid_input"));
    attempt.succeed();
    await untilStatus(engine, id, "succeeded");
    expect((await engine.list({ parent: id })).jobs).toEqual([]);
  });
});

describe("a parent that waits for its child", () => {
  it("learns how it ended, with what it returned or why it failed", async () => {
    const { parent, child } = createFamily();
    const engine = await world().open([parent.kind, child.kind]);
    await engine.submit({ kind: "parent", input: {} });
    const { context } = await parent.next();
    const good = await context.spawn({ kind: "child", input: {}, key: "good" });
    (await child.next()).succeed({ answer: 42 });
    expect(await context.childEnd(good)).toEqual({ status: "succeeded", result: { answer: 42 } });
    const bad = await context.spawn({ kind: "child", input: {}, key: "bad" });
    const end = context.childEnd(bad);
    (await child.next()).fail(new Error("broken"));
    expect(await end).toMatchObject({ status: "failed", failure: { message: "broken" } });
  });

  it("reads what it writes, from an offset or from the end, and is called when there is more", async () => {
    const { parent, child } = createFamily();
    const engine = await world().open([parent.kind, child.kind]);
    await engine.submit({ kind: "parent", input: {} });
    const { context } = await parent.next();
    const id = await context.spawn({ kind: "child", input: {}, key: "one" });
    const attempt = await child.next();
    const seen: string[] = [];
    const end = context.childEnd(id, async () => {
      seen.push(Buffer.from((await context.childOutput(id, "stdout", 0)).bytes).toString());
    });
    attempt.context.output().write("hello ");
    await until(() => seen.includes("hello "));
    attempt.context.output().write("world");
    attempt.succeed();
    await end;
    expect(seen.at(-1)).toBe("hello world");
    const tail = await context.childOutput(id, "stdout", -5);
    expect({ ...tail, bytes: Buffer.from(tail.bytes).toString() }).toEqual({ bytes: "world", next: 11, size: 11 });
  });

  it.each([
    { ending: "cancelled", limits: {} },
    { ending: "timed_out", limits: { runMs: 100 } },
  ] as const)("and is $ending ends it, and is not told as ended before it has", async ({ ending, limits }) => {
    const parent = new Puppet({ name: "parent", isStubborn: true });
    const child = new Puppet({ name: "child", isStubborn: true });
    const engine = await world().open([parent.kind, child.kind], { limits: { graceMs: 60_000 } });
    const { id } = await engine.submit({ kind: "parent", input: {}, limits });
    const attempt = await parent.next();
    const childId = await attempt.context.spawn({ kind: "child", input: {}, key: "one" });
    const childAttempt = await child.next();
    void rejection(attempt.context.childEnd(childId)).then(attempt.fail);
    if (ending === "cancelled") await engine.cancel(id);
    await until(() => childAttempt.context.signal.aborted);
    expect([await statusOf(engine, id), await statusOf(engine, childId)]).toEqual(["running", "running"]);
    childAttempt.succeed();
    await untilStatus(engine, id, ending);
    expect((await stateOf(engine, childId, "cancelled")).reason).toBe(`its parent, job ${id}, is being ended`);
  });

  it("may end it, and learns that it was cancelled", async () => {
    const { parent, child } = createFamily();
    const engine = await world().open([parent.kind, child.kind]);
    await engine.submit({ kind: "parent", input: {} });
    const { context } = await parent.next();
    const id = await context.spawn({ kind: "child", input: {}, key: "one" });
    await child.next();
    expect(await context.childEnd(id, async () => "end")).toEqual({ status: "cancelled" });
  });

  it("stops waiting when it is told to stop, and sees no jobs but its own children", async () => {
    const { parent, child } = createFamily();
    const engine = await world().open([parent.kind, child.kind]);
    const { id } = await engine.submit({ kind: "parent", input: {} });
    const { context } = await parent.next();
    const foreign = await engine.submit({ kind: "child", input: {} });
    await expect(context.childEnd(foreign.id)).rejects.toMatchObject(refusal("not_found"));
    await expect(context.childOutput(foreign.id, "stdout", 0)).rejects.toMatchObject(refusal("not_found"));
    const waiting = rejection(context.childEnd(await context.spawn({ kind: "child", input: {}, key: "one" })));
    await engine.cancel(id, "enough");
    expect(await waiting).toEqual({ type: "cancelled", reason: "enough" });
  });
});

describe("the end of a parent", () => {
  it("by cancelling cancels its queued and running children, and theirs", async () => {
    const { parent, child } = createFamily();
    const idle = new Puppet({ name: "idle" });
    const engine = await world().open([parent.kind, child.kind, idle.kind]);
    await engine.pause("idle");
    const { id } = await engine.submit({ kind: "parent", input: {} });
    const { context } = await parent.next();
    const running = await context.spawn({ kind: "child", input: {}, key: "running" });
    const queued = await context.spawn({ kind: "idle", input: {}, key: "queued" });
    const grandchild = await (await child.next()).context.spawn({ kind: "idle", input: {}, key: "below" });
    await engine.cancel(id, "no longer needed");
    await engine.wait([id, running, queued, grandchild]);
    const { reason } = await stateOf(engine, queued, "cancelled");
    expect(reason).toBe(`its parent, job ${id}, was cancelled`);
    expect(await statusOf(engine, running)).toBe("cancelled");
    expect((await stateOf(engine, grandchild, "cancelled")).reason).toContain(`its parent, job ${running}`);
  });

  it("by failing cancels its children", async () => {
    const { parent, child } = createFamily();
    const engine = await world().open([parent.kind, child.kind]);
    const { id } = await engine.submit({ kind: "parent", input: {} });
    const attempt = await parent.next();
    const childId = await attempt.context.spawn({ kind: "child", input: {}, key: "one" });
    await child.next();
    attempt.fail(new Error("broken"));
    await untilStatus(engine, childId, "cancelled");
    expect(await statusOf(engine, id)).toBe("failed");
  });

  it("by success lets its children go on", async () => {
    const { parent, child } = createFamily();
    const engine = await world().open([parent.kind, child.kind]);
    const { id } = await engine.submit({ kind: "parent", input: {} });
    const attempt = await parent.next();
    const childId = await attempt.context.spawn({ kind: "child", input: {}, key: "one" });
    const childAttempt = await child.next();
    attempt.succeed();
    await untilStatus(engine, id, "succeeded");
    expect(childAttempt.context.signal.aborted).toBe(false);
    childAttempt.succeed();
    await untilStatus(engine, childId, "succeeded");
  });

  it("leaves children that have ended as they are", async () => {
    const { parent, child } = createFamily();
    const engine = await world().open([parent.kind, child.kind]);
    const { id } = await engine.submit({ kind: "parent", input: {} });
    const attempt = await parent.next();
    const childId = await attempt.context.spawn({ kind: "child", input: {}, key: "one" });
    (await child.next()).succeed();
    await untilStatus(engine, childId, "succeeded");
    const before = await engine.get(childId);
    attempt.fail(new Error("broken"));
    await untilStatus(engine, id, "failed");
    expect(await engine.get(childId)).toEqual(before);
  });

  it("tells a running child to stop and keeps it running until it has", async () => {
    const parent = new Puppet({ name: "parent" });
    const child = new Puppet({ name: "child", isStubborn: true });
    const engine = await world().open([parent.kind, child.kind], { limits: { graceMs: 60_000 } });
    const { id } = await engine.submit({ kind: "parent", input: {} });
    const childId = await (await parent.next()).context.spawn({ kind: "child", input: {}, key: "one" });
    const attempt = await child.next();
    await engine.cancel(id);
    await untilStatus(engine, id, "cancelled");
    await until(() => attempt.context.signal.aborted);
    expect(await statusOf(engine, childId)).toBe("running");
    attempt.succeed();
    await untilStatus(engine, childId, "cancelled");
  });

  it("leaves an attempt that was given up unable to start more children", async () => {
    const parent = new Puppet({ name: "parent", isStubborn: true });
    const child = new Puppet({ name: "child" });
    const engine = await world().openTimed([parent.kind, child.kind], { limits: { graceMs: 5_000 } });
    const { id } = await engine.submit({ kind: "parent", input: {} });
    const attempt = await parent.next();
    await engine.cancel(id);
    await world().clock.advance(5_000);
    await untilStatus(engine, id, "cancelled");
    const spawning = attempt.context.spawn({ kind: "child", input: {}, key: "late" });
    await expect(spawning).rejects.toMatchObject(refusal("stopped"));
    expect((await engine.list({ parent: id })).jobs).toEqual([]);
  });

  it("gives the retried parent children of its own", async () => {
    const { parent, child } = createFamily();
    const engine = await world().open([parent.kind, child.kind]);
    const { id } = await engine.submit({ kind: "parent", input: {} });
    const attempt = await parent.next();
    const request = { kind: "child", input: {}, key: "one" };
    const before = await attempt.context.spawn(request);
    attempt.fail(new Error("broken"));
    await untilStatus(engine, id, "failed");
    await engine.retry(id);
    expect(await (await parent.next()).context.spawn(request)).not.toBe(before);
  });
});
