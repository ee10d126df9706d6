import type { Json } from "./json.ts";
import type { Kind } from "./kind.ts";

const longestSummary = 200;

/** What a job runs, in a few words, as its kind tells it. An input that an older version stored may be none for it. */
export function summarise(input: Json, kind: Pick<Kind, "summaryOf"> | undefined): string | undefined {
  try {
    const text = kind?.summaryOf(input);
    return text === undefined || text.length <= longestSummary ? text : `${text.slice(0, longestSummary)}…`;
  } catch {
    return undefined;
  }
}
