import { LonghaulError } from "../../job/error.ts";
import type { JobState } from "../../job/state.ts";

/** Text beyond this is not searchable: it keeps a huge input from filling the index. */
const indexedCharacters = 4_000;

/** What a search looks through. */
export interface SearchableText {
  readonly name: string;
  readonly input: string;
  readonly error: string;
}

/** `input` is the JSON text that may be shown. */
export function toSearchableText(name: string | undefined, input: string, state: JobState): SearchableText {
  const error = "failure" in state ? `${state.failure.code} ${state.failure.message}` : "";
  return {
    name: name ?? "",
    input: unescapeJson(input.slice(0, indexedCharacters)),
    error: error.slice(0, indexedCharacters),
  };
}

/** Each more makes a search slower, and few jobs are told apart by so many. */
const maxWords = 32;

/** What to find: every word must occur, each as a whole word or the beginning of one; the rest of the text is punctuation. */
export function toSearchWords(text: string): string[] {
  const words = new Set(text.match(/[\p{L}\p{N}]+/gu) ?? []);
  if (words.size > 0) return [...words].slice(0, maxWords);
  throw new LonghaulError("invalid_input", `The search text "${text}" has no letter or digit to look for.`);
}

/** The words of a JSON text as a person would read them: a line end is no letter. */
function unescapeJson(json: string): string {
  return json.replace(/\\(?:u([0-9a-f]{4})|.)/gi, (_escape, code: string | undefined) =>
    code === undefined ? " " : String.fromCharCode(Number.parseInt(code, 16)),
  );
}
