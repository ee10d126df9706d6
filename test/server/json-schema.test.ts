import { expect, it } from "vitest";
import { compileSchema } from "../../src/server/json-schema.ts";

const check = compileSchema({
  type: "object",
  properties: { count: { type: "number", minimum: 2 }, name: { type: "string", minLength: 1 } },
  required: ["count"],
  additionalProperties: false,
});

it.each([
  [{}, "count is missing: it must be a number"],
  [{ count: "x" }, 'count must be a number, got "x"'],
  [{ count: 1 }, "count must be at least 2, got 1"],
  [{ count: 2, name: "" }, "name must not be empty"],
  [{ count: 2, nmae: "a" }, "nmae is not a field of the input (did you mean name?)"],
  [5, "The input must be an object, got 5"],
])("what does not fit a JSON Schema is told in plain words: %j", (value, problem) => {
  expect(check(value)).toBe(problem);
});

it("what fits is not told of", () => {
  expect(check({ count: 2, name: "a" })).toBeUndefined();
});

it("a schema that only the validator knows is still checked", () => {
  const either = compileSchema({ type: "object", dependentRequired: { a: ["b"] } });
  expect(either({ a: 1, b: 2 })).toBeUndefined();
  expect(either({ a: 1 })).toMatch(/.+/);
});
