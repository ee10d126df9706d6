import { describe, expect, it } from "vitest";
import { createHostGate, type HostGate } from "../../src/net/fetch/host-gate.ts";
import { parseRetryAfter } from "../../src/text/retry-after.ts";
import { FakeClock, turns } from "../engine/fake-clock.ts";

interface World {
  readonly gate: HostGate;
  readonly clock: FakeClock;
  /** Who got a turn, and when. */
  readonly starts: string[];
  /** Asks for a turn, and gives it back after `holdMs`; with none, never. */
  readonly ask: (name: string, host: string, holdMs?: number, delayMs?: number) => void;
}

function openGate(perHost: number, minimumDelayMs: number): World {
  const clock = new FakeClock();
  const gate = createHostGate({ perHost, minimumDelayMs, clock });
  const starts: string[] = [];
  const take = async (name: string, host: string, holdMs: number | undefined, delayMs: number): Promise<void> => {
    const release = await gate.acquire(host, { delayMs });
    starts.push(`${name}@${clock.monotonic()}`);
    if (holdMs !== undefined) clock.after(holdMs, release);
  };
  const ask: World["ask"] = (name, host, holdMs, delayMs = 0) => void take(name, host, holdMs, delayMs);
  return { gate, clock, starts, ask };
}

describe("turns at a host", () => {
  it("are as many at a time as are allowed, in the order of asking", async () => {
    const { clock, starts, ask } = openGate(2, 0);
    for (const name of ["a", "b", "c", "d", "e"]) ask(name, "one", 100);
    await clock.advance(99);
    expect(starts).toEqual(["a@0", "b@0"]);
    await clock.advance(500);
    expect(starts).toEqual(["a@0", "b@0", "c@100", "d@100", "e@200"]);
  });

  it("have a delay between their starts, the host's own if that is longer", async () => {
    const { clock, starts, ask } = openGate(4, 50);
    for (const name of ["a", "b"]) ask(name, "one", 1);
    for (const name of ["c", "d"]) ask(name, "one", 1, 200);
    await clock.advance(1_000);
    expect(starts).toEqual(["a@0", "b@50", "c@100", "d@300"]);
  });

  it("do not make other hosts wait", async () => {
    const { clock, starts, ask } = openGate(1, 1_000);
    ask("a", "one");
    ask("b", "one");
    ask("c", "two", 1);
    await clock.advance(0);
    expect(starts).toEqual(["a@0", "c@0"]);
  });

  it("wait while a host is paused", async () => {
    const { gate, clock, starts, ask } = openGate(1, 0);
    gate.pause("one", 5_000);
    gate.pause("one", 1_000);
    ask("a", "one", 1);
    await clock.advance(4_999);
    expect(starts).toEqual([]);
    await clock.advance(1);
    expect(starts).toEqual(["a@5000"]);
  });

  it("are not taken by who has given up, and are given back once", async () => {
    const { gate, clock, starts, ask } = openGate(1, 0);
    const release = await gate.acquire("one");
    const controller = new AbortController();
    const given = gate.acquire("one", { signal: controller.signal });
    ask("b", "one");
    ask("c", "one");
    controller.abort(new Error("enough"));
    await expect(given).rejects.toThrow("enough");
    await expect(gate.acquire("one", { signal: AbortSignal.abort("before") })).rejects.toBe("before");
    release();
    release();
    await clock.advance(10);
    expect(starts).toEqual(["b@0"]);
  });

  it("leave no memory of a host that may be asked freely again", async () => {
    const { gate, clock, ask } = openGate(1, 100);
    for (let host = 0; host < 500; host++) ask("x", `host-${host}`, 10);
    await turns();
    expect(gate.size()).toBe(500);
    await clock.advance(100);
    expect(gate.size()).toBe(0);
  });
});

describe("Retry-After", () => {
  const now = Date.UTC(2026, 0, 1);
  it.each([
    ["120", 120_000],
    ["0", 0],
    ["Thu, 01 Jan 2026 00:01:00 GMT", 60_000],
    ["Wed, 31 Dec 2025 00:00:00 GMT", 0],
    ["999999999", 3_600_000],
    ["soon", undefined],
    ["", undefined],
    [undefined, undefined],
  ])("%j makes the host wait for %j ms", (value, waitMs) => {
    expect(parseRetryAfter(value, now)).toBe(waitMs);
  });
});
