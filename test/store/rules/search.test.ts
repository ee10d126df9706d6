import { describe, expect, it } from "vitest";
import { toSearchableText, toSearchWords } from "../../../src/store/rules/search.ts";
import { refusal } from "../world.ts";
import { ended, queued } from "./stored-jobs.ts";

describe("what is searchable", () => {
  it("is a job's name, its input and why it failed", () => {
    expect(toSearchableText("nightly", '{"a":"b"}', ended("failed").job.state)).toEqual({
      name: "nightly",
      input: "a b",
      error: "broken it broke",
    });
    expect(toSearchableText(undefined, "{}", queued().job.state)).toEqual({ name: "", input: "", error: "" });
  });

  it("is an input with its escapes read as a person would: a line end is no letter", () => {
    const input = JSON.stringify({ text: "one\ntwo" }).replace("w", String.raw`\u0077`);
    expect(toSearchableText(undefined, input, queued().job.state).input).toBe("text one two");
  });

  it("is the beginning of a long text", () => {
    const { input } = toSearchableText(undefined, "x ".repeat(1_999) + "last lost", queued().job.state);
    expect(input).toBe("x la");
    expect(toSearchableText(undefined, "x".repeat(9_000), queued().job.state).input).toHaveLength(100);
  });
});

describe("the words of a search", () => {
  it("are letters and digits of any script, each once; the rest is punctuation", () => {
    expect(toSearchWords('foo-bar "foo" größe 42')).toEqual(["foo", "bar", "große", "42"]);
  });

  it.each([
    ["Übersetzung", "ubersetzung"],
    ["e\u0301cole", "ecole"],
    ["ΟΔΟΣ οδος", "οδοσ"],
    ["İstanbul", "istanbul"],
    ["ｆｕｌｌ", "full"],
    ["ﬁle", "file"],
    ["서울", "서울"],
    ["Заказ", "заказ"],
  ])("%s is the word %s, as it is in every store", (text, word) => {
    expect(toSearchWords(text)).toEqual([word]);
  });

  it("are no more than a search can afford", () => {
    expect(toSearchWords(Array.from({ length: 99 }, (_, index) => `w${index}`).join(" "))).toHaveLength(32);
  });

  it("are at least one: a text without any is refused", () => {
    expect(() => toSearchWords("?!")).toThrow(expect.objectContaining(refusal("invalid_input")));
  });
});
