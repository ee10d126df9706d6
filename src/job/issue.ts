import type { z } from "zod";
import { LonghaulError } from "./error.ts";
import { hasLength, toPredicate, toProblem } from "./issue-words.ts";

/**
 * Parses at a border. What is refused is told in one sentence that begins with the field: `name must not be empty.`
 * `what` is the verb that takes the input (`run_command`), or a noun for all of it (`The answer`).
 */
export function parseInput<Schema extends z.ZodType>(schema: Schema, value: unknown, what: string): z.output<Schema> {
  return parse(schema, value, what, "");
}

/** As `parseInput`, where a field's name does not tell what it belongs to: `The input of kind "shell": argv[0] must …` */
export function parseInputIn<Schema extends z.ZodType>(schema: Schema, value: unknown, what: string): z.output<Schema> {
  return parse(schema, value, what, `${toWhole(what)}: `);
}

function parse<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  what: string,
  place: string,
): z.output<Schema> {
  // What fits is not asked for words: they cost time.
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [first] = schema.safeParse(value, { error: (issue) => toProblem(issue, what) }).error?.issues ?? [];
  const issue = first && findNearest(first);
  const path = issue?.path.map(String) ?? [];
  if (issue?.code === "unrecognized_keys") {
    const fields = issue.keys.map((key) => [...path, key].join("."));
    throw refuse(fields.map(showPath).join(", "), issue.message, fields[0]);
  }
  const field = path.join(".");
  throw refuse(
    field === "" ? toWhole(what) : `${place}${showPath(field)}`,
    describe(issue, valueAt(value, path)),
    field,
  );
}

/** A field as people write it: `urls[0]` for `urls.0`. */
export function showPath(field: string): string {
  return field.replace(/\.(\d+)(?=\.|$)/g, "[$1]");
}

function refuse(subject: string, problem: string, field = ""): LonghaulError {
  return new LonghaulError("invalid_input", `${subject} ${problem}.`, { details: { field } });
}

function toWhole(what: string): string {
  return what.startsWith("The ") ? what : `The input of ${what}`;
}

type Issue = z.core.$ZodIssue;

/** Of a value that may have several forms, what keeps it from the one that it nearly has. */
function findNearest(issue: Issue): Issue {
  if (issue.code !== "invalid_union") return issue;
  const nearly = issue.errors.filter(([first]) => first !== undefined && !isOfOtherForm(first));
  const [first] = nearly.toSorted((one, other) => one.length - other.length)[0] ?? [];
  return first === undefined ? issue : findNearest({ ...first, path: [...issue.path, ...first.path] });
}

function isOfOtherForm({ code, path }: Issue): boolean {
  return path.length === 0 && (code === "invalid_type" || code === "invalid_value");
}

function describe(issue: Issue | undefined, value: unknown): string {
  if (issue === undefined) return "is not valid";
  const problem = toPredicate(issue.message);
  if (issue.code === "invalid_key") return problem;
  if (value === undefined) return `is missing: it ${problem}`;
  // Nobody needs to be shown a whole object to know which of its fields exclude each other.
  const isWhole = issue.path.length === 0 && issue.code === "custom";
  return isWhole || hasLength(issue) ? problem : `${problem}, got ${show(value)}`;
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
    return `a value of type ${typeof value} that is not JSON`;
  }
}
