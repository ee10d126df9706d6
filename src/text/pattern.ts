import { createRequire } from "node:module";
import type * as Re2Module from "re2js";
import { LonghaulError } from "../job/error.ts";
import { messageOf } from "../job/failure.ts";

type Re2 = typeof Re2Module;

const require = createRequire(import.meta.url);

/** Instructions of a compiled pattern: each may be looked at for each character of a text. */
export const maxProgramSize = 2_000;
/** Instructions times characters, for one text that is tested where everything else waits: some 20 ms. */
const maxSteps = 1_000_000;

export interface CompiledPattern {
  readonly programSize: number;
  readonly test: (text: string) => boolean;
}

/**
 * RE2, because a pattern comes from a caller and must not be able to hang the server. Its time is proportional to the pattern and the text,
 * which is still too long for much of both: see `createPatternPool`.
 */
export function compileProgram(pattern: string): CompiledPattern {
  // Before it is compiled, which takes time in proportion too.
  if (pattern.length > maxProgramSize || estimateSize(pattern) > maxProgramSize) throw tooBig(pattern);
  try {
    // Loaded with the first pattern: it is large, and most programs that open an engine never use one.
    const { RE2JS } = require("re2js") as Re2;
    const compiled = RE2JS.compile(pattern);
    return { programSize: compiled.programSize(), test: (text) => compiled.matcher(text).find() };
  } catch (error) {
    throw new LonghaulError(
      "invalid_input",
      `"${pattern}" is not a regular expression that RE2 takes (no look-around, no back-references): ${messageOf(error)}.`,
      { cause: error },
    );
  }
}

/** For short texts such as paths and addresses; one that would take long is refused. */
export function compilePattern(pattern: string): (text: string) => boolean {
  const { programSize, test } = compileProgram(pattern);
  return (text) => {
    if (programSize * text.length <= maxSteps) return test(text);
    throw new LonghaulError(
      "invalid_input",
      `A text of ${text.length} characters is too long for the pattern ${showPattern(pattern)}.`,
    );
  };
}

function tooBig(pattern: string): LonghaulError {
  return new LonghaulError("invalid_input", `The pattern ${showPattern(pattern)} is too big: repeat less in it.`);
}

export function showPattern(pattern: string): string {
  return JSON.stringify(pattern.length > 60 ? `${pattern.slice(0, 60)}…` : pattern);
}

/** How many instructions a pattern becomes, roughly: each character is one, and what is counted is repeated so often. */
export function estimateSize(pattern: string): number {
  const groups: number[] = [0];
  let atom = 0;
  for (const [token, count] of pattern.matchAll(tokens)) {
    if (token === "(") {
      groups.push(0);
    } else if (token === ")" && groups.length > 1) {
      atom = (groups.pop() ?? 0) + 1;
      groups.push((groups.pop() ?? 0) + atom);
    } else if (count === undefined) {
      atom = 1;
      groups.push((groups.pop() ?? 0) + atom);
    } else {
      groups.push((groups.pop() ?? 0) + atom * (Number(count) - 1));
      atom *= Number(count);
    }
  }
  return groups.reduce((sum, size) => sum + size, 0);
}

/** A class, an escape, a count (its higher number is kept), or any other character. */
const tokens = /\[\^?\]?(?:\\[^]|[^\]\\])*\]|\\[^]|\{(?:\d*,)?(\d+),?\}|[^]/g;
