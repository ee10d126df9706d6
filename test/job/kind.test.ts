import { describe, expect, it } from "vitest";
import { z } from "zod";
import { defineKind } from "../../src/job/kind.ts";

const define = (name: string): ReturnType<typeof defineKind> =>
  defineKind({ name, input: z.object({ host: z.string() }), onInterrupt: "restart", run: async ({ host }) => host });

describe("defining a kind", () => {
  it.each(["shell", "my-kind_2", "x".repeat(64)])("the name %j is taken", (name) => {
    expect(define(name).name).toBe(name);
  });

  it.each(["", "Shell", "2fast", "a b", "a/b", "a.b", "ä", "x".repeat(65)])("the name %j is refused", (name) => {
    expect(() => define(name)).toThrow(expect.objectContaining({ code: "invalid_input" }) as Error);
  });

  it("a kind without a key has none, and without a schema takes any result", () => {
    const kind = define("work");
    expect(kind.key({ host: "a" })).toBeUndefined();
    expect(kind.result.safeParse({ anything: [1] }).success).toBe(true);
  });

  it("a kind's key is made of its input", () => {
    const kind = defineKind({
      name: "work",
      input: z.object({ host: z.string() }),
      onInterrupt: "restart",
      key: ({ host }) => host,
      run: async () => null,
    });
    expect(kind.key({ host: "a" })).toBe("a");
  });
});
