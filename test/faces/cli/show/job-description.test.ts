import { describe, expect, it } from "vitest";
import type { AnswerOf } from "../../../../src/operations/registry.ts";
import { describeJob } from "../../../../src/faces/cli/show/job-description.ts";
import { createStyle } from "../../../../src/faces/cli/show/style.ts";

const job: AnswerOf<"job_get"> = {
  id: "01a1e263-9f16-7000-a85d-4471233395da",
  kind: "noop",
  state: "succeeded",
  owner: "local",
  attempt: 1,
  attempts: 1,
  created_at: "2026-01-01T00:00:00.000Z",
  progress: { percent: 93, phase: "report" },
  input: {},
};

function show(facts: Pick<AnswerOf<"job_get">, "result">): string[] {
  return describeJob({ ...job, ...facts }, "", createStyle(false)).split("\n");
}

describe("the result of a job", () => {
  it("stands on one line if it is short", () => {
    expect(show({ result: { pages: 3, title: "a\u001b[2J" } })).toContain(
      'result      {"pages":3,"title":"a\\u001b[2J"}',
    );
  });

  it("is laid out and cut if it is long", () => {
    const lines = show({ result: { pages: Array.from({ length: 50 }, (_, index) => `page ${index}`) } });
    const start = lines.indexOf("result      {");
    expect(lines.slice(start + 1, start + 3)).toEqual(['              "pages": [', '                "page 0",']);
    expect(lines.slice(start).filter((line) => line.includes("page")).length).toBe(19);
    expect(lines).toContain("            … 34 more lines: longhaul show 233395da --json");
  });
});

it("a job that succeeded is not shown as nearly done", () => {
  expect(show({}).join("\n")).not.toMatch(/93%|report/);
});
