import { expect, it } from "vitest";
import { toHintedSchema, toJsonSchema } from "../../src/text/short-schema.ts";

it("what names no type describes the value that is wanted, for callers who may say it so", () => {
  const schema = { name: "string", price: "price in EUR", tags: ["a word"], maker: { since: "year" } };
  expect(toHintedSchema(schema)).toEqual({
    type: "object",
    properties: {
      name: { type: "string" },
      price: { description: "price in EUR" },
      tags: { type: "array", items: { description: "a word" } },
      maker: { type: "object", properties: { since: { description: "year" } } },
    },
  });
  expect(() => toJsonSchema(schema)).toThrow(
    'schema.price must be one of string, number, integer, boolean, any, array or object, got "price in EUR".',
  );
  expect(() => toHintedSchema({ name: 5 })).toThrow("schema.name must be an object, a type or a list of one type.");
});
