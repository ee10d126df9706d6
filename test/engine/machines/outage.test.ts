import { describe, expect, it } from "vitest";
import { Puppet } from "../puppet.ts";
import { turns } from "../fake-clock.ts";
import { eventTypes, stateOf, statusOf, untilStatus } from "../world.ts";
import { until } from "../../until.ts";
import { leaseMs, orphanMs, useCluster } from "./cluster.ts";

const cluster = useCluster();

describe("a machine that cannot reach the store", () => {
  it("lets its attempts run for one lease, and then stops those that it runs itself", async () => {
    const puppet = new Puppet({ onInterrupt: "resume" });
    const machine = await cluster().join("m1", [puppet.kind]);
    const { attempt } = await puppet.start(machine.engine);
    machine.setCut(true);
    await cluster().advance(leaseMs - 1_000, machine);
    expect(attempt.context.signal.aborted).toBe(false);
    await cluster().advance(4_000, machine);
    expect(attempt.context.signal.reason).toMatchObject({ type: "stopping" });
  });

  it("goes on with them once it can, and that counts as no loss of a worker", async () => {
    const puppet = new Puppet({ onInterrupt: "resume" });
    const machine = await cluster().join("m1", [puppet.kind]);
    const { engine, id } = await puppet.start(machine.engine);
    machine.setCut(true);
    await cluster().advance(3 * leaseMs, machine);
    machine.setCut(false);
    await cluster().advance(2 * leaseMs, machine);
    (await puppet.next()).succeed();
    await untilStatus(engine, id, "succeeded");
    expect((await engine.get(id)).state).toMatchObject({ attempt: 1, interruptions: 1, losses: 0 });
    expect(await eventTypes(engine, id)).toContain("attempt-interrupted");
  });

  it("leaves what runs outside it running, and goes on with it as if nothing had happened", async () => {
    const puppet = new Puppet({ onInterrupt: "adopt" });
    const machine = await cluster().join("m1", [puppet.kind]);
    const { engine, id, attempt } = await puppet.start(machine.engine);
    machine.setCut(true);
    await cluster().advance(10 * orphanMs, machine);
    expect(attempt.context.signal.aborted).toBe(false);
    machine.setCut(false);
    await cluster().advance(leaseMs, machine);
    attempt.succeed();
    await untilStatus(engine, id, "succeeded");
    expect((await engine.get(id)).state).toMatchObject({ attempt: 1, interruptions: 0 });
  });

  it("ends what runs outside before another machine may start it again, if it would be", async () => {
    const puppet = new Puppet({ onInterrupt: "adopt" });
    const machine = await cluster().join("m1", [puppet.kind]);
    const { attempt } = await puppet.start(machine.engine, { limits: { attempts: 2 } });
    machine.setCut(true);
    await cluster().advance(orphanMs - 2_000, machine);
    expect(attempt.context.signal.aborted).toBe(false);
    await cluster().advance(leaseMs, machine);
    expect(attempt.context.signal.reason).toEqual({ type: "lease_lost" });
  });

  it("looks for no jobs until the store has heard it again", async () => {
    const puppet = new Puppet();
    const machine = await cluster().join("m1", [puppet.kind]);
    machine.setCut(true);
    await cluster().advance(leaseMs + 2_000, machine);
    machine.hasClaimed();
    await cluster().advance(leaseMs, machine);
    expect(machine.hasClaimed()).toBe(false);
    machine.setCut(false);
    await cluster().advance(leaseMs, machine);
    expect(machine.hasClaimed()).toBe(true);
  });

  it("is not waited for by its own next beat, however long an answer takes", async () => {
    const puppet = new Puppet();
    const { store } = cluster();
    let unanswered = 0;
    const beat: typeof store.beat = (leases, at) => {
      if (leases.length > 0 && unanswered < 1) {
        unanswered++;
        return new Promise(() => undefined);
      }
      return store.beat(leases, at);
    };
    const machine = await cluster().join("m1", [puppet.kind], { verbs: { beat } });
    const { attempt } = await puppet.start(machine.engine);
    await cluster().advance(5 * leaseMs, machine);
    expect(unanswered).toBe(1);
    expect(machine.hasClaimed()).toBe(true);
    attempt.succeed();
  });
});

describe("an outage of the store for all", () => {
  it("gives no job of a machine that lives to another one when it ends", async () => {
    const [here, there] = [new Puppet({ onInterrupt: "adopt" }), new Puppet({ onInterrupt: "adopt" })];
    const one = await cluster().join("m1", [here.kind]);
    const { id } = await here.start(one.engine);
    const two = await cluster().join("m2", [there.kind]);
    await cluster().advance(2 * orphanMs, one, two);
    for (const machine of [one, two]) machine.setCut(true);
    await cluster().advance(2 * orphanMs, one, two);
    // The second machine is back at once, the first one half a minute later.
    two.setCut(false);
    await cluster().advance(orphanMs / 2, one, two);
    one.setCut(false);
    await cluster().advance(2 * orphanMs, one, two);
    expect(await statusOf(two.engine, id)).toBe("running");
    expect([here.attempts.length, there.attempts.length]).toEqual([1, 0]);
    expect(here.attempts[0]?.context.signal.aborted).toBe(false);
  });

  it("leaves everybody a whole lease to come back before anything of theirs is rescued", async () => {
    const [here, there] = [new Puppet({ onInterrupt: "restart" }), new Puppet({ onInterrupt: "restart" })];
    const one = await cluster().join("m1", [here.kind]);
    const { id } = await here.start(one.engine);
    const two = await cluster().join("m2", [there.kind]);
    await cluster().advance(2 * leaseMs, one, two);
    for (const machine of [one, two]) machine.setCut(true);
    // From here on the first machine hangs.
    await cluster().advance(4 * leaseMs, two);
    two.setCut(false);
    await cluster().advance(leaseMs - 1_000, two);
    expect(there.attempts).toEqual([]);
    await cluster().advance(leaseMs, two);
    expect((await there.next()).context.id).toBe(id);
  });
});

