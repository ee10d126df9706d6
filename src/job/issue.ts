import type { z } from "zod";
import { LonghaulError } from "./error.ts";

/** Parses at a border: what does not fit is told in one sentence that names the field, what was expected and what came. */
export function parseInput<Schema extends z.ZodType>(schema: Schema, value: unknown, what: string): z.output<Schema> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [first] = parsed.error.issues;
  const path = first === undefined ? [] : first.path.map(String);
  const field = path.join(".");
  throw new LonghaulError("invalid_input", `${what} does not fit: ${describe(first, field, valueAt(value, path))}.`, {
    details: { field },
  });
}

function describe(issue: z.core.$ZodIssue | undefined, field: string, got: unknown): string {
  if (issue === undefined) return "it is not valid";
  if (issue.code === "unrecognized_keys") {
    const names = issue.keys.map((key) => (field === "" ? key : `${field}.${key}`));
    return `${names.join(", ")} ${names.length === 1 ? "is" : "are"} not known here`;
  }
  const subject = field === "" ? "it" : field;
  if (got === undefined) return `${subject} is missing (${expectation(issue)})`;
  return `${subject}: ${expectation(issue)}, got ${show(got)}`;
}

/** Zod's own sentence without its preamble and without the type that came: we show the value instead. */
function expectation(issue: z.core.$ZodIssue): string {
  if (issue.code === "invalid_union") {
    const choices = issue.errors.flatMap(([first]) => (first === undefined ? [] : [expectation(first)]));
    if (choices.length > 0) return [...new Set(choices)].join(", or ");
  }
  return issue.message.replace(/^Invalid (input|option|string): /, "").replace(/, received .*$/, "");
}

function valueAt(value: unknown, path: readonly string[]): unknown {
  let inner = value;
  for (const key of path) {
    if (typeof inner !== "object" || inner === null) return undefined;
    inner = (inner as Record<string, unknown>)[key];
  }
  return inner;
}

const longestShown = 60;

function show(value: unknown): string {
  const text = toText(value);
  return text.length > longestShown ? `${text.slice(0, longestShown)}…` : text;
}

function toText(value: unknown): string {
  if (typeof value === "number" || typeof value === "bigint") return String(value);
  try {
    return JSON.stringify(value) ?? typeof value;
  } catch {
    return `a value of type ${typeof value} that is no JSON`;
  }
}
