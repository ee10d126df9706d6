import { describe, expect, it } from "vitest";
import { compilePattern } from "../../src/text/pattern.ts";
import { refusal } from "../engine/world.ts";

describe("a pattern", () => {
  it.each([
    ["ready", "server is ready now", true],
    ["^ready", "server is ready", false],
    ["ready$", "server is ready", true],
    ["(?i)READY", "server is ready", true],
    ["port \\d{4}\\b", "listening on port 8080", true],
    ["port \\d{4}\\b", "listening on port 80", false],
    ["é+", "caféé", true],
    ["", "anything", true],
  ])("%j finds itself anywhere in %j: %s", (pattern, line, isFound) => {
    expect(compilePattern(pattern)(line)).toBe(isFound);
  });

  it("can be asked again and again and keeps no place between two lines", () => {
    const test = compilePattern("a");
    expect(["a", "a", "b", "a"].map(test)).toEqual([true, true, false, true]);
  });

  it.each(["(?=a)b", "(?!a)b", "(?<=a)b", "(?<!a)b", "(a)\\1", "(", "[a", "a**", "*"])(
    "%j, which RE2 does not take, is refused in one sentence that shows it",
    (pattern) => {
      const compile = (): unknown => compilePattern(pattern);
      expect(compile).toThrowError(
        expect.objectContaining(
          refusal("invalid_input", /^".+" is not a regular expression that RE2 takes \(no look-around, .+\): .+\.$/),
        ),
      );
      expect(compile).toThrowError(`"${pattern}" is not`);
    },
  );

  it.each(["(a+)+$", "^(a|a)*$", "(a|aa)+$", "(.*a){12}$"])(
    "%j, which hangs a backtracking engine, comes to an answer on a long line",
    (pattern) => {
      expect(compilePattern(pattern)(`${"a".repeat(5_000)}!`)).toBe(false);
    },
  );
});
