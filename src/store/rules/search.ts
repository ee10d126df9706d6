import { LonghaulError } from "../../job/error.ts";
import type { JobState } from "../../job/state.ts";

/** Text beyond this is not searchable: it keeps a huge input from filling the index. */
const indexedCharacters = 4_000;

/** Postgres keeps no word of more than 2,046 bytes, and nobody types so long a one. */
const maxWordCharacters = 100;

/** What a search looks through: words as `toWords` makes them, with spaces between. */
export interface SearchableText {
  readonly name: string;
  readonly input: string;
  readonly error: string;
}

/** `input` is the JSON text that may be shown. */
export function toSearchableText(name: string | undefined, input: string, state: JobState): SearchableText {
  const error = "failure" in state ? `${state.failure.code} ${state.failure.message}` : "";
  return {
    name: toWords(name ?? "").join(" "),
    input: toWords(unescapeJson(input.slice(0, indexedCharacters))).join(" "),
    error: toWords(error.slice(0, indexedCharacters)).join(" "),
  };
}

/**
 * The words of a text as every store compares them, each once: letters and digits of any script, without case, accents and ways of writing
 * the same letter. Indexes have ideas of their own about that, which differ.
 */
export function toWords(text: string): string[] {
  const plain = text
    .toLowerCase()
    .normalize("NFKD")
    .replace(/[\u0300-\u036f]/g, "")
    .replaceAll("ς", "σ")
    .normalize("NFKC");
  return [...new Set((plain.match(/[\p{L}\p{N}]+/gu) ?? []).map(cutWord))];
}

function cutWord(word: string): string {
  return word.length <= maxWordCharacters ? word : Array.from(word).slice(0, maxWordCharacters).join("");
}

/** Each more makes a search slower, and few jobs are told apart by so many. */
const maxWords = 32;

/** What to find: every word must occur, each as a whole word or the beginning of one; the rest of the text is punctuation. */
export function toSearchWords(text: string): string[] {
  const words = toWords(text);
  if (words.length > 0) return words.slice(0, maxWords);
  throw new LonghaulError("invalid_input", `The search text "${text}" has no letter or digit to look for.`);
}

/** The words of a JSON text as a person would read them: a line end is no letter. */
function unescapeJson(json: string): string {
  return json.replace(/\\(?:u([0-9a-f]{4})|.)/gi, (_escape, code: string | undefined) =>
    code === undefined ? " " : String.fromCharCode(Number.parseInt(code, 16)),
  );
}
