import { describe, expect, it } from "vitest";
import type { Actor } from "../../../src/engine/access.ts";
import { Shares } from "../../../src/faces/door/shares.ts";

const ada: Actor = { owner: "ada", scope: "read", by: "ada (http)" };
const adasOther: Actor = { ...ada, by: "other (http)" };
const bob: Actor = { owner: "bob", scope: "run", by: "bob (http)" };
const local: Actor = { by: "local (http)" };

/** Things that callers hold: in use unless they are told when they fell idle. */
function hold(shares: Shares, actor: Actor, idleSince?: number): { isOpen: boolean; refusal: string | undefined } {
  const held = { isOpen: true, refusal: undefined as string | undefined };
  const taken = shares.take(actor, { idleSince: () => idleSince, end: () => (held.isOpen = false) });
  if (typeof taken === "string") Object.assign(held, { isOpen: false, refusal: taken });
  return held;
}

describe("places that callers hold", () => {
  it("are never all of one token's, or of one owner's with many tokens", () => {
    const shares = new Shares(100);
    const first = Array.from({ length: 100 }, () => hold(shares, ada));
    expect(first.filter(({ isOpen }) => isOpen)).toHaveLength(25);
    expect(first.at(-1)?.refusal).toBe("share");
    for (const name of ["2", "3", "4"]) Array.from({ length: 25 }, () => hold(shares, { ...ada, by: name }));
    expect(shares.size).toBe(50);
    expect(hold(shares, bob).isOpen).toBe(true);
  });

  it("make room for the same token's next one if they are idle, the oldest first, and leave everybody else's alone", () => {
    const shares = new Shares(8);
    const bobs = hold(shares, bob, 1);
    const [busy, older, newer] = [hold(shares, ada), hold(shares, adasOther, 2), hold(shares, ada, 3)];
    const next = hold(shares, ada);
    expect([bobs, busy, older, newer, next].map(({ isOpen }) => isOpen)).toEqual([true, true, true, false, true]);
    expect(hold(shares, ada).refusal).toBe("share");
    expect(shares.size).toBe(4);
  });

  it("are all to be had for this machine's user, who takes idle ones from others when none is left", () => {
    const shares = new Shares(4);
    const mine = [hold(shares, local), hold(shares, local), hold(shares, local)];
    const bobs = hold(shares, bob, 1);
    mine.push(hold(shares, local));
    expect([...mine, bobs].map(({ isOpen }) => isOpen)).toEqual([true, true, true, true, false]);
    expect(hold(shares, bob).refusal).toBe("all");
  });

  it("are free again when they are given back", () => {
    const shares = new Shares(4);
    const release = shares.take(ada, { idleSince: () => undefined, end: () => undefined });
    expect(hold(shares, ada).refusal).toBe("share");
    if (typeof release !== "string") release();
    expect(hold(shares, ada).isOpen).toBe(true);
  });
});
