import { LonghaulError } from "../../../job/error.ts";
import { isRecord } from "../../../job/is-record.ts";
import type { Json } from "../../../job/json.ts";

export type Fields = Readonly<Record<string, Json>>;

/** What turns one object into another, as RFC 7396 writes it: null takes a field away. */
export function mergePatch(before: Fields, after: Fields): Record<string, Json> {
  const changes: Record<string, Json> = {};
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const [one, other] = [before[name], after[name]];
    if (other === undefined) changes[name] = null;
    else if (JSON.stringify(one) === JSON.stringify(other)) continue;
    else changes[name] = isRecord(one) && isRecord(other) ? mergePatch(one, other) : other;
  }
  return changes;
}

/** `command=make`, or `env.NAME=value` for a field of a field. A text stays one; anything else is read as JSON. */
export function setField(input: Fields, pair: string): Fields {
  const at = pair.indexOf("=");
  if (at < 1) {
    throw new LonghaulError("invalid_input", `--set must be field=value, such as command="make test", got "${pair}".`);
  }
  return setAt(input, pair.slice(0, at).split("."), pair.slice(at + 1));
}

function setAt(input: Fields, [name = "", ...inner]: readonly string[], text: string): Fields {
  const before = input[name];
  if (inner.length > 0) return { ...input, [name]: setAt(isRecord(before) ? before : {}, inner, text) };
  return { ...input, [name]: typeof before === "string" ? text : readValue(text) };
}

function readValue(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}
