import { afterEach, describe, expect, it } from "vitest";
import { createPatternPool, type PatternPool, type PatternPoolOptions } from "../../src/text/pattern-pool.ts";
import { refusal } from "../engine/world.ts";

const opened: PatternPool[] = [];

function open(options?: PatternPoolOptions): PatternPool {
  const pool = createPatternPool(options);
  opened.push(pool);
  return pool;
}

afterEach(async () => {
  await Promise.all(opened.splice(0).map((pool) => pool.close()));
});

/** Takes minutes on a text of its length, though RE2 is linear. */
const slow = "(a?){250}a{250}[b-d]";
const slowText = ["a".repeat(60_000)];
const manyLines = Array.from({ length: 5_000 }, (_, index) => `line ${index} of a long text`);

/** Counts the turns of the event loop until something is over. */
async function turnsDuring(work: Promise<unknown>): Promise<number> {
  let turns = 0;
  let isOver = false;
  const count = (): void => {
    turns += 1;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  await work.catch(() => undefined);
  isOver = true;
  return turns;
}

describe("a pattern pool", () => {
  it.each([
    ["few texts", "b[12]$", ["a1", "b1", "b2", "c"], [1, 2]],
    ["a text without special characters", "line 4999 ", manyLines, [4_999]],
    ["many texts", "line (0|4999|17) ", manyLines, [0, 17, 4_999]],
    ["no texts", "a+", [], []],
  ])("finds the places of those that match among %s", async (_case, pattern, texts, places) => {
    expect(await open().search(pattern, texts)).toEqual(places);
  });

  it("tells which rules match, also those that RE2 does not take", async () => {
    const rules = [/^git (?!push)/, /^npm/, /status$/];
    expect(await open().matchRules(rules, "git status")).toEqual([0, 2]);
    expect(await open().matchRules(rules, "git push")).toEqual([]);
    expect(await open().matchRules([], "git push")).toEqual([]);
  });

  it("refuses a pattern that takes too long, while everything else goes on, and answers the next", async () => {
    const pool = open({ timeoutMs: 300 });
    const searching = pool.search(slow, slowText);
    const turns = await turnsDuring(searching);
    expect(turns).toBeGreaterThan(20);
    await expect(searching).rejects.toMatchObject(
      refusal("invalid_input", /^The pattern "\(a\?\)\{250\}.+" took too long on this text \(more than 0.3 s\): .+\.$/),
    );
    expect(await pool.search("line (1|2) ", manyLines, { timeoutMs: 30_000 })).toEqual([1, 2]);
  });

  it("refuses a text on which a rule of the configuration backtracks without end", async () => {
    const pool = open({ timeoutMs: 300 });
    await expect(pool.matchRules([/^(\w+\s?)+$/], `${"a".repeat(50)}!`)).rejects.toMatchObject(
      refusal("invalid_input", /^A rule of the configuration took too long/),
    );
  });

  it("stops a search with its caller, whether it runs or waits for its turn", async () => {
    const pool = open({ threads: 1, timeoutMs: 60_000 });
    const [running, waiting] = [new AbortController(), new AbortController()];
    const searches = [running, waiting].map(({ signal }) => pool.search(slow, slowText, { signal }));
    const last = pool.search("line (3) ", manyLines);
    waiting.abort(new Error("the second has gone"));
    await expect(searches[1]).rejects.toThrow("the second has gone");
    running.abort(new Error("the first has gone"));
    await expect(searches[0]).rejects.toThrow("the first has gone");
    expect(await last).toEqual([3]);
    await expect(pool.search(slow, slowText, { signal: running.signal })).rejects.toThrow("the first has gone");
    expect(await pool.some(slow, slowText, { signal: running.signal })).toBe(false);
  });

  it("has no more threads at work than allowed, and lets the others wait", async () => {
    const pool = open({ threads: 2 });
    const searches = Array.from({ length: 12 }, (_, index) => pool.search(`line (${index}) `, manyLines));
    expect(await Promise.all(searches)).toEqual(searches.map((_, index) => [index]));
  });

  it("starts a thread again after it was idle for long enough to be ended", async () => {
    const pool = open({ idleMs: 1 });
    for (const _ of [1, 2, 3]) expect(await pool.search("line (3) ", manyLines)).toEqual([3]);
  });

  it("refuses whoever waits when it is closed", async () => {
    const pool = open();
    const searching = pool.search(slow, slowText);
    await pool.close();
    await expect(searching).rejects.toMatchObject(refusal("stopped", /stopping/));
    await expect(pool.search(slow, slowText)).rejects.toMatchObject(refusal("stopped", /stopping/));
  });

  it.each(["(a?){500}a{500}[b-d]", "x{1000}".repeat(140), "((a{10}){20}){30}", "(".repeat(900) + "a{3}"])(
    "refuses a pattern that is too big before it is compiled: %s",
    (pattern) => {
      expect(() => open().check(pattern)).toThrowError(
        expect.objectContaining(refusal("invalid_input", /too big|RE2 takes/)),
      );
    },
  );

  it.each(["a{3,5}", "[a{900}]{2}", String.raw`\{900}`, "(ab{10}){20}", "port \\d{4,}", "{", "a{x}", "(?i)error|warn"])(
    "takes a pattern that is not: %s",
    (pattern) => {
      expect(() => open().check(pattern)).not.toThrow();
    },
  );
});
