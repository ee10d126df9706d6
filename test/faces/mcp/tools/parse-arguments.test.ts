import { describe, expect, it } from "vitest";
import { z } from "zod";
import { parseArguments } from "../../../../src/faces/mcp/tools/parse-arguments.ts";

const schema = z.strictObject({
  flag: z.boolean().optional(),
  count: z.int().optional(),
  share: z.number().optional(),
  text: z.string().optional(),
  texts: z.array(z.string()).optional(),
  numbers: z.array(z.number()).optional(),
  nested: z.strictObject({ flag: z.boolean().optional() }).optional(),
  env: z.record(z.string(), z.string()).optional(),
  loose: z.looseObject({}).optional(),
  anything: z.unknown().optional(),
  choice: z.union([z.enum(["all", "any"]), z.int().min(1)]).optional(),
  either: z.union([z.string(), z.number()]).optional(),
});

const parse = (args: unknown): unknown => parseArguments({ name: "tool", input: schema }, args);

describe("the arguments of a call", () => {
  it.each([
    [{ flag: "true" }, { flag: true }],
    [{ flag: "false" }, { flag: false }],
    [{ count: "5" }, { count: 5 }],
    [{ count: "-5" }, { count: -5 }],
    [{ share: "2.5" }, { share: 2.5 }],
    [{ numbers: ["1", 2] }, { numbers: [1, 2] }],
    [{ nested: { flag: "true" } }, { nested: { flag: true } }],
    [{ choice: "2" }, { choice: 2 }],
    [{ texts: '["a", "5"]' }, { texts: ["a", "5"] }],
    [{ nested: '{"flag": "true"}' }, { nested: { flag: true } }],
    [{ loose: '{"a": 1}' }, { loose: { a: 1 } }],
  ])("%j are taken for what they unmistakably stand for", (given, taken) => {
    expect(parse(given)).toEqual(taken);
  });

  it.each([
    { text: "true" },
    { text: "5" },
    { text: '["a"]' },
    { texts: ["5", "true"] },
    { env: { PORT: "3000", DEBUG: "true" } },
    { loose: { a: "5" } },
    { anything: "5" },
    { choice: "all" },
    { either: "5" },
  ])("%j stay the texts that are wanted", (given) => {
    expect(parse(given)).toEqual(given);
  });

  it.each([
    [{ flag: "yes" }, 'flag must be true or false, got "yes"'],
    [{ flag: "True" }, 'flag must be true or false, got "True"'],
    [{ flag: "" }, 'flag must be true or false, got ""'],
    [{ flag: 1 }, "flag must be true or false, got 1"],
    [{ count: "5 s" }, 'count must be a number, got "5 s"'],
    [{ count: "0x10" }, 'count must be a number, got "0x10"'],
    [{ count: "" }, 'count must be a number, got ""'],
    [{ count: "2.5" }, "count must be a whole number, got 2.5"],
    [{ share: "1e3" }, 'share must be a number, got "1e3"'],
    [{ texts: "a" }, 'texts must be a list, got "a"'],
    [{ texts: "[a]" }, 'texts must be a list, got "[a]"'],
    [{ fla: true }, "fla is not a field of tool (did you mean flag?)"],
  ])("%j are refused", (given, why) => {
    expect(() => parse(given)).toThrow(`${why}.`);
  });
});
