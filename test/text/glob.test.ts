import { describe, expect, it } from "vitest";
import { compileGlob } from "../../src/text/glob.ts";

describe("a glob", () => {
  it.each([
    ["*.ts", ["a.ts", ".ts"], ["a.tsx", "src/a.ts", "ats"]],
    ["src/**/*.ts", ["src/a.ts", "src/b/c/a.ts"], ["a.ts", "xsrc/a.ts"]],
    ["**", ["a", "a/b/c"], []],
    ["**/x", ["x", "a/x", "a/b/x"], ["ax", "a/bx"]],
    ["a?c", ["abc", "a+c"], ["ac", "a/c"]],
    ["{a,b}/*.{js,ts}", ["a/x.js", "b/y.ts"], ["c/x.js", "a/x.css"]],
    ["[a-c]x", ["ax", "cx"], ["dx"]],
    ["[!a-c]x", ["dx"], ["ax"]],
    ["a.b+c(d)", ["a.b+c(d)"], ["aXb+c(d)"]],
    ["a,b", ["a,b"], ["a", "b"]],
    [String.raw`\*`, ["*"], ["a"]],
  ])("%s matches %j and not %j", (glob, matching, others) => {
    const test = compileGlob(glob);
    expect(matching.filter((path) => !test(path))).toEqual([]);
    expect(others.filter(test)).toEqual([]);
  });

  it("that is broken or endless is refused, and none can hang", () => {
    expect(() => compileGlob("{a,b")).toThrow("a brace is not closed");
    expect(() => compileGlob("x".repeat(501))).toThrow("500 characters");
    expect(compileGlob("*a".repeat(100))("a".repeat(2_000) + "b")).toBe(false);
    expect(() => compileGlob("*a".repeat(100))("a".repeat(10_000))).toThrow("too long for the pattern");
  });
});
