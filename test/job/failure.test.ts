import { describe, expect, it } from "vitest";
import { JobFailure, messageOf, toFailure } from "../../src/job/failure.ts";

describe("what an attempt threw, as a failure", () => {
  it("a kind's own failure keeps its code, its message and whether it is worth another attempt", () => {
    expect(toFailure(new JobFailure("exit_code", "The command exited with 2.", { retryable: false }))).toEqual({
      code: "exit_code",
      message: "The command exited with 2.",
      retryable: false,
    });
    expect(toFailure(new JobFailure("busy", "Busy.", { retryAfterMs: 5 }))).toEqual({
      code: "busy",
      message: "Busy.",
      retryable: true,
    });
  });

  it("any other error is worth another attempt", () => {
    expect(toFailure(new TypeError("x is not a function"))).toEqual({
      code: "error",
      message: "x is not a function",
      retryable: true,
    });
  });

  it("a cause is told by its message", () => {
    const cause = new Error("ECONNREFUSED");
    expect(toFailure(new Error("The page did not load.", { cause }))).toMatchObject({ cause: "ECONNREFUSED" });
    expect(toFailure(new JobFailure("net", "No answer.", { cause: "timeout" }))).toMatchObject({ cause: "timeout" });
  });

  it("an error without a message is told by its name", () => {
    expect(toFailure(new RangeError()).message).toBe("RangeError");
  });

  it.each([
    ["a text", "broken", "broken"],
    ["a number", 42, "42"],
    ["nothing", undefined, "undefined"],
    ["null", null, "null"],
    ["a symbol", Symbol("odd"), "Symbol(odd)"],
  ])("%s that was thrown is told as it is", (_what, thrown, message) => {
    expect(toFailure(thrown)).toEqual({ code: "error", message, retryable: true });
  });

  it("whatever was thrown becomes a failure, even what cannot be turned into a text", () => {
    const bare: unknown = Object.create(null);
    expect(toFailure(bare)).toMatchObject({ code: "error", retryable: true });
    expect(toFailure(new Error("outer", { cause: bare }))).toMatchObject({ message: "outer" });
  });

  it("a long message is cut", () => {
    const { message } = toFailure(new Error("x".repeat(100_000)));
    expect(message.length).toBeLessThan(5_000);
    expect(message.endsWith("…")).toBe(true);
    expect(messageOf("x".repeat(4_000))).toHaveLength(4_000);
  });

  it("is plain data", () => {
    const failure = toFailure(new JobFailure("net", "No answer.", { cause: new Error("timeout") }));
    expect(JSON.parse(JSON.stringify(failure))).toEqual(failure);
  });
});
