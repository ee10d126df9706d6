import { describe, expect, it } from "vitest";
import { canonicalJson } from "../../src/job/json.ts";

describe("canonical JSON", () => {
  it("is the same text whatever the order of the keys, at every depth", () => {
    const one = { b: [{ y: 1, x: 2 }], a: { d: null, c: "text" } };
    const two = { a: { c: "text", d: null }, b: [{ x: 2, y: 1 }] };
    expect(canonicalJson(one)).toBe('{"a":{"c":"text","d":null},"b":[{"x":2,"y":1}]}');
    expect(canonicalJson(two)).toBe(canonicalJson(one));
  });

  it("is another text for another value", () => {
    const values = [{}, [], { a: 1 }, { a: "1" }, { a: [1] }, { a: null }, null, 0, "0", false, "", [1, 2], [2, 1]];
    const texts = values.map(canonicalJson);
    expect(new Set(texts).size).toBe(values.length);
  });

  it("keeps the order of lists", () => {
    expect(canonicalJson([3, 1, 2])).toBe("[3,1,2]");
  });

  it("means the value that it was made of", () => {
    const value = { z: 1, "": 2, ä: 3, 10: 4, 9: 5, a: { b: [true, false, null, 1.5, -0.25, '\u2028 " \\ \n 🙂'] } };
    expect(JSON.parse(canonicalJson(value))).toEqual(value);
  });

  it("is the same for keys that look like numbers, and for a key that is called __proto__", () => {
    expect(canonicalJson({ 10: 1, 9: 2, b: 3, a: 4 })).toBe(canonicalJson({ a: 4, b: 3, 9: 2, 10: 1 }));
    const [one, two] = ['{"__proto__":{"b":1,"a":2},"a":1}', '{"a":1,"__proto__":{"a":2,"b":1}}'].map(
      (text) => JSON.parse(text) as unknown,
    );
    expect(canonicalJson(one)).toBe(canonicalJson(two));
    expect(canonicalJson(one)).toContain("__proto__");
  });

  it("leaves out what JSON does not have, as JSON does", () => {
    expect(canonicalJson({ b: undefined, a: new Date(0) })).toBe('{"a":"1970-01-01T00:00:00.000Z"}');
  });

  it("does not change the value", () => {
    const value = Object.freeze({ b: 1, a: Object.freeze({ d: 1, c: 2 }) });
    canonicalJson(value);
    expect(Object.keys(value)).toEqual(["b", "a"]);
  });
});
