import { describe, expect, it } from "vitest";
import { checkAnswer, type Answer, type Question } from "../../src/job/question.ts";

const question: Question = {
  message: "Deploy?",
  form: {
    type: "object",
    properties: {
      branch: { type: "string", enum: ["main", "next"] },
      note: { type: "string" },
      share: { type: "number" },
      count: { type: "integer" },
      force: { type: "boolean" },
      hosts: { type: "array" },
    },
    required: ["branch"],
  },
};

const accept = (content: Extract<Answer, { action: "accept" }>["content"]): Answer => ({ action: "accept", content });
const answering = (content: Parameters<typeof accept>[0]) => (): void => checkAnswer(question, accept(content));

describe("checking an answer", () => {
  it("an answer that fits its form is taken", () => {
    expect(answering({ branch: "main" })).not.toThrow();
    expect(
      answering({ branch: "next", note: "", share: 0.5, count: 3, force: false, hosts: ["a", "b"] }),
    ).not.toThrow();
  });

  it("declining and cancelling are always allowed", () => {
    expect(() => checkAnswer(question, { action: "decline" })).not.toThrow();
    expect(() => checkAnswer(question, { action: "cancel" })).not.toThrow();
  });

  it("a question without a form takes any answer", () => {
    expect(() => checkAnswer({ message: "Well?" }, accept({ anything: [1, { goes: null }] }))).not.toThrow();
  });

  it.each([
    [{}, "branch", 'field "branch" is required'],
    [{ branch: "other" }, "branch", 'field "branch" must be one of main, next, got "other"'],
    [{ branch: ["main"] }, "branch", "must be one of main, next"],
    [{ branch: "main", note: 5 }, "note", 'field "note" must be a string, got 5'],
    [{ branch: "main", share: "half" }, "share", 'field "share" must be a number, got "half"'],
    [{ branch: "main", count: 1.5 }, "count", 'field "count" must be a whole number, got 1.5'],
    [{ branch: "main", count: "3" }, "count", "must be a whole number"],
    [{ branch: "main", force: "yes" }, "force", 'field "force" must be a boolean, got "yes"'],
    [{ branch: "main", hosts: "a,b" }, "hosts", 'field "hosts" must be a list, got "a,b"'],
    [{ branch: "main", note: null }, "note", 'field "note" must be a string, got null'],
    [{ branch: "main", typo: 1 }, "typo", 'field "typo" is not asked for: the fields are branch, note, share'],
  ])("the answer %j is refused in a sentence that names the field", (content, field, sentence) => {
    expect(answering(content)).toThrow(
      expect.objectContaining({
        name: "LonghaulError",
        code: "invalid_input",
        message: expect.stringContaining(sentence) as string,
        details: { field },
      }) as Error,
    );
  });

  it("names that every object has are fields like any other", () => {
    const tricky: Question = {
      message: "Which?",
      form: { type: "object", properties: { constructor: { type: "string" as const } }, required: ["constructor"] },
    };
    expect(() => checkAnswer(tricky, accept({}))).toThrow('"constructor" is required');
    expect(() => checkAnswer(question, accept({ branch: "main", toString: "x" }))).toThrow("is not asked for");
  });
});
