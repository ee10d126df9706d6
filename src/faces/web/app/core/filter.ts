import type { InputOf } from "../../../../operations/registry.ts";
import type { JobView } from "../../../../operations/job-view.ts";

export type JobFilter = NonNullable<InputOf<"job_cancel">["filter"]>;

const states: readonly JobView["state"][] = [
  "queued",
  "running",
  "waiting",
  "succeeded",
  "failed",
  "timed_out",
  "cancelled",
];
const groups: Readonly<Record<string, readonly JobView["state"][]>> = {
  open: states.slice(0, 3),
  ended: states.slice(3),
  bad: ["failed", "timed_out"],
};

/** What can stand before a colon, and what comes after it. */
export const filterWords: Readonly<Record<string, string>> = {
  kind: "shell, crawl, …",
  state: [...states, ...Object.keys(groups)].join(", "),
  tag: "a tag",
  batch: "a batch",
  name: "a whole name",
  schedule: "a schedule",
  since: "2h, 3d or a date",
  before: "2h, 3d or a date",
};

const spans: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

export interface ReadFilter {
  readonly filter: JobFilter;
  /** What was not understood, in a sentence that says what would have been. */
  readonly problem?: string;
}

/** `kind:shell state:failed since:2h words…` as the server takes it. */
export function readFilter(text: string, at = Date.now()): ReadFilter {
  const filter: Record<string, unknown> = {};
  const words: string[] = [];
  for (const [word, name, quoted, plain] of text.matchAll(/(?:([a-z]+):)?(?:"([^"]*)"|(\S+))/gi)) {
    const value = quoted ?? plain ?? "";
    if (name === undefined) words.push(value);
    else {
      const problem = addWord(filter, name, value, at);
      if (problem !== undefined) return { filter, problem: `“${word}” is not understood: ${problem}` };
    }
  }
  if (words.length > 0) filter["text"] = words.join(" ");
  return { filter };
}

function addWord(filter: Record<string, unknown>, name: string, value: string, at: number): string | undefined {
  if (filterWords[name] === undefined) return `before a colon stands one of ${Object.keys(filterWords).join(", ")}.`;
  if (name === "state") {
    const wanted = value.split(",").flatMap((word) => groups[word] ?? states.find((state) => state === word) ?? []);
    if (wanted.length === 0 || wanted.length < value.split(",").length)
      return `a state is one of ${filterWords["state"] ?? ""}.`;
    filter["state"] = wanted;
  } else if (name === "since" || name === "before") {
    const time = readTime(value, at);
    if (time === undefined) return "a time is 30m, 2h, 3d, or a date such as 2026-01-31.";
    filter[name === "since" ? "created_from" : "created_before"] = new Date(time).toISOString();
  } else filter[name] = value;
  return undefined;
}

function readTime(text: string, at: number): number | undefined {
  const [, count, unit = ""] = /^(\d{1,5})([smhdw])$/.exec(text) ?? [];
  if (count !== undefined) return at - Number(count) * (spans[unit] ?? 0);
  const time = Date.parse(text);
  return Number.isNaN(time) ? undefined : time;
}

/** A word of the filter, in quotes where it has spaces. */
export function filterWord(name: string, value: string): string {
  return `${name}:${/[\s"]/.test(value) ? `"${value.replaceAll('"', "")}"` : value}`;
}
