import { LonghaulError } from "../job/error.ts";
import { jobStatuses, type JobStatus } from "../job/state.ts";
import { parseDuration } from "../text/parse-duration.ts";
import type { FilterInput } from "./filter.ts";

interface Word {
  /** As it was written. */
  readonly text: string;
  /** What stands before the colon. */
  readonly name?: string;
  readonly value: string;
}

type Field = (value: string, word: Word) => Partial<FilterInput>;

const others: Readonly<Record<string, readonly JobStatus[]>> = {
  active: ["queued", "running", "waiting"],
  finished: ["succeeded", "failed", "timed_out", "cancelled"],
};

/**
 * A filter as one text: `state:failed kind:shell,page tag:ci since:2h words to find`. Commas stand for "or"; a tag that is named again must be
 * there too; quotes keep spaces and colons.
 */
export function parseFilterText(text: string, now: number): FilterInput {
  const filter: Record<string, unknown> = {};
  const words: string[] = [];
  for (const word of splitWords(text)) {
    if (word.name === undefined) words.push(word.value);
    else add(filter, readField(word, now), word);
  }
  return words.length === 0 ? filter : { ...filter, text: words.join(" ") };
}

function add(filter: Record<string, unknown>, given: Partial<FilterInput>, { text }: Word): void {
  for (const [name, value] of Object.entries(given)) {
    const before = filter[name];
    if (before !== undefined && name !== "tag") {
      throw misunderstood(text, `${name} is given twice; several values go into one word, with commas between them`);
    }
    filter[name] = Array.isArray(before) ? [...(before as string[]), ...(value as string[])] : value;
  }
}

function readField(word: Word, now: number): Partial<FilterInput> {
  const known = fieldsAt(now);
  const field = Object.hasOwn(known, word.name ?? "") ? known[word.name ?? ""] : undefined;
  if (field === undefined) {
    throw misunderstood(word.text, `there is no "${word.name ?? ""}:"; put the word in quotes to search for it`);
  }
  if (word.value === "") throw misunderstood(word.text, "nothing stands after the colon");
  return field(word.value, word);
}

/** What a filter's words may begin with. */
export const filterWords = [
  "state",
  "kind",
  "tag",
  "batch",
  "schedule",
  "owner",
  "parent",
  "name",
  "since",
  "before",
  "ended",
  "ended-before",
] as const;

function fieldsAt(now: number): Readonly<Record<string, Field>> {
  const fields: Record<(typeof filterWords)[number], Field> = {
    state: readState,
    kind: (value) => ({ kind: value.split(",") }),
    tag: (value) => ({ tag: [value] }),
    batch: (batch) => ({ batch }),
    schedule: (schedule) => ({ schedule }),
    owner: (owner) => ({ owner }),
    parent: (parent) => ({ parent }),
    name: (name) => ({ name }),
    since: (value, word) => ({ created_from: readTime(value, word, now) }),
    before: (value, word) => ({ created_before: readTime(value, word, now) }),
    ended: (value, word) => ({ finished_from: readTime(value, word, now) }),
    "ended-before": (value, word) => ({ finished_before: readTime(value, word, now) }),
  };
  return { ...fields, status: readState };
}

function readState(value: string, { text }: Word): Partial<FilterInput> {
  const states = value.split(",").flatMap((name) => {
    const wanted = name.toLowerCase().replace("-", "_");
    if (Object.hasOwn(others, wanted)) return others[wanted] ?? [];
    const state = jobStatuses.find((known) => known === wanted);
    if (state !== undefined) return [state];
    throw misunderstood(text, `"${name}" is no state (${[...jobStatuses, ...Object.keys(others)].join(", ")})`);
  });
  return { state: states };
}

/** A point in time, or how long ago it was: 2026-03-01, 2026-03-01T12:00:00Z, 90s, 2h, 7d. */
function readTime(value: string, { text }: Word, now: number): string {
  const agoMs = parseDuration(value);
  if (agoMs !== undefined) return new Date(Math.max(0, now - agoMs)).toISOString();
  const at = /^\d{4}-\d\d-\d\d/.test(value) ? Date.parse(value) : Number.NaN;
  if (!Number.isNaN(at)) return new Date(at).toISOString();
  throw misunderstood(text, `"${value}" is no time (2h, 7d, 2026-03-01 or 2026-03-01T12:00:00Z)`);
}

const wordPattern = /(?:([A-Za-z][\w-]*):)?(?:"([^"]*)"|([^\s"]*))/y;

function splitWords(text: string): Word[] {
  const words: Word[] = [];
  for (let at = 0; at < text.length;) {
    if (/\s/.test(text[at] ?? "")) {
      at += 1;
      continue;
    }
    wordPattern.lastIndex = at;
    const [found = "", name, quoted, plain = ""] = wordPattern.exec(text) ?? [];
    if (found === "") throw misunderstood(text.slice(at), "a quotation mark is missing");
    words.push({ text: found, value: quoted ?? plain, ...(name === undefined ? {} : { name: name.toLowerCase() }) });
    at += found.length;
  }
  return words;
}

function misunderstood(word: string, why: string): LonghaulError {
  const shown = word.length > 100 ? `${word.slice(0, 100)}…` : word;
  const known = filterWords.map((name) => `${name}:`);
  return new LonghaulError(
    "invalid_input",
    `The filter's word ${JSON.stringify(shown)} is not understood: ${why}. It knows ${known.join(" ")} and words to find.`,
    { details: { field: "q", word: shown, known: known.join(" ") } },
  );
}