describe("a machine that is gone", () => {
  it("has its command given up after a minute, and not before: it fails as lost", async () => {
    const [here, there] = [new Puppet({ onInterrupt: "adopt" }), new Puppet({ onInterrupt: "adopt" })];
    const one = await cluster().join("m1", [here.kind]);
    const { id } = await here.start(one.engine);
    const two = await cluster().join("m2", [there.kind]);
    await cluster().advance(orphanMs, two);
    expect(await statusOf(two.engine, id)).toBe("running");
    await cluster().advance(2 * leaseMs, two);
    await untilStatus(two.engine, id, "failed");
    const { failure } = await stateOf(two.engine, id, "failed");
    expect(failure).toMatchObject({ code: "lost", retryable: true });
    expect(failure.message).toMatch(/^It ran on m1, which was not heard from/);
    expect(there.attempts).toEqual([]);
  });

  it("has its command started again elsewhere, in a new attempt, if it has attempts left", async () => {
    const [here, there] = [new Puppet({ onInterrupt: "adopt" }), new Puppet({ onInterrupt: "adopt" })];
    const one = await cluster().join("m1", [here.kind]);
    const { id } = await here.start(one.engine, { limits: { attempts: 2 } });
    const two = await cluster().join("m2", [there.kind]);
    await cluster().advance(orphanMs + 4 * leaseMs, two);
    expect((await there.next()).context).toMatchObject({ id, attempt: 2, machine: "m2", isInterrupted: false });
  });

  it("is told when it comes back, and looks for no job until what it was given up for has ended", async () => {
    const [here, there] = [
      new Puppet({ onInterrupt: "adopt", isStubborn: true }),
      new Puppet({ onInterrupt: "adopt" }),
    ];
    const one = await cluster().join("m1", [here.kind]);
    const { attempt } = await here.start(one.engine, { limits: { attempts: 2, graceMs: 30_000 } });
    const two = await cluster().join("m2", [there.kind]);
    await cluster().advance(orphanMs + 4 * leaseMs, two);
    await there.next();
    one.hasClaimed();
    await one.clock.advance(2_000);
    await until(() => attempt.context.signal.aborted);
    expect(attempt.context.signal.reason).toEqual({ type: "lease_lost" });
    await cluster().advance(2 * leaseMs, one, two);
    expect(one.hasClaimed()).toBe(false);
    attempt.fail(new Error("killed"));
    await turns();
    await cluster().advance(leaseMs, one, two);
    expect(one.hasClaimed()).toBe(true);
    expect(there.attempts[0]?.context.signal.aborted).toBe(false);
  });

  it("does not run a job twice at once that it is given again before it heard that it had lost it", async () => {
    const puppet = new Puppet({ onInterrupt: "resume" });
    const machine = await cluster().join("m1", [puppet.kind]);
    const { id, attempt } = await puppet.start(machine.engine);
    const { lease } = await stateOf(machine.engine, id, "running");
    const outcome = { type: "interrupted", cause: "test", isLoss: true } as const;
    const lost = { ...lease, id: attempt.context.id, before: Infinity };
    await cluster().store.abandon(lost, outcome, machine.clock.now());
    await until(() => attempt.context.signal.aborted);
    expect(puppet.attempts).toHaveLength(1);
    await cluster().advance(3 * leaseMs, machine);
    (await puppet.next()).succeed();
    await untilStatus(machine.engine, id, "succeeded");
    expect(puppet.attempts).toHaveLength(2);
  });

  it("takes over its own commands at once when its engine starts again", async () => {
    const [here, next] = [new Puppet({ onInterrupt: "adopt" }), new Puppet({ onInterrupt: "adopt" })];
    const one = await cluster().join("m1", [here.kind]);
    const { id } = await here.start(one.engine);
    await cluster().join("m1", [next.kind]);
    expect((await next.next()).context).toMatchObject({ id, attempt: 1, isInterrupted: true });
  });

  it("leaves to others what it ran itself, within a lease and a half", async () => {
    const [here, there] = [new Puppet({ onInterrupt: "resume" }), new Puppet({ onInterrupt: "resume" })];
    const one = await cluster().join("m1", [here.kind]);
    const { id } = await here.start(one.engine);
    const two = await cluster().join("m2", [there.kind]);
    one.setCut(true);
    await two.clock.advance(1.5 * leaseMs);
    expect((await there.next()).context).toMatchObject({ id, attempt: 1, isInterrupted: true });
  });
});
