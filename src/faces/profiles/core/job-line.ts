import type { Job } from "../../../job/job.ts";
import { isTerminal } from "../../../job/state.ts";
import { describeEnd, describeOpen, elapsed, exitText, shorten } from "../../mcp/tasks/status-message.ts";

const longestName = 80;
const longestLine = 400;

/** What a look at the live job adds. */
export interface LiveFacts {
  /** Why it is still queued. */
  readonly reason?: string;
  readonly isReadingInput?: boolean;
}

/** A job on one line, the exit code first: it is what callers look for, and nothing cuts it off there. */
export function jobLine(job: Job, now: number, live: LiveFacts = {}): string {
  const { id, name, state } = job;
  const who = `job ${id}${name === undefined ? "" : ` (${shorten(name, longestName)})`}`;
  const exit = exitText(job);
  if (exit !== undefined) return `${exit} · ${who} ${state.status}`;
  return shorten(`${who} ${describe(job, now, live)}`, longestLine);
}

function describe({ state }: Job, now: number, { reason, isReadingInput }: LiveFacts): string {
  if (isTerminal(state)) {
    const took = state.startedAt === undefined ? "" : ` after ${elapsed(state.finishedAt - state.startedAt)}`;
    if (state.status === "succeeded") return `succeeded${took}${state.partial ? ", in part" : ""}`;
    return `${state.status}${took}: ${describeEnd(state).replace(/^cancelled: /, "")}`;
  }
  const parts = describeOpen(state, now);
  if (state.status === "queued") return reason === undefined ? parts.join(" · ") : `queued: ${reason}`;
  if (state.status === "waiting") return "waiting for an answer";
  const waits = isReadingInput === true ? ["it waits for input on its standard input"] : [];
  return [`running for ${elapsed(now - state.startedAt)}`, ...parts, ...waits].join(" · ");
}
