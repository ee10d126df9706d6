import { describe, expect, it } from "vitest";
import { toSearchableText, toSearchWords } from "../../../src/store/rules/search.ts";
import { refusal } from "../world.ts";
import { ended, queued } from "./stored-jobs.ts";

describe("what is searchable", () => {
  it("is a job's name, its input and why it failed", () => {
    expect(toSearchableText("nightly", '{"a":"b"}', ended("failed").job.state)).toEqual({
      name: "nightly",
      input: '{"a":"b"}',
      error: "broken It broke.",
    });
    expect(toSearchableText(undefined, "{}", queued().job.state)).toEqual({ name: "", input: "{}", error: "" });
  });

  it("is an input with its escapes read as a person would: a line end is no letter", () => {
    const input = JSON.stringify({ text: "one\ntwo" }).replace("w", String.raw`\u0077`);
    expect(toSearchableText(undefined, input, queued().job.state).input).toBe('{"text":"one two"}');
  });

  it("is the beginning of a long text", () => {
    expect(toSearchableText(undefined, "x".repeat(9_000), queued().job.state).input).toHaveLength(4_000);
  });
});

describe("the words of a search", () => {
  it("are letters and digits of any script, each once; the rest is punctuation", () => {
    expect(toSearchWords('foo-bar "foo" größe 42')).toEqual(["foo", "bar", "größe", "42"]);
  });

  it("are no more than a search can afford", () => {
    expect(toSearchWords(Array.from({ length: 99 }, (_, index) => `w${index}`).join(" "))).toHaveLength(32);
  });

  it("are at least one: a text without any is refused", () => {
    expect(() => toSearchWords("?!")).toThrow(expect.objectContaining(refusal("invalid_input")));
  });
});
