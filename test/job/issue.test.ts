import { describe, expect, it } from "vitest";
import { z } from "zod";
import { parseInput, parseInputIn } from "../../src/job/issue.ts";

const schema = z
  .strictObject({
    url: z.url(),
    depth: z.int().min(1).max(9).optional(),
    share: z.number().gt(0).lt(1).optional(),
    step: z.number().multipleOf(5).optional(),
    flag: z.boolean().optional(),
    mode: z.enum(["fast", "full"]).optional(),
    name: z.string().min(1).max(10).optional(),
    code: z.string().length(3).optional(),
    path: z.string().startsWith("/").optional(),
    word: z
      .string()
      .regex(/^[a-z]+$/)
      .optional(),
    id: z.uuid().optional(),
    host: z
      .string()
      .regex(/^[a-z.]+$/, "expected the name of a host")
      .optional(),
    headers: z.record(z.string(), z.string()).optional(),
    env: z.record(z.string().regex(/^[A-Z]+$/, "expected a variable name"), z.string()).optional(),
    pages: z
      .array(z.strictObject({ path: z.string() }))
      .min(1)
      .max(2)
      .optional(),
    width: z.union([z.number(), z.literal("auto")]).optional(),
    model: z.union([z.string(), z.array(z.string()).min(1)]).optional(),
    answer: z
      .discriminatedUnion("action", [
        z.object({ action: z.literal("accept"), with: z.string() }),
        z.object({ action: z.literal("decline") }),
      ])
      .optional(),
    command: z.string().optional(),
    argv: z.array(z.string()).optional(),
  })
  .refine(({ command, argv }) => command === undefined || argv === undefined, "must have either command or argv");
const url = "https://example.com";

const parsing = (value: unknown) => (): unknown => parseInput(schema, value, "The request");

describe("parsing at a border", () => {
  it("what fits is returned as the schema makes it", () => {
    const trimmed = z.object({ name: z.string().trim(), count: z.int().default(1) });
    expect(parseInput(trimmed, { name: " x ", more: 1 }, "The input")).toEqual({ name: "x", count: 1 });
  });

  it("a field that only one of its verbs requires is told without a word of the schema", () => {
    const optional = z.object({ ids: z.array(z.string()).optional() });
    expect(() => parseInput(optional.required({ ids: true }), {}, "The request")).toThrow(
      "ids is missing: it must be given.",
    );
  });

  it.each([
    [{}, "url", "url is missing: it must be a string."],
    [{ url: 5 }, "url", "url must be a string, got 5."],
    [{ url: "nowhere" }, "url", 'url must be a URL, got "nowhere".'],
    [{ url, depth: 0 }, "depth", "depth must be at least 1, got 0."],
    [{ url, depth: 10 }, "depth", "depth must be at most 9, got 10."],
    [{ url, depth: 1.5 }, "depth", "depth must be a whole number, got 1.5."],
    [{ url, depth: "2" }, "depth", 'depth must be a number, got "2".'],
    [{ url, depth: Number.NaN }, "depth", "depth must be a number, got NaN."],
    [{ url, share: 0 }, "share", "share must be more than 0, got 0."],
    [{ url, share: 1 }, "share", "share must be less than 1, got 1."],
    [{ url, step: 7 }, "step", "step must be a multiple of 5, got 7."],
    [{ url, flag: "yes" }, "flag", 'flag must be true or false, got "yes".'],
    [{ url, mode: "slow" }, "mode", 'mode must be one of fast, full, got "slow".'],
    [{ url, name: "" }, "name", "name must not be empty."],
    [{ url, name: "n".repeat(11) }, "name", "name must have at most 10 characters."],
    [{ url, code: "ab" }, "code", "code must have exactly 3 characters."],
    [{ url, path: "x" }, "path", 'path must begin with "/", got "x".'],
    [{ url, word: "1" }, "word", 'word must match /^[a-z]+$/, got "1".'],
    [{ url, id: "1" }, "id", 'id must be a UUID, got "1".'],
    [{ url, host: "a b" }, "host", 'host must be the name of a host, got "a b".'],
    [{ url, pages: [] }, "pages", "pages must not be empty."],
    [{ url, pages: "a" }, "pages", 'pages must be a list, got "a".'],
    [{ url, pages: [1, 2, 3].map(() => ({ path: "/" })) }, "pages", "pages must have at most 2 items."],
    [{ url, pages: [{ path: "/" }, {}] }, "pages.1.path", "pages[1].path is missing: it must be a string."],
    [{ url, headers: { accept: 1 } }, "headers.accept", "headers.accept must be a string, got 1."],
    [{ url, headers: [] }, "headers", "headers must be an object, got []."],
    [{ url, env: { "1A": "" } }, "env.1A", "env.1A is not a valid name: it must be a variable name."],
    [{ url, typo: 1 }, "typo", "typo is not a field of the request."],
    [{ url, typo: 1, more: 2 }, "typo", "typo, more are not fields of the request."],
    [{ url, dept: 1 }, "dept", "dept is not a field of the request (did you mean depth?)."],
    [
      { url, pages: [{ path: "/", paht: 1 }] },
      "pages.0.paht",
      "pages[0].paht is not a field of the request (did you mean path?).",
    ],
    [{ url, width: true }, "width", 'width must be a number or "auto", got true.'],
    [{ url, model: [] }, "model", "model must not be empty."],
    [{ url, model: [1] }, "model.0", "model[0] must be a string, got 1."],
    [
      { url, answer: { action: "shrug" } },
      "answer.action",
      'answer.action must be one of accept, decline, got "shrug".',
    ],
    [{ url, answer: {} }, "answer.action", "answer.action is missing: it must be one of accept, decline."],
    [{ url, answer: { action: "accept" } }, "answer.with", "answer.with is missing: it must be a string."],
    [{ url, command: "a", argv: ["a"] }, "", "The request must have either command or argv."],
    ["text", "", 'The request must be an object, got "text".'],
    [null, "", "The request must be an object, got null."],
    [undefined, "", "The request is missing: it must be an object."],
  ])("%j is refused in one sentence: the field, what it must be, what came", (value, field, sentence) => {
    expect(parsing(value)).toThrow(
      expect.objectContaining({
        name: "LonghaulError",
        code: "invalid_input",
        message: sentence,
        details: { field },
      }) as Error,
    );
  });

  it("what a verb takes is named after the verb", () => {
    expect(() => parseInput(schema, { url, dept: 1 }, "crawl_site")).toThrow(
      "dept is not a field of crawl_site (did you mean depth?).",
    );
    expect(() => parseInput(schema, 5, "crawl_site")).toThrow("The input of crawl_site must be an object, got 5.");
  });

  it("where the field alone does not tell it, the sentence begins with what it belongs to", () => {
    const parsingJob = (value: unknown) => (): unknown => parseInputIn(schema, value, 'a "web" job');
    expect(parsingJob({ url, depth: 0 })).toThrow(/^The input of a "web" job: depth must be at least 1, got 0\.$/);
    expect(parsingJob({ url, typo: 0 })).toThrow(/^typo is not a field of a "web" job\.$/);
    expect(parsingJob(5)).toThrow(/^The input of a "web" job must be an object, got 5\.$/);
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
    expect(thrown.message).toContain("url must be a string, got ");
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
