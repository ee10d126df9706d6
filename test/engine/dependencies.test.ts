import { describe, expect, it } from "vitest";
import { turns } from "./fake-clock.ts";
import { Puppet } from "./puppet.ts";
import { refusal, stateOf, statusOf, untilStatus, useWorld } from "./world.ts";
import { present } from "../present.ts";

const world = useWorld();

describe("a job that depends on others", () => {
  it("starts only after all of them have succeeded", async () => {
    const puppet = new Puppet();
    const engine = await world().open([puppet.kind]);
    await engine.submitMany([
      { kind: "puppet", input: { label: "a" }, ref: "a" },
      { kind: "puppet", input: { label: "b" }, ref: "b" },
      { kind: "puppet", input: { label: "after" }, dependsOn: ["a", "b"] },
    ]);
    const a = await puppet.next();
    const b = await puppet.next();
    a.succeed();
    await untilStatus(engine, a.context.id, "succeeded");
    await turns();
    expect(puppet.started).toEqual(["a", "b"]);
    b.succeed();
    expect((await puppet.next()).label).toBe("after");
  });

  it("may depend on jobs that were submitted before, by their id", async () => {
    const puppet = new Puppet();
    const engine = await world().open([puppet.kind]);
    const first = await engine.submit({ kind: "puppet", input: { label: "first" } });
    await engine.submit({ kind: "puppet", input: { label: "second" }, dependsOn: [first.id] });
    (await puppet.next()).succeed();
    expect((await puppet.next()).label).toBe("second");
  });

  it("starts at once when they have all succeeded already", async () => {
    const puppet = new Puppet();
    const engine = await world().open([puppet.kind]);
    const first = await engine.submit({ kind: "puppet", input: {} });
    (await puppet.next()).succeed();
    await untilStatus(engine, first.id, "succeeded");
    await engine.submit({ kind: "puppet", input: { label: "second" }, dependsOn: [first.id] });
    expect((await puppet.next()).label).toBe("second");
  });

  it("counts a dependency that is named twice once", async () => {
    const puppet = new Puppet();
    const engine = await world().open([puppet.kind]);
    const first = await engine.submit({ kind: "puppet", input: {} });
    const second = await engine.submit({ kind: "puppet", input: { label: "second" }, dependsOn: [first.id, first.id] });
    expect(second.dependsOn).toEqual([first.id]);
    (await puppet.next()).succeed();
    expect((await puppet.next()).label).toBe("second");
  });

  it("waits through the retries of a dependency", async () => {
    const backoff = { initialMs: 1_000, factor: 1, maxMs: 1_000, jitter: 0 };
    const puppet = new Puppet({ limits: { attempts: 2, backoff } });
    const engine = await world().openTimed([puppet.kind]);
    const [, dependent] = await engine.submitMany([
      { kind: "puppet", input: { label: "first" }, ref: "first" },
      { kind: "puppet", input: { label: "second" }, dependsOn: ["first"] },
    ]);
    (await puppet.next()).fail(new Error("broken"));
    await world().clock.advance(1_000);
    const again = await puppet.next();
    expect(await statusOf(engine, present(dependent).id)).toBe("queued");
    again.succeed();
    await puppet.next();
    expect(puppet.started).toEqual(["first", "first", "second"]);
  });

  it("keeps waiting over a restart of the engine", async () => {
    const puppet = new Puppet();
    const engine = await world().open([puppet.kind]);
    await engine.submitMany([
      { kind: "puppet", input: { label: "first" }, ref: "first" },
      { kind: "puppet", input: { label: "second" }, dependsOn: ["first"] },
    ]);
    await puppet.next();
    await world().reopen();
    (await puppet.next()).succeed();
    expect((await puppet.next()).label).toBe("second");
    expect(puppet.started).toEqual(["first", "first", "second"]);
  });

  it("does not start before its delay has passed, even if they succeed earlier", async () => {
    const puppet = new Puppet();
    const engine = await world().openTimed([puppet.kind]);
    const first = await engine.submit({ kind: "puppet", input: { label: "first" } });
    await engine.submit({ kind: "puppet", input: { label: "second" }, dependsOn: [first.id], delayMs: 30_000 });
    (await puppet.next()).succeed();
    await untilStatus(engine, first.id, "succeeded");
    await world().clock.advance(29_000);
    expect(puppet.started).toEqual(["first"]);
    await world().clock.advance(1_000);
    expect((await puppet.next()).label).toBe("second");
  });
});

describe("a dependency that does not succeed", () => {
  it("cancels the jobs that depend on it, and those that depend on them, and says why", async () => {
    const puppet = new Puppet();
    const engine = await world().open([puppet.kind]);
    const [first, second, third, free] = await engine.submitMany([
      { kind: "puppet", input: { label: "first" }, ref: "first" },
      { kind: "puppet", input: { label: "second" }, ref: "second", dependsOn: ["first"] },
      { kind: "puppet", input: { label: "third" }, dependsOn: ["second"] },
      { kind: "puppet", input: { label: "free" } },
    ]);
    (await puppet.next()).fail(new Error("broken"));
    await untilStatus(engine, present(first).id, "failed");
    const { reason } = await stateOf(engine, present(second).id, "cancelled");
    expect(reason).toBe(`it depends on job ${present(first).id}, which has failed`);
    const last = await stateOf(engine, present(third).id, "cancelled");
    expect(last.reason).toBe(`it depends on job ${present(second).id}, which was cancelled`);
    expect(await statusOf(engine, present(free).id)).toBe("running");
  });

  it("cancels them too when it is cancelled", async () => {
    const puppet = new Puppet();
    const engine = await world().open([puppet.kind]);
    await engine.pause("puppet");
    const [first, second] = await engine.submitMany([
      { kind: "puppet", input: {}, ref: "first" },
      { kind: "puppet", input: {}, dependsOn: ["first"] },
    ]);
    await engine.cancel(present(first).id);
    expect(await statusOf(engine, present(second).id)).toBe("cancelled");
  });

  it("makes a job that would depend on it be refused, and creates nothing", async () => {
    const puppet = new Puppet();
    const engine = await world().open([puppet.kind]);
    const { id } = await engine.submit({ kind: "puppet", input: {} });
    (await puppet.next()).fail(new Error("broken"));
    await untilStatus(engine, id, "failed");
    const refused = engine.submit({ kind: "puppet", input: {}, dependsOn: [id] });
    await expect(refused).rejects.toMatchObject(refusal("conflict", /has failed.*retry it first/));
    expect(await engine.count()).toEqual([{ kind: "puppet", status: "failed", count: 1 }]);
  });

  it("keeps a job that it cancelled from being retried before it is retried itself", async () => {
    const puppet = new Puppet();
    const engine = await world().open([puppet.kind]);
    const [first, second] = await engine.submitMany([
      { kind: "puppet", input: { label: "first" }, ref: "first" },
      { kind: "puppet", input: { label: "second" }, dependsOn: ["first"] },
    ]);
    (await puppet.next()).fail(new Error("broken"));
    await untilStatus(engine, present(second).id, "cancelled");
    await expect(engine.retry(present(second).id)).rejects.toMatchObject(refusal("conflict"));
    await engine.retry(present(first).id);
    await engine.retry(present(second).id);
    const again = await puppet.next();
    await turns();
    expect(puppet.started).toEqual(["first", "first"]);
    again.succeed();
    expect((await puppet.next()).label).toBe("second");
  });
});
