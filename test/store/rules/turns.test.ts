import { describe, expect, it } from "vitest";
import { firstInOrder, nextTurn, ServedTurns } from "../../../src/store/rules/turns.ts";

describe("turns", () => {
  it("an owner's next job comes one turn after the last of theirs that waits", () => {
    expect(nextTurn(7, 3)).toBe(8);
  });

  it("an owner without a waiting job has no turn saved up: theirs is the one that is being served", () => {
    expect(nextTurn(undefined, 5)).toBe(5);
    expect(nextTurn(undefined, 0)).toBe(1);
  });

  it("somebody with one job does not wait behind somebody else's thousand", () => {
    let last = 0;
    const crowd = Array.from({ length: 1_000 }, (_, num) => {
      last = nextTurn(last, 1);
      return { priority: 0, turn: last, num };
    });
    const single = { priority: 0, turn: nextTurn(undefined, 1), num: 1_000 };
    expect(firstInOrder([...crowd, single], 2)).toEqual([crowd[0], single]);
  });

  it("the turn that is being served never goes back, and is kept apart by kind and priority", () => {
    const served = new ServedTurns();
    served.note("work", 0, 4);
    served.note("work", 0, 2);
    expect(served.get("work", 0)).toBe(4);
    expect([served.get("work", 1), served.get("other", 0)]).toEqual([undefined, undefined]);
  });

  it("that nothing waited yet is remembered too", () => {
    const served = new ServedTurns();
    served.note("work", 0, 0);
    expect(served.get("work", 0)).toBe(0);
  });
});

describe("the order of claims", () => {
  it("is by priority, then by turn, then by age, up to the number that is wanted", () => {
    const old = { priority: 0, turn: 1, num: 1 };
    const young = { priority: 0, turn: 1, num: 2 };
    const later = { priority: 0, turn: 2, num: 0 };
    const urgent = { priority: 1, turn: 9, num: 9 };
    const ready = [later, young, urgent, old];
    expect(firstInOrder(ready, 9)).toEqual([urgent, old, young, later]);
    expect(firstInOrder(ready, 2)).toEqual([urgent, old]);
  });
});
