import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Engine, SubmitRequest } from "../../src/index.ts";
import { until } from "../until.ts";
import { Puppet } from "./puppet.ts";
import { refusal, statusOf, untilStatus, useWorld } from "./world.ts";

const world = useWorld();
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

type Ending = "succeeded" | "failed" | "timed_out" | "cancelled";

async function endAs(
  engine: Engine,
  puppet: Puppet,
  ending: Ending,
  facts: Partial<SubmitRequest> = {},
): Promise<string> {
  const limits = ending === "timed_out" ? { runMs: 1_000 } : {};
  const { id } = await engine.submit({ kind: "puppet", input: {}, limits, ...facts });
  const attempt = await puppet.next();
  attempt.context.output().write("some output");
  if (ending === "succeeded") attempt.succeed();
  if (ending === "failed") attempt.fail(new Error("broken"));
  if (ending === "cancelled") await engine.cancel(id);
  if (ending === "timed_out") await world().clock.advance(1_000);
  await untilStatus(engine, id, ending);
  return id;
}

async function openTimed(
  options: Parameters<ReturnType<typeof world>["openTimed"]>[1] = {},
): Promise<{ engine: Engine; puppet: Puppet }> {
  const puppet = new Puppet();
  return { puppet, engine: await world().openTimed([puppet.kind], options) };
}

describe("a finished job", () => {
  it.each<[Ending, number]>([
    ["succeeded", dayMs],
    ["cancelled", dayMs],
    ["failed", 7 * dayMs],
    ["timed_out", 7 * dayMs],
  ])("that %s is kept for its time, and removed by the next pruning after it", async (ending, keptMs) => {
    const { engine, puppet } = await openTimed();
    const id = await endAs(engine, puppet, ending);
    world().clock.jump(keptMs - 1_000);
    expect(await engine.prune()).toBe(0);
    expect(await statusOf(engine, id)).toBe(ending);
    world().clock.jump(1_000);
    expect(await engine.prune()).toBe(1);
    await expect(engine.get(id)).rejects.toMatchObject(refusal("expired"));
  });

  it("is kept as long as the request says, then as the engine says", async () => {
    const { engine, puppet } = await openTimed({ retention: { succeededMs: 10_000 } });
    const usual = await endAs(engine, puppet, "succeeded");
    const longer = await endAs(engine, puppet, "succeeded", { retention: { succeededMs: 60_000 } });
    const failed = await endAs(engine, puppet, "failed", { retention: { failedMs: 0 } });
    expect(await engine.prune()).toBe(1);
    await expect(engine.get(failed)).rejects.toMatchObject(refusal("expired"));
    world().clock.jump(10_000);
    expect(await engine.prune()).toBe(1);
    await expect(engine.get(usual)).rejects.toMatchObject(refusal("expired"));
    expect(await statusOf(engine, longer)).toBe("succeeded");
  });

  it("is removed by itself, without anybody asking", async () => {
    const { engine, puppet } = await openTimed({ retention: { succeededMs: 1_000 }, pruneMs: 60_000 });
    const id = await endAs(engine, puppet, "succeeded");
    await world().clock.advance(60_000);
    await until(async () => (await engine.count()).length === 0);
    await expect(engine.get(id)).rejects.toMatchObject(refusal("expired"));
  });

  it("takes its output, events and place in lists with it", async () => {
    const { engine, puppet } = await openTimed();
    const id = await endAs(engine, puppet, "succeeded", { tags: ["t"], batch: "b", name: "n" });
    const folder = join(world().home, "output", id);
    expect(existsSync(folder)).toBe(true);
    world().clock.jump(dayMs);
    await engine.prune();
    expect(existsSync(folder)).toBe(false);
    for (const filter of [{}, { tags: ["t"] }, { batch: "b" }, { name: "n" }]) {
      expect((await engine.list(filter)).jobs).toEqual([]);
    }
    expect(await engine.count()).toEqual([]);
    await expect(engine.events(id)).rejects.toMatchObject(refusal("expired"));
    await expect(engine.readOutput(id)).rejects.toMatchObject(refusal("expired"));
  });

  it("frees its idempotency key", async () => {
    const { engine, puppet } = await openTimed();
    const id = await endAs(engine, puppet, "succeeded", { idempotencyKey: "k" });
    world().clock.jump(dayMs);
    await engine.prune();
    const again = await engine.submit({ kind: "puppet", input: {}, idempotencyKey: "k" });
    expect(again.id).not.toBe(id);
  });

  it("that is retried by hand is not removed, and is kept anew after its end", async () => {
    const { engine, puppet } = await openTimed();
    const id = await endAs(engine, puppet, "failed");
    await engine.retry(id);
    const attempt = await puppet.next();
    world().clock.jump(30 * dayMs);
    expect(await engine.prune()).toBe(0);
    attempt.succeed();
    await untilStatus(engine, id, "succeeded");
    expect(await engine.prune()).toBe(0);
  });
});

describe("pruning", () => {
  it("never removes a job that has not ended, however old it is", async () => {
    const { engine, puppet } = await openTimed({ concurrency: 1 });
    const { id: running } = await engine.submit({ kind: "puppet", input: {} });
    const { id: queued } = await engine.submit({ kind: "puppet", input: {} });
    await puppet.next();
    world().clock.jump(365 * dayMs);
    expect(await engine.prune()).toBe(0);
    expect([await statusOf(engine, running), await statusOf(engine, queued)]).toEqual(["running", "queued"]);
  });

  it("removes all that is due in one call, and says how many", async () => {
    const { engine } = await openTimed();
    await engine.pause("puppet");
    const jobs = await engine.submitMany(Array.from({ length: 1_200 }, () => ({ kind: "puppet", input: {} })));
    await Promise.all(jobs.map(({ id }) => engine.cancel(id)));
    world().clock.jump(dayMs);
    expect(await engine.prune()).toBe(1_200);
    expect(await engine.count()).toEqual([]);
  });

  it("leaves a trace: an expired id is told from one that never was, also after a restart, for a month", async () => {
    const { engine, puppet } = await openTimed();
    const id = await endAs(engine, puppet, "succeeded");
    world().clock.jump(dayMs);
    await engine.prune();
    const removedAt = new Date(world().clock.now()).toISOString();
    const reopened = await world().reopen();
    const message = `Job ${id} has expired: it was removed at ${removedAt}, when it no longer had to be kept.`;
    await expect(reopened.get(id)).rejects.toMatchObject({ code: "expired", message });
    world().clock.jump(31 * dayMs);
    await reopened.prune();
    await expect(reopened.get(id)).rejects.toMatchObject(refusal("not_found"));
  });
});
