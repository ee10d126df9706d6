import { describe, expect, it } from "vitest";
import { startStoreClock, type StoreClock } from "../../../src/engine/machines/store-clock.ts";
import { FakeClock } from "../fake-clock.ts";
import { Puppet } from "../puppet.ts";
import { statusOf, untilStatus } from "../world.ts";
import { leaseMs, useCluster } from "./cluster.ts";

/** A store whose clock is off by so much, and whose answers take some time, the way there and the way back. */
async function openClock({ offMs = 0, thereMs = 0, backMs = 0 } = {}): Promise<{
  base: FakeClock;
  clock: StoreClock;
  store: { offMs: number; thereMs: number; backMs: number };
  storeTime: () => number;
}> {
  const base = new FakeClock();
  const startedAt = base.now();
  const store = { offMs, thereMs, backMs };
  const storeTime = (): number => startedAt + base.monotonic() + store.offMs;
  const time = async (): Promise<number> => {
    await base.advance(store.thereMs);
    const answer = storeTime();
    await base.advance(store.backMs);
    return answer;
  };
  return { base, clock: await startStoreClock({ time }, base), store, storeTime };
}

describe("the clock of an engine", () => {
  it.each([-5_000, 5_000, 86_400_000])("is the store's from the start, which is off by %i ms", async (offMs) => {
    const { clock, storeTime } = await openClock({ offMs });
    expect(clock.now()).toBe(storeTime());
  });

  it("takes into account how long the answer took", async () => {
    const { clock, storeTime } = await openClock({ offMs: 5_000, thereMs: 40, backMs: 40 });
    expect(clock.now()).toBe(storeTime());
  });

  it("is led astray by nobody who sets the machine's clock", async () => {
    const { clock, base, storeTime } = await openClock();
    base.jump(-3_600_000);
    await base.advance(1_000);
    expect(clock.now()).toBe(storeTime());
  });

  it.each([-5_000, 5_000])(
    "catches up smoothly when the store's clock is set by %i ms, and never goes back",
    async (stepMs) => {
      const { clock, base, store, storeTime } = await openClock();
      store.offMs = stepMs;
      for (let last = clock.now(), passedMs = 0; passedMs < 12_000; passedMs += 100) {
        if (passedMs % 2_000 === 0) await clock.sync();
        await base.advance(100);
        const step = clock.now() - last;
        last += step;
        expect(step).toBeGreaterThanOrEqual(49);
        expect(step).toBeLessThanOrEqual(151);
      }
      expect(Math.abs(clock.now() - storeTime())).toBeLessThanOrEqual(1);
    },
  );

  it("follows at once when the store's clock is set by more than a minute", async () => {
    const { clock, store, storeTime } = await openClock();
    store.offMs = -3_600_000;
    await clock.sync();
    expect(clock.now()).toBe(storeTime());
  });

  it("is not moved by an answer that took long, as far as that explains the difference", async () => {
    const { clock, base, store, storeTime } = await openClock();
    store.thereMs = 800;
    await clock.sync();
    store.thereMs = 0;
    await base.advance(5_000);
    expect(clock.now()).toBe(storeTime());
  });
});

describe("machines whose clocks are wrong", () => {
  const cluster = useCluster();

  it("take no jobs from each other, and say of their jobs what time it is for all", async () => {
    const [early, late] = [new Puppet(), new Puppet()];
    const one = await cluster().join("m1", [early.kind], { clockOffMs: -5_000 });
    const { id, attempt } = await early.start(one.engine);
    const two = await cluster().join("m2", [late.kind], { clockOffMs: 5_000 });
    await cluster().advance(5 * leaseMs, one, two);
    const later = await two.engine.submit({ kind: "puppet", input: {}, delayMs: 1_000 });
    const now = cluster().now();
    expect(Math.abs(later.createdAt - now)).toBeLessThanOrEqual(1_000);
    await cluster().advance(5 * leaseMs, one, two);
    expect(await statusOf(two.engine, later.id)).toBe("running");
    expect(await statusOf(two.engine, id)).toBe("running");
    attempt.succeed();
    await untilStatus(two.engine, id, "succeeded");
    expect(early.attempts.length + late.attempts.length).toBe(2);
  });
});
