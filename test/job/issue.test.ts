import { describe, expect, it } from "vitest";
import { z } from "zod";
import { parseInput } from "../../src/job/issue.ts";

const schema = z.strictObject({
  url: z.url(),
  depth: z.int().min(1).max(9).optional(),
  mode: z.enum(["fast", "full"]).optional(),
  headers: z.record(z.string(), z.string()).optional(),
  pages: z.array(z.strictObject({ path: z.string() })).optional(),
  width: z.union([z.number(), z.literal("auto")]).optional(),
});
const url = "https://example.com";

const parsing = (value: unknown) => (): unknown => parseInput(schema, value, "The input");

describe("parsing at a border", () => {
  it("what fits is returned as the schema makes it", () => {
    const trimmed = z.object({ name: z.string().trim(), count: z.int().default(1) });
    expect(parseInput(trimmed, { name: " x ", more: 1 }, "The input")).toEqual({ name: "x", count: 1 });
  });

  it.each([
    [{}, "url", "The input does not fit: url is missing (expected string)."],
    [{ url: 5 }, "url", "The input does not fit: url: expected string, got 5."],
    [{ url, depth: 0 }, "depth", "The input does not fit: depth: Too small: expected number to be >=1, got 0."],
    [{ url, depth: "2" }, "depth", 'The input does not fit: depth: expected number, got "2".'],
    [{ url, mode: "slow" }, "mode", 'The input does not fit: mode: expected one of "fast"|"full", got "slow".'],
    [{ url, pages: [{ path: "/" }, {}] }, "pages.1.path", "pages.1.path is missing (expected string)."],
    [{ url, pages: [{ path: 1 }] }, "pages.0.path", "pages.0.path: expected string, got 1."],
    [{ url, headers: { accept: 1 } }, "headers.accept", "headers.accept: expected string, got 1."],
    [{ url, typo: 1 }, "", "The input does not fit: typo is not known here."],
    [{ url, typo: 1, more: 2 }, "", "The input does not fit: typo, more are not known here."],
    [{ url, pages: [{ path: "/", typo: 1 }] }, "pages.0", "pages.0.typo is not known here."],
    ["text", "", 'The input does not fit: it: expected object, got "text".'],
    [null, "", "The input does not fit: it: expected object, got null."],
    [undefined, "", "The input does not fit: it is missing (expected object)."],
  ])("%j is refused in one sentence: the field, what was expected, what came", (value, field, sentence) => {
    expect(parsing(value)).toThrow(
      expect.objectContaining({
        name: "LonghaulError",
        code: "invalid_input",
        message: expect.stringContaining(sentence) as string,
        details: { field },
      }) as Error,
    );
  });

  it("a value that fits none of several forms is told which there are", () => {
    expect(parsing({ url, width: true })).toThrow(/width: expected number.*"auto".*, got true\.$/);
  });

  it("a long value is shown in part", () => {
    const thrown = catchError(parsing({ url, mode: "x".repeat(10_000) }));
    expect(thrown.message).toMatch(/got "x{30,}…\.$/);
    expect(thrown.message.length).toBeLessThan(200);
  });

  it.each([
    ["a number beyond JSON", 10n],
    ["a circle", makeCircle()],
    ["a function", () => 1],
    ["a symbol", Symbol("x")],
  ])("%s is refused in a sentence too", (_what, value) => {
    const thrown = catchError(parsing({ url: value }));
    expect(thrown).toMatchObject({ name: "LonghaulError", code: "invalid_input" });
    expect(thrown.message).toContain("url: expected string, got ");
  });

  it("a number that is none is shown as such", () => {
    expect(parsing({ url, depth: Number.NaN })).toThrow("depth: expected number, got NaN.");
  });
});

function makeCircle(): unknown[] {
  const circle: unknown[] = [];
  circle.push(circle);
  return circle;
}

function catchError(run: () => unknown): Error {
  try {
    run();
  } catch (error) {
    return error as Error;
  }
  throw new Error("nothing was refused");
}
