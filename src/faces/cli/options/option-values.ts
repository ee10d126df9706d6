import type { Json } from "../../../job/json.ts";
import { InvalidArgumentError } from "commander";
import { parseDuration } from "../../../text/parse-duration.ts";

/** Readers for the values of options; what does not fit is refused with what was expected. */
export function readDuration(text: string): number {
  const ms = parseDuration(text);
  if (ms === undefined || ms < 1) throw new InvalidArgumentError("Expected a time such as 30s, 10m or 1h30m.");
  return ms;
}

export function readWhole(least: number, max: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (/^-?\d+$/.test(text) && value >= least && value <= max) return value;
    throw new InvalidArgumentError(`Expected a whole number from ${least} to ${max}.`);
  };
}

export function readPositive(text: string): number {
  if (Number(text) > 0) return Number(text);
  throw new InvalidArgumentError("Expected a number above 0.");
}

/** For an option that may be given more than once. */
export function collect(text: string, before: readonly string[] | false | undefined): string[] {
  return [...(before || []), text];
}

/** What a text means where a form wants a value of this type; what it cannot mean stays a text, to be refused by name. */
export function toFieldValue(text: string, type: string | undefined): Json {
  if (type === "number" || type === "integer") return Number.isNaN(Number(text)) ? text : Number(text);
  if (type === "boolean") return /^(?:true|yes|y)$/.test(text) ? true : /^(?:false|no|n)$/.test(text) ? false : text;
  return type === "array" ? text.split(",") : text;
}
