import type { JobId } from "../job/id.ts";
import type { Job } from "../job/job.ts";
import { LineBuffer } from "../text/line-buffer.ts";
import { isHeld, isTerminal, isTerminalStatus } from "../job/state.ts";
import type { OutputStore } from "../store/output-store.ts";
import type { Hint } from "../store/store.ts";
import type { Clock } from "./clock.ts";
import type { Feed } from "./feed.ts";

/** What to wait for on each job. A job that has ended always counts: nothing more can come from it. */
export type WaitUntil =
  | "finished"
  /** It asks a question. */
  | "question"
  /** It has written more output than at the beginning of the wait. */
  | "output"
  /** It is silent for so long that the watchdog has noticed. */
  | "stall"
  /** Its progress is in this phase. */
  | { readonly phase: string }
  /** A line of its output, from the beginning of the attempt, passes the test. */
  | { readonly pattern: LineTest }
  /** Whatever the caller looks for; asked again whenever the job changes or writes output. */
  | Condition;

/** Of each line, as a regular expression does it, or of several at once. */
type LineTest =
  | { readonly test: (line: string) => boolean }
  | { readonly some: (lines: readonly string[]) => Promise<boolean> };

type Condition = (job: Job) => boolean | Promise<boolean>;

export interface WaitOptions {
  readonly until?: WaitUntil;
  /** `success` waits for the first job that succeeds, or for the end of all. A number: that many of them. */
  readonly for?: "all" | "any" | "success" | number;
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

export interface WaitResult {
  /** False when the time ran out or the signal came first; that is an answer, not an error. */
  readonly isReached: boolean;
  /** The jobs for which it came true. */
  readonly met: readonly JobId[];
  readonly jobs: readonly Job[];
}

export interface WaitParts {
  readonly feed: Feed;
  readonly clock: Clock;
  readonly output: OutputStore;
  readonly load: (id: JobId) => Promise<Job>;
}

export async function waitForJobs(ids: readonly JobId[], options: WaitOptions, parts: WaitParts): Promise<WaitResult> {
  const until = options.until ?? "finished";
  const changes = parts.feed.changes(ids, options.signal, until === "finished" ? isEnd : undefined);
  const endsAt = parts.clock.monotonic() + (options.timeoutMs ?? Infinity);
  const jobs = new Map<JobId, Job>();
  const met = new Set<JobId>();
  const condition = createCondition(until, parts.output);
  const look = async (id: JobId): Promise<void> => {
    const job = await parts.load(id);
    jobs.set(id, job);
    if (isTerminal(job.state) || (await condition(job))) met.add(id);
  };
  const answer = (hasHappened: boolean): WaitResult => ({
    isReached: hasHappened,
    met: [...met],
    jobs: [...jobs.values()],
  });
  try {
    let stale: readonly JobId[] = ids;
    for (;;) {
      for (const id of stale) await look(id);
      if (isReached(options.for ?? "all", ids.length, met, jobs)) {
        // Others may have gone on since they were last looked at, and the answer shows them too.
        for (const id of ids) if (!met.has(id)) await look(id);
        return answer(true);
      }
      const leftMs = endsAt - parts.clock.monotonic();
      if (leftMs <= 0) return answer(false);
      const rang = await changes.next(leftMs);
      if (rang === "aborted") return answer(false);
      stale = rang === "all" ? ids.filter((id) => !met.has(id)) : rang;
    }
  } finally {
    changes.close();
  }
}

function isEnd(hint: Hint): boolean {
  return hint.type === "job-changed" && isTerminalStatus(hint.status);
}

export function isReached(
  wanted: "all" | "any" | "success" | number,
  total: number,
  met: ReadonlySet<JobId>,
  jobs: ReadonlyMap<JobId, Job>,
): boolean {
  if (met.size >= total) return true;
  if (wanted === "success") return [...jobs.values()].some((job) => job.state.status === "succeeded");
  if (wanted === "all") return false;
  return met.size >= (wanted === "any" ? 1 : wanted);
}

export type ReadableOutput = Pick<OutputStore, "streams" | "measure" | "read">;

/** Whether what is waited for has come true of a job that goes on. */
export function createCondition(until: WaitUntil, output: ReadableOutput): Condition {
  if (typeof until === "function") return until;
  if (until === "finished") return () => false;
  if (until === "question") return (job) => job.state.status === "waiting";
  if (until === "stall") return (job) => isHeld(job.state) && job.state.stalledSince !== undefined;
  if (until === "output") return hasMoreOutput(output);
  if ("phase" in until) return (job) => isHeld(job.state) && job.state.progress?.phase === until.phase;
  return hasMatchingLine(output, until.pattern);
}

function hasMoreOutput(output: ReadableOutput): Condition {
  const before = new Map<JobId, number>();
  return async (job) => {
    const size = await totalSize(job, output);
    const first = before.get(job.id);
    if (first === undefined) before.set(job.id, size);
    return first !== undefined && size > first;
  };
}

async function totalSize(job: Job, output: ReadableOutput): Promise<number> {
  const { attempt } = job.state;
  const streams = await output.streams(job.id, attempt);
  const sizes = await Promise.all(streams.map((stream) => output.measure({ id: job.id, attempt, stream })));
  return sizes.reduce((sum, { size }) => sum + size, 0);
}

const readBytes = 64 * 1024;

/** Reads each stream on from where it left off. */
function hasMatchingLine(output: ReadableOutput, pattern: LineTest): Condition {
  const some =
    "some" in pattern ? pattern.some : async (lines: readonly string[]) => lines.some((line) => pattern.test(line));
  const readers = new Map<string, { offset: number; lines: LineBuffer }>();
  const scan = async (job: Job, stream: string): Promise<boolean> => {
    const { attempt } = job.state;
    const key = `${job.id}/${attempt}/${stream}`;
    const reader = readers.get(key) ?? { offset: 0, lines: new LineBuffer() };
    readers.set(key, reader);
    for (;;) {
      const slice = await output.read({ id: job.id, attempt, stream }, reader.offset, readBytes);
      if (slice.bytes.length === 0) return reader.lines.rest !== "" && (await some([reader.lines.rest]));
      reader.offset = slice.next;
      if (await some(reader.lines.push(slice.bytes))) return true;
    }
  };
  return async (job) => {
    for (const stream of await output.streams(job.id, job.state.attempt)) {
      if (await scan(job, stream)) return true;
    }
    return false;
  };
}
