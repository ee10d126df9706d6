import { InvalidArgumentError } from "commander";
import { parseDuration } from "./duration.ts";

/** Readers for the values of options; what does not fit is refused with what was expected. */
export function readDuration(text: string): number {
  const ms = parseDuration(text);
  if (ms === undefined || ms < 1) throw new InvalidArgumentError("Expected a time such as 30s, 10m or 1h30m.");
  return ms;
}

export function readWhole(least: number, most: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (/^-?\d+$/.test(text) && value >= least && value <= most) return value;
    throw new InvalidArgumentError(`Expected a whole number from ${least} to ${most}.`);
  };
}

/** For an option that may be given more than once. */
export function collect(text: string, before: readonly string[] | undefined): string[] {
  return [...(before ?? []), text];
}
