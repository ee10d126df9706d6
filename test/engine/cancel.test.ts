import { describe, expect, it } from "vitest";
import type { Engine } from "../../src/index.ts";
import { until } from "../until.ts";
import { turns } from "./fake-clock.ts";
import { Puppet, type PuppetAttempt } from "./puppet.ts";
import { eventTypes, rejection, stateOf, statusOf, untilStatus, useWorld } from "./world.ts";

const world = useWorld();

async function openStubborn(graceMs = 10_000): Promise<{ engine: Engine; id: string; attempt: PuppetAttempt }> {
  const puppet = new Puppet({ isStubborn: true, limits: { graceMs } });
  const engine = await world().openTimed([puppet.kind]);
  const { id } = await engine.submit({ kind: "puppet", input: {} });
  return { engine, id, attempt: await puppet.next() };
}

describe("cancelling a queued job", () => {
  it("ends it at once, with the reason and who asked, and it never starts", async () => {
    const puppet = new Puppet();
    const engine = await world().open([puppet.kind]);
    await engine.pause("puppet");
    const { id } = await engine.submit({ kind: "puppet", input: {} });
    const cancelled = await engine.cancel(id, "not needed", { by: "Grace" });
    expect(cancelled.state).toMatchObject({ status: "cancelled", reason: "not needed", by: "Grace" });
    expect(cancelled.state).not.toHaveProperty("startedAt");
    await engine.resume("puppet");
    await turns();
    expect(puppet.started).toEqual([]);
    expect(await eventTypes(engine, id)).toEqual(["job-submitted", "job-finished"]);
  });

  it("ends one that waits for its next attempt", async () => {
    const puppet = new Puppet({ limits: { attempts: 2 } });
    const engine = await world().openTimed([puppet.kind]);
    const { id } = await engine.submit({ kind: "puppet", input: {} });
    (await puppet.next()).fail(new Error("broken"));
    await untilStatus(engine, id, "queued");
    await engine.cancel(id);
    await world().clock.advance(60_000);
    expect(await statusOf(engine, id)).toBe("cancelled");
    expect(puppet.attempts).toHaveLength(1);
  });
});

describe("cancelling a running job", () => {
  it("tells its attempt to stop, and keeps it running until that has stopped", async () => {
    const { engine, id, attempt } = await openStubborn();
    const stamped = await engine.cancel(id, "not needed", { by: "Grace" });
    expect(stamped.state).toMatchObject({ status: "running", cancelRequest: { reason: "not needed", by: "Grace" } });
    await until(() => attempt.context.signal.aborted);
    expect(attempt.context.signal.reason).toEqual({ type: "cancelled", reason: "not needed" });
    expect(await statusOf(engine, id)).toBe("running");
    attempt.fail(new Error("cleaned up"));
    await untilStatus(engine, id, "cancelled");
    expect(await stateOf(engine, id, "cancelled")).toMatchObject({ reason: "not needed", by: "Grace" });
    expect(await eventTypes(engine, id)).toEqual([
      "job-submitted",
      "attempt-started",
      "cancel-requested",
      "job-finished",
    ]);
  });

  it("lets it write output and events while it cleans up", async () => {
    const { engine, id, attempt } = await openStubborn();
    await engine.cancel(id);
    await until(() => attempt.context.signal.aborted);
    attempt.context.output().write("removed the temporary files");
    attempt.context.log("cleaned up");
    attempt.succeed();
    await untilStatus(engine, id, "cancelled");
    const { bytes } = await engine.readOutput(id);
    expect(Buffer.from(bytes).toString()).toBe("removed the temporary files");
    expect(await eventTypes(engine, id)).toContain("message-logged");
  });

  it("ends it as cancelled even if it succeeds in the meantime, and without a result", async () => {
    const { engine, id, attempt } = await openStubborn();
    await engine.cancel(id);
    attempt.succeed("too late");
    await untilStatus(engine, id, "cancelled");
    await expect(engine.result(id)).rejects.toMatchObject({ code: "conflict" });
  });

  it("is not followed by another attempt, though some are left", async () => {
    const puppet = new Puppet({ limits: { attempts: 5 } });
    const engine = await world().openTimed([puppet.kind]);
    const { id } = await engine.submit({ kind: "puppet", input: {} });
    await puppet.next();
    await engine.cancel(id);
    await untilStatus(engine, id, "cancelled");
    await world().clock.advance(60_000);
    expect(puppet.attempts).toHaveLength(1);
  });

  it("ends it without its attempt when the grace time has passed", async () => {
    const { engine, id, attempt } = await openStubborn(5_000);
    await engine.cancel(id, "not needed");
    await world().clock.advance(4_999);
    expect(await statusOf(engine, id)).toBe("running");
    await world().clock.advance(1);
    await untilStatus(engine, id, "cancelled");
    const before = await engine.get(id);
    attempt.context.output().write("too late");
    attempt.context.progress({ percent: 99 });
    attempt.context.log("too late");
    attempt.succeed("too late");
    await world().clock.advance(1_000);
    expect(await engine.get(id)).toEqual(before);
    expect((await engine.readOutput(id)).size).toBe(0);
  });

  it("gives an attempt no time at all where the grace time is zero", async () => {
    const { engine, id } = await openStubborn(0);
    await engine.cancel(id);
    await world().clock.advance(0);
    await turns();
    expect(await statusOf(engine, id)).toBe("cancelled");
  });

  it("is finished before its engine stops, and is not started again by the next one", async () => {
    const { engine, id } = await openStubborn(60_000);
    await engine.cancel(id, "not needed");
    await world().stop();
    const next = new Puppet();
    const reopened = await world().open([next.kind]);
    expect((await stateOf(reopened, id, "cancelled")).reason).toBe("not needed");
    await turns();
    expect(next.attempts).toEqual([]);
  });
});

