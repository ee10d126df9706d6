import { expect, it } from "vitest";
import { findSimilar } from "../../src/job/similar.ts";

const known = ["command", "timeout_ms", "tags", "name", "read_only"];

it.each([
  ["comand", "command"],
  ["timeout", "timeout_ms"],
  ["readonly", "read_only"],
  ["tag", "tags"],
  ["nmae", "name"],
])("a misspelt %s is taken for %s", (word, meant) => {
  expect(findSimilar(word, known)).toBe(meant);
});

it.each(["colour", "x", "", "t".repeat(10_000)])("a word that is like none is taken for none: %j", (word) => {
  expect(findSimilar(word, known)).toBeUndefined();
});
