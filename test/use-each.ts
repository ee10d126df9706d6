import { afterAll, afterEach, beforeAll, beforeEach } from "vitest";

/** Gives each test of the file, or of the enclosing describe, a thing of its own, and clears it away after the test. */
export function useEach<Thing>(open: () => Promise<Thing>, close: (thing: Thing) => Promise<void>): () => Thing {
  const held = hold(open, close);
  beforeEach(held.open);
  afterEach(held.close);
  return held.get;
}

/** Gives all tests of the file, or of the enclosing describe, one thing, and clears it away after the last. */
export function useOnce<Thing>(open: () => Promise<Thing>, close: (thing: Thing) => Promise<void>): () => Thing {
  const held = hold(open, close);
  beforeAll(held.open);
  afterAll(held.close);
  return held.get;
}

function hold<Thing>(
  open: () => Promise<Thing>,
  close: (thing: Thing) => Promise<void>,
): { open: () => Promise<void>; close: () => Promise<void>; get: () => Thing } {
  let thing: Thing | undefined;
  return {
    open: async () => {
      thing = await open();
    },
    close: async () => {
      if (thing !== undefined) await close(thing);
      thing = undefined;
    },
    get: () => {
      if (thing === undefined) throw new Error("there is one only while tests run");
      return thing;
    },
  };
}
