import { describe, expect, it } from "vitest";
import type { Json } from "../../../src/job/json.ts";
import { readShape } from "../../../src/kinds/crawl/parse/data-shape.ts";
import { fillShape, judgeData } from "../../../src/kinds/crawl/parse/fill-shape.ts";

function find(schema: Json, ...sources: Json[]): unknown {
  const shape = readShape(schema);
  return judgeData(fillShape(shape, sources) ?? null, shape);
}

const one = (schema: Json): Json => ({ type: "object", properties: { value: schema } });

describe("data by a schema", () => {
  it.each<[name: string, schema: Json, fitting: Json, other: Json]>([
    ["enum", { enum: ["new", "used"] }, "used", "broken"],
    ["enum of numbers", { enum: [1, 2, null] }, 2, 3],
    ["const", { const: "EUR" }, "EUR", "USD"],
    ["pattern", { type: "string", pattern: "^[A-Z]{2}-\\d+$" }, "AB-12", "AB-x"],
    ["minLength", { type: "string", minLength: 3 }, "abc", "ab"],
    ["maxLength", { type: "string", maxLength: 3 }, "abc", "abcd"],
    ["minimum", { type: "number", minimum: 2 }, 2, 1.9],
    ["maximum", { type: "number", maximum: 2 }, 2, 2.1],
    ["exclusiveMinimum", { type: "number", exclusiveMinimum: 0 }, 1, 0],
    ["multipleOf", { type: "number", multipleOf: 5 }, 10, 12],
    ["integer", { type: "integer" }, 10, 12.5],
    ["minItems", { type: "array", items: { type: "string" }, minItems: 2 }, ["a", "b"], ["a"]],
    ["uniqueItems", { type: "array", uniqueItems: true }, ["a", "b"], ["a", "a"]],
    ["null or", { anyOf: [{ type: "number", minimum: 1 }, { type: "null" }] }, 1, 0],
    ["types", { type: ["integer", "null"] }, 1, "one"],
    ["additionalProperties", { type: "object", additionalProperties: { type: "number" } }, { a: 1 }, { a: "x" }],
    ["required in a part", { properties: { a: "string", b: "string" }, required: ["b"] }, { b: "x" }, { a: "x" }],
    ["pattern of items in a part", one({ items: { type: "string", pattern: "^x" } }), { value: ["x"] }, { value: 5 }],
  ])("takes what fits and nothing else: %s", (_name, schema, fitting, other) => {
    expect(find(one(schema), { value: fitting })).toEqual({ data: { value: fitting } });
    expect(find(one(schema), { value: other })).toEqual({ data: {}, missing: ["value"] });
    // Another source may know better.
    expect(find(one(schema), { value: other }, { value: fitting })).toEqual({ data: { value: fitting } });
  });

  it("keeps of a list what fits, and says when what is required was not found", () => {
    const schema = { type: "object", properties: { name: "string", price: "number" }, required: ["name"] };
    expect(find({ type: "array", items: { type: "integer", maximum: 3 } }, [1, "2", 3.5, 4])).toEqual({ data: [1, 2] });
    expect(find(schema, { price: "12 €" })).toEqual({ data: { price: 12 }, missing: ["name"], is_valid: false });
    expect(find(schema, { name: "Lamp" })).toEqual({ data: { name: "Lamp" }, missing: ["price"] });
  });

  it("passes over what only annotates, and refuses what it does not check, with its place", () => {
    const annotated = { $schema: "x", title: "T", type: "string", format: "email", default: "d", examples: [1] };
    expect(readShape(annotated)).toMatchObject({ kind: "string", schema: { type: "string" } });
    const refused: [Json, string][] = [
      [{ type: "object", patternProperties: {} }, "patternProperties is not a field of the schema at schema"],
      [one({ $ref: "#/$defs/a" }), "$ref is not a field of the schema at schema.value"],
      [one({ type: "number", minimum: "2" }), "The schema at schema.value: minimum must be a number"],
      [one({ type: "text" }), "The schema at schema.value: type must be one of"],
      [one({ anyOf: [{ type: "string" }, { type: "number" }] }), "schema.value.anyOf must have one schema"],
      [one({ type: "string", pattern: "(?=a)" }), "not a regular expression that RE2 takes"],
      [one({ type: "array", items: [{ type: "string" }] }), "schema.value[] must be a schema or a type"],
      [
        { a: { b: ["nonsense"] } },
        'schema.a.b[] must be one of string, number, integer, boolean, any, array or object, got "nonsense"',
      ],
      [5, "schema must be an object"],
      [{ a: "x".repeat(20_000) }, "at most 20000 characters"],
      [JSON.parse(`${'{"a":'.repeat(50)}"string"${"}".repeat(50)}`) as Json, "must have at most 8 levels"],
      [one(JSON.parse(`${'{"additionalProperties":'.repeat(50)}true${"}".repeat(50)}`) as Json), "at most 10 levels"],
    ];
    for (const [schema, sentence] of refused) expect(() => readShape(schema)).toThrow(sentence);
  });

  it("runs a pattern in time that grows with the text alone", () => {
    const text = `${"a".repeat(50_000)}!`;
    expect(find(one({ type: "string", pattern: "^(a+)+$" }), { value: text })).toEqual({
      data: {},
      missing: ["value"],
    });
  });

  it("tells a short form from a JSON Schema by all of its words", () => {
    expect(readShape({ type: "string", size: "number" })).toMatchObject({
      kind: "object",
      fields: { type: {}, size: {} },
    });
    expect(readShape({ type: "string", maxLength: 3 })).toMatchObject({ kind: "string" });
    expect(readShape({ enum: ["a", "b"] })).toMatchObject({ kind: "string" });
    expect(readShape(["number"])).toMatchObject({ kind: "array", item: { kind: "number" } });
    expect(readShape({ a: "array", b: "object", c: "any" })).toMatchObject({
      fields: { a: { kind: "array" }, b: { kind: "any" }, c: { kind: "any" } },
    });
  });
});
