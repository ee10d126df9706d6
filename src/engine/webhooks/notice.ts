import { assertNever } from "../../job/error.ts";
import type { JobEvent } from "../../job/event.ts";
import type { Job } from "../../job/job.ts";
import type { Json } from "../../job/json.ts";
import { elapsedMs } from "../../job/elapsed.ts";
import type { Kind } from "../../job/kind.ts";
import { exitCodeOf, isTerminal } from "../../job/state.ts";
import { summarise } from "../../job/summarise.ts";
import { escapeControls, stripControls } from "../../text/controls.ts";
import type { DeliveryClaim } from "../../store/delivery.ts";
import type { Store } from "../../store/store.ts";

/** What people are told, before it is put into the form of a service. */
export interface Notice {
  /** All of it, on one line. */
  readonly text: string;
  /** What it is about. */
  readonly title: string;
  /** Somebody may have to do something. */
  readonly isUrgent: boolean;
  /** For programs. */
  readonly facts: { readonly type: string } & Readonly<Record<string, Json>>;
}

export interface NoticeParts {
  readonly store: Pick<Store, "read" | "payload">;
  readonly kinds: ReadonlyMap<string, Kind>;
  readonly redact?: (text: string) => string;
}

const longestLabel = 60;
const longestDetail = 300;

/** Says in one line what an event means for whoever waits for the job. */
export async function writeNotice(claim: DeliveryClaim, { store, kinds, redact }: NoticeParts): Promise<Notice> {
  const { job, seq, type } = claim;
  const clean = (text: string, length: number): string => shorten(toLine(redact?.(text) ?? text), length);
  const [event] = await store.read(job.id, seq - 1, 1);
  const title = clean(job.name ?? (await sumUp(job, { store, kinds })), longestLabel);
  const detail = clean(detailOf(job, event), longestDetail);
  const facts = {
    type,
    job_id: job.id,
    kind: job.kind,
    state: job.state.status,
    ...(job.name === undefined ? {} : { name: title }),
    ...(detail === "" ? {} : { [type === "job.question" ? "question" : "outcome"]: detail }),
  };
  return { text: toText(claim, title, detail), title, isUrgent: isUrgent(type), facts };
}

function isUrgent(type: DeliveryClaim["type"]): boolean {
  return type === "job.failed" || type === "job.timed_out" || type === "job.question";
}

async function sumUp(job: Job, { store, kinds }: NoticeParts): Promise<string> {
  const { input = "null" } = (await store.payload(job.id)) ?? {};
  const [line = ""] = (summarise(JSON.parse(input) as Json, kinds.get(job.kind)) ?? "").trim().split("\n");
  return line === "" ? `${job.kind} job ${job.id.slice(-8)}` : line;
}

function toText({ type, job: { state } }: DeliveryClaim, title: string, detail: string): string {
  const more = detail === "" ? "" : `: ${detail}`;
  switch (type) {
    case "job.succeeded": {
      const part = state.status === "succeeded" && state.partial ? " in part" : "";
      return `✓ ${title} succeeded${part}${detail === "" ? "" : ` after ${detail}`}`;
    }
    case "job.failed":
      return `✗ ${title} failed${more}`;
    case "job.timed_out":
      return `✗ ${title} timed out${more}`;
    case "job.cancelled":
      return `✗ ${title} was cancelled${more}`;
    case "job.question":
      return `? ${title} asks${more}`;
    case "job.stalled":
      return `… ${title} has shown no sign of life for ${detail}`;
    default:
      return assertNever(type);
  }
}

/** What came of it, what it asks, or how long it took. */
function detailOf({ kind, state }: Job, event: JobEvent | undefined): string {
  if (event?.type === "question-asked") return event.question.message;
  if (event?.type === "job-stalled") return sayDuration(event.idleMs);
  if (!isTerminal(state)) return "";
  if (state.status === "cancelled") return state.reason;
  if (state.status === "succeeded") return sayDuration(elapsedMs(state.startedAt, state.finishedAt));
  const exitCode = exitCodeOf(kind, state);
  if (typeof exitCode === "number") return `exit code ${exitCode}`;
  const message = state.failure.message.replace(/\.$/, "");
  return state.status === "timed_out" ? sayLimit(message) : message;
}

/** "The job ran longer than its limit of 90000 ms" as "it ran longer than its limit of 1m 30s". */
function sayLimit(message: string): string {
  return message.replace(/^The job /, "it ").replaceAll(/\b(\d+) ms\b/g, (_all, ms: string) => sayDuration(Number(ms)));
}

/** Without escape sequences, on one line. */
function toLine(text: string): string {
  return escapeControls(stripControls(text).replaceAll(/\s+/g, " ").trim());
}

/** No character is cut in two. */
function shorten(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length).replace(/[\ud800-\udbff]$/, "")}…`;
}

/** Two units at most: `12s`, `3m 12s`, `2h 5m`, `3d 4h`. */
export function sayDuration(durationMs: number): string {
  const seconds = Math.round(durationMs / 1_000);
  if (seconds < 1) return `${Math.round(durationMs)} ms`;
  const units: [string, number][] = [
    ["d", 86_400],
    ["h", 3_600],
    ["m", 60],
    ["s", 1],
  ];
  const first = units.findIndex(([, size]) => seconds >= size);
  const parts = units.slice(first, first + 2).map(([unit, size], index) => {
    const [, larger = Infinity] = index === 0 ? [] : (units[first] ?? []);
    return [Math.floor((seconds % larger) / size), unit] as const;
  });
  return parts.flatMap(([count, unit]) => (count === 0 ? [] : `${count}${unit}`)).join(" ");
}
