import { z } from "zod";
import { assertNever } from "./error.ts";
import { findSimilar } from "./similar.ts";

/** What is wrong with a value, in the words that follow its name: `must not be empty`. */
export function toProblem(issue: z.core.$ZodRawIssue, what: string): string {
  switch (issue.code) {
    case "invalid_type":
      return `must be ${typeNames[issue.expected] ?? issue.expected}`;
    case "invalid_value":
      return `must be ${listChoices(issue.values)}`;
    case "too_small":
      return toLimit(issue, issue.minimum, issue.inclusive === false ? "more than" : "at least");
    case "too_big":
      return toLimit(issue, issue.maximum, issue.inclusive === false ? "less than" : "at most");
    case "invalid_format":
      return toFormat(issue);
    case "not_multiple_of":
      return `must be a multiple of ${issue.divisor}`;
    case "unrecognized_keys":
      return `${issue.keys.length === 1 ? "is not a field" : "are not fields"} of ${what.replace(/^The /, "the ")}${suggest(issue)}`;
    case "invalid_union":
      return toForms(issue);
    case "invalid_key":
      return `is not a valid name: it ${issue.issues.map(({ message }) => toPredicate(message)).join(" and ")}`;
    case "invalid_element":
    case "custom":
      return "is not valid";
    default:
      return assertNever(issue);
  }
}

/** A schema's own words may name only what it expects. */
export function toPredicate(message: string): string {
  return message.replace(/^expected /, "must be ");
}

const typeNames: Readonly<Record<string, string>> = {
  string: "a string",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  tuple: "a list",
  object: "an object",
  record: "an object",
  nonoptional: "given",
};
const lengthUnits: Readonly<Record<string, string>> = { string: "character", array: "item" };
const formatNames: Readonly<Record<string, string>> = { url: "a URL", uuid: "a UUID", datetime: "an ISO 8601 time" };

function listChoices(values: readonly unknown[]): string {
  return values.length === 1 ? JSON.stringify(values[0]) : `one of ${values.map(String).join(", ")}`;
}

type Limit = Pick<z.core.$ZodIssueTooSmall, "origin" | "exact"> & { readonly code: "too_small" | "too_big" };

function toLimit({ code, origin, exact }: Limit, limit: number | bigint, comparison: string): string {
  const unit = lengthUnits[origin];
  if (unit === undefined) return `must be ${comparison} ${limit}`;
  if (code === "too_small" && Number(limit) === 1) return "must not be empty";
  return `must have ${exact === true ? "exactly" : comparison} ${limit} ${unit}${Number(limit) === 1 ? "" : "s"}`;
}

/** Whether it is of a length, which needs no value to be understood. */
export function hasLength(issue: z.core.$ZodIssue): boolean {
  return (issue.code === "too_small" || issue.code === "too_big") && issue.origin in lengthUnits;
}

function toFormat({ format, pattern, prefix }: { format: string; pattern?: string; prefix?: unknown }): string {
  if (format === "starts_with") return `must begin with ${JSON.stringify(prefix)}`;
  if (format === "regex") return `must match ${pattern}`;
  return `must be ${formatNames[format] ?? `in the format ${format}`}`;
}

/** `must be a number or "auto"`: the forms that a value may have, of which it has none. */
function toForms({ errors, options }: Pick<z.core.$ZodIssueInvalidUnion, "errors"> & { options?: unknown }): string {
  if (Array.isArray(options)) return `must be ${listChoices(options)}`;
  const forms = errors.flatMap(([first]) =>
    first === undefined ? [] : toPredicate(first.message).replace(/^must be /, ""),
  );
  return forms.length === 0 ? "must have one form only" : `must be ${[...new Set(forms)].join(" or ")}`;
}

function suggest({ keys: [key = ""], inst }: { keys: readonly string[]; inst?: unknown }): string {
  const similar = inst instanceof z.ZodObject ? findSimilar(key, Object.keys(inst.shape)) : undefined;
  return similar === undefined ? "" : ` (did you mean ${similar}?)`;
}