describe("cancelling a job that waits for an answer", () => {
  it("makes its question reject, and ends it when its attempt has stopped", async () => {
    const puppet = new Puppet({ isStubborn: true });
    const engine = await world().openTimed([puppet.kind]);
    const { id } = await engine.submit({ kind: "puppet", input: {} });
    const attempt = await puppet.next();
    const refused = rejection(attempt.context.ask({ message: "Go on?" }));
    await untilStatus(engine, id, "waiting");
    const stamped = await engine.cancel(id, "not needed");
    expect(stamped.state).toMatchObject({ status: "waiting", cancelRequest: { reason: "not needed" } });
    expect(await refused).toEqual({ type: "cancelled", reason: "not needed" });
    expect(await statusOf(engine, id)).toBe("waiting");
    attempt.fail(new Error("stopped"));
    await untilStatus(engine, id, "cancelled");
  });
});

describe("cancelling again", () => {
  it("changes nothing: the first reason stands, and there is one event", async () => {
    const { engine, id, attempt } = await openStubborn();
    const first = await engine.cancel(id, "first", { by: "Ada" });
    expect(await engine.cancel(id, "second", { by: "Grace" })).toEqual(first);
    attempt.succeed();
    await untilStatus(engine, id, "cancelled");
    expect(await stateOf(engine, id, "cancelled")).toMatchObject({ reason: "first", by: "Ada" });
    expect((await eventTypes(engine, id)).filter((type) => type === "cancel-requested")).toHaveLength(1);
  });

  it("counts as one request when it comes at the same time", async () => {
    const { engine, id } = await openStubborn();
    await Promise.all(["first", "second", "third"].map((reason) => engine.cancel(id, reason)));
    expect(await stateOf(engine, id, "running")).toMatchObject({ cancelRequest: { reason: "first" } });
    expect((await eventTypes(engine, id)).filter((type) => type === "cancel-requested")).toHaveLength(1);
  });

  it("returns a job that is cancelled as it is", async () => {
    const puppet = new Puppet();
    const engine = await world().open([puppet.kind]);
    await engine.pause("puppet");
    const { id } = await engine.submit({ kind: "puppet", input: {} });
    const first = await engine.cancel(id, "first");
    expect(await engine.cancel(id, "second")).toEqual(first);
  });
});

describe("the first cause", () => {
  it("wins: a time limit that passes while a cancelled job cleans up changes nothing", async () => {
    const puppet = new Puppet({ isStubborn: true, limits: { runMs: 5_000, graceMs: 60_000 } });
    const engine = await world().openTimed([puppet.kind]);
    const { id } = await engine.submit({ kind: "puppet", input: {} });
    const attempt = await puppet.next();
    await world().clock.advance(4_000);
    await engine.cancel(id, "not needed");
    await world().clock.advance(10_000);
    expect(attempt.context.signal.reason).toEqual({ type: "cancelled", reason: "not needed" });
    attempt.succeed();
    await untilStatus(engine, id, "cancelled");
  });

  it.each(["succeeded", "failed"] as const)("wins: a job that has %s is left unchanged by a cancel", async (status) => {
    const puppet = new Puppet();
    const engine = await world().open([puppet.kind]);
    const { id } = await engine.submit({ kind: "puppet", input: {} });
    const attempt = await puppet.next();
    if (status === "succeeded") attempt.succeed();
    else attempt.fail(new Error("broken"));
    await untilStatus(engine, id, status);
    const before = await engine.get(id);
    expect(await engine.cancel(id)).toEqual(before);
    expect(await engine.get(id)).toEqual(before);
  });
});
