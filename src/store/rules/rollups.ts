import { elapsedMs } from "../../job/elapsed.ts";
import { addDuration, mergeDurations, type Durations } from "../../job/durations.ts";
import type { Job } from "../../job/job.ts";
import type { TerminalState, TerminalStatus } from "../../job/state.ts";

/** The end of a job, as it is counted. */
export interface End {
  readonly owner: string;
  readonly kind: string;
  readonly status: TerminalStatus;
  readonly at: number;
  /** From the submit to the start, of a job that ended at its first attempt. */
  readonly waitMs?: number;
  /** From the start of the last attempt to the end. */
  readonly runMs?: number;
}

export function toEnd({ owner, kind, createdAt }: Job, state: TerminalState): End {
  const { status, finishedAt: at, startedAt, attempt } = state;
  if (startedAt === undefined) return { owner, kind, status, at };
  const runMs = elapsedMs(startedAt, at);
  return { owner, kind, status, at, runMs, ...(attempt === 1 ? { waitMs: elapsedMs(createdAt, startedAt) } : {}) };
}

/** How many jobs ended in a span of time, and how long they took. */
export interface Figures {
  readonly ends: Readonly<Partial<Record<TerminalStatus, number>>>;
  readonly waits: Durations;
  readonly runs: Durations;
}

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** For how long figures are kept, the finer ones for less. */
export const rollupSpans = [
  { spanMs: minuteMs, keptMs: 25 * hourMs },
  { spanMs: 10 * minuteMs, keptMs: 8 * dayMs },
  { spanMs: hourMs, keptMs: 91 * dayMs },
] as const;

/** Figures of one owner and kind in the span that begins at a time. */
export interface Rollup {
  readonly spanMs: number;
  readonly at: number;
  readonly owner: string;
  readonly kind: string;
  readonly figures: Figures;
}

/** What these ends add to the figures of each span. */
export function rollUp(ends: readonly End[]): Rollup[] {
  const minutes = new Rollups(minuteMs);
  for (const end of ends) minutes.add(end, (figures) => addEnd(figures, end));
  const longer = rollupSpans.slice(1).map(({ spanMs }) => {
    const rollups = new Rollups(spanMs);
    for (const minute of minutes.all()) rollups.add(minute, (figures) => mergeFigures(figures, minute.figures));
    return rollups;
  });
  return [minutes, ...longer].flatMap((rollups) => rollups.all());
}

class Rollups {
  readonly #spanMs: number;
  readonly #byKey = new Map<string, Rollup>();

  constructor(spanMs: number) {
    this.#spanMs = spanMs;
  }

  add({ at: time, owner, kind }: Pick<Rollup, "at" | "owner" | "kind">, change: (figures: Figures) => Figures): void {
    const spanMs = this.#spanMs;
    const at = Math.floor(time / spanMs) * spanMs;
    const key = JSON.stringify([at, owner, kind]);
    const figures = change(this.#byKey.get(key)?.figures ?? noFigures);
    this.#byKey.set(key, { spanMs, at, owner, kind, figures });
  }

  all(): Rollup[] {
    return [...this.#byKey.values()];
  }
}

export const noFigures: Figures = { ends: {}, waits: {}, runs: {} };

export function mergeFigures(one: Figures, other: Figures): Figures {
  const ends = { ...one.ends };
  for (const [status, count] of Object.entries(other.ends) as [TerminalStatus, number][]) {
    ends[status] = (ends[status] ?? 0) + count;
  }
  return {
    ends,
    waits: mergeDurations(one.waits, other.waits),
    runs: mergeDurations(one.runs, other.runs),
  };
}

function addEnd({ ends, waits, runs }: Figures, { status, waitMs, runMs }: End): Figures {
  return {
    ends: { ...ends, [status]: (ends[status] ?? 0) + 1 },
    waits: waitMs === undefined ? waits : addDuration(waits, waitMs),
    runs: runMs === undefined ? runs : addDuration(runs, runMs),
  };
}
