import { LonghaulError } from "../job/error.ts";
import { messageOf } from "../job/failure.ts";
import type { Json } from "../job/json.ts";

/** Deeper than anything that is meant: what walks through a value by recursion can do so. */
const maxDepth = 200;
/** Numbers and texts count one, what holds them more: so much is parsed in a few hundredths of a second, and then looked through again. */
const maxWeight = 200_000;

/** Parses JSON of others; what is no JSON, is nested too deep or has too many values is refused before it costs much. */
export function parseJson(text: string, what: string): unknown {
  checkShape(text, what);
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new LonghaulError("invalid_input", `${what} is not JSON: ${messageOf(error)}.`, { cause: error });
  }
}

/** Undefined for what is no JSON. */
export function tryParseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

/** Ends as soon as it has seen too much. */
function checkShape(text: string, what: string): void {
  let depth = 0;
  let weight = 0;
  for (let place = 0; place < text.length; place++) {
    const code = text.charCodeAt(place);
    if (code === 0x22) place = endOfText(text, place);
    else if (code === 0x2c) weight += 1;
    else if (code === 0x3a) weight += 3;
    else if (code === 0x5d || code === 0x7d) depth -= 1;
    else if (code === 0x5b || code === 0x7b) {
      weight += 4;
      depth += 1;
    }
    if (depth > maxDepth) {
      throw new LonghaulError("invalid_input", `${what} is nested more than ${maxDepth} levels deep.`);
    }
    if (weight > maxWeight) {
      const message = `${what} has too many values: pass large data by reference (a path or a URL).`;
      throw new LonghaulError("too_large", message);
    }
  }
}

/** Where the quoted text that begins here ends. */
function endOfText(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end !== -1 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end === -1 ? text.length : end;
}

function isEscaped(text: string, place: number): boolean {
  let start = place;
  while (text.charCodeAt(start - 1) === 0x5c) start -= 1;
  return (place - start) % 2 === 1;
}
