import type { EventBody } from "../job/event.ts";
import { assertNever, LonghaulError } from "../job/error.ts";
import { JobFailure, messageOf, toFailure, type Failure } from "../job/failure.ts";
import { parseInput, parseInputIn } from "../job/issue.ts";
import { PartialResult, type JobContext, type StopCause } from "../job/kind.ts";
import { retryDelayMs } from "../job/retry.ts";
import type { Outcome } from "../job/transitions.ts";
import type { Store } from "../store/store.ts";
import { sleep, type Clock } from "./clock.ts";
import type { AttemptContext } from "./context.ts";
import { note, type HeldAttempt } from "./attempt.ts";
import type { Settings } from "./settings.ts";

/** How an attempt is to be settled. `release` leaves the job held for the next engine; `none` belongs to somebody else. */
type Ending =
  | { readonly type: "settle"; readonly outcome: Outcome; readonly result?: string }
  | { readonly type: "release" }
  | { readonly type: "none" };

type Returned = { readonly value: unknown } | { readonly thrown: unknown } | "no answer";

interface AttemptParts {
  readonly store: Store;
  readonly settings: Settings;
  /** Called as soon as the end is on its way to the store: what is claimed from now on is stored after it. */
  readonly onSettling: () => void;
  /** Aborted when the engine closes and nothing more can be stored. */
  readonly closing: AbortSignal;
}

/** Attempts one attempt to its end and settles it. Never rejects. */
export async function runAttempt(
  run: HeldAttempt,
  input: string,
  runContext: AttemptContext,
  parts: AttemptParts,
): Promise<void> {
  const returned = mustNotRepeat(run)
    ? { thrown: new JobFailure("interrupted", unrepeatable(run.kind.name), { retryable: false }) }
    : await withGrace(run, callKind(run, input, runContext.context, parts), parts.settings.clock);
  runContext.flush();
  const settling = settleUntilStored(run, toEnding(run, returned, parts.settings), parts);
  parts.onSettling();
  await settling;
}

/** It ran before, and went back to the queue because its kind was not known for a time. */
function mustNotRepeat({ kind, job }: HeldAttempt): boolean {
  return kind.onInterrupt === "fail" && job.state.interruptions > 0;
}

function unrepeatable(kind: string): string {
  return `The attempt was interrupted while nothing ran jobs of kind "${kind}", and they cannot be continued.`;
}

async function callKind(run: HeldAttempt, input: string, context: JobContext, parts: AttemptParts): Promise<Returned> {
  try {
    const restoring = restoreOutput(run, parts);
    if (restoring !== undefined) await restoring;
    const parsed = parseInputIn(run.kind.input, JSON.parse(input), `The input of kind "${run.kind.name}"`);
    return { value: await run.kind.run(parsed, context) };
  } catch (thrown) {
    return { thrown };
  }
}

/** A database that is away for a while must not end an attempt that has not even begun: it is asked until the attempt is told to stop. */
function restoreOutput(run: HeldAttempt, parts: AttemptParts): Promise<void> | undefined {
  const { output } = parts.store;
  const { attempt, interruptions, losses } = run.job.state;
  const held = { lease: run.lease, attempt, isResumed: interruptions > 0 };
  const first = output.restore(held);
  if (first === undefined) return undefined;
  const restore = async (): Promise<void> => {
    for (let restoring: typeof first | undefined = first, delayMs = 100; ; delayMs = longerDelay(delayMs)) {
      try {
        const restored = await restoring;
        if (restored?.isMoved === true && losses > 0) note(run, tornOutput, parts);
        return;
      } catch (error) {
        parts.settings.log({ level: "warn", message: "an attempt's output could not be restored", job: run.id, error });
        await sleep(parts.settings.clock, delayMs, run.signal);
        run.signal.throwIfAborted();
        restoring = output.restore(held);
      }
    }
  };
  return restore();
}

const tornOutput: EventBody = {
  type: "message-logged",
  level: "warn",
  message: "The machine that ran this attempt was lost; what it wrote in its last second may be missing.",
};

/** An attempt that was told to stop and does not is given up after its grace time. */
function withGrace(run: HeldAttempt, attempt: Promise<Returned>, clock: Clock): Promise<Returned> {
  return new Promise((resolve) => {
    let cancelTimer: (() => void) | undefined;
    run.onStop = (): void => {
      cancelTimer = clock.after(run.job.limits.graceMs, () => resolve("no answer"));
    };
    void attempt.then((returned) => {
      run.onStop = undefined;
      cancelTimer?.();
      return resolve(returned);
    });
  });
}

function toEnding(run: HeldAttempt, returned: Returned, settings: Settings): Ending {
  const { stopCause } = run;
  if (stopCause !== undefined) return toStoppedEnding(run, stopCause, returned, settings);
  if (returned === "no answer") return { type: "none" };
  return "value" in returned ? toResult(run, returned.value, settings) : toFailed(run, returned.thrown, settings);
}

function toStoppedEnding(run: HeldAttempt, cause: StopCause, returned: Returned, settings: Settings): Ending {
  switch (cause.type) {
    case "cancelled":
      return { type: "settle", outcome: { type: "cancelled", reason: cause.reason } };
    case "timed_out":
      return { type: "settle", outcome: { type: "timed_out", failure: limitFailure(cause, returned) } };
    case "stopping":
      if (returned !== "no answer" && "value" in returned) return toResult(run, returned.value, settings);
      if (run.kind.onInterrupt === "adopt") return { type: "release" };
      return { type: "settle", outcome: interruptedOutcome(run, cause.why ?? "the engine stopped", false) };
    case "lease_lost":
      return { type: "none" };
    default:
      return assertNever(cause);
  }
}

/** What becomes of an attempt whose worker went away, by the word of its kind. */
export function interruptedOutcome(run: Pick<HeldAttempt, "kind">, cause: string, isLoss: boolean): Outcome {
  if (run.kind.onInterrupt !== "fail") return { type: "interrupted", cause, isLoss };
  const message = `The attempt was interrupted (${cause}), and jobs of kind "${run.kind.name}" cannot be continued.`;
  return { type: "failed", failure: { code: "interrupted", message, retryable: true } };
}

/** A schema may throw, and not every value has JSON: whatever a kind returns, its job ends. */
function toResult(run: HeldAttempt, value: unknown, settings: Settings): Ending {
  try {
    return checkResult(run, value, settings);
  } catch (error) {
    const message = `The result cannot be stored: ${messageOf(error)}`;
    return failed({ code: "invalid_result", message, retryable: false });
  }
}

function checkResult(run: HeldAttempt, value: unknown, settings: Settings): Ending {
  const partial = value instanceof PartialResult;
  const parsed = parseInput(run.kind.result, partial ? value.result : value, "The result");
  const result = JSON.stringify(parsed);
  const maxBytes = run.kind.maxResultBytes ?? settings.maxResultBytes;
  if (result !== undefined && Buffer.byteLength(result) > maxBytes) {
    const message = `The result has more than ${maxBytes} bytes; write large results as output.`;
    return failed({ code: "result_too_large", message, retryable: false });
  }
  const outcome: Outcome = { type: "succeeded", partial };
  return result === undefined ? { type: "settle", outcome } : { type: "settle", outcome, result };
}

function toFailed(run: HeldAttempt, thrown: unknown, settings: Settings): Ending {
  const isBadInput = thrown instanceof LonghaulError && thrown.code === "invalid_input";
  const failure = isBadInput ? { code: "invalid_input", message: thrown.message, retryable: false } : toFailure(thrown);
  const { attempt } = run.job.state;
  const { attempts, backoff } = run.job.limits;
  if (!failure.retryable || attempt >= attempts) return endAs(thrown, failure);
  const wantedMs = thrown instanceof JobFailure ? (thrown.retryAfterMs ?? 0) : 0;
  const delayMs = Math.max(wantedMs, retryDelayMs(backoff, attempt, settings.random()));
  return { type: "settle", outcome: { type: "retry", failure, runAt: settings.clock.now() + delayMs } };
}

function endAs(thrown: unknown, failure: Failure): Ending {
  const endsAs = thrown instanceof JobFailure ? thrown.endsAs : undefined;
  if (endsAs === "timed_out") return { type: "settle", outcome: { type: "timed_out", failure } };
  if (endsAs !== "cancelled") return failed(failure);
  return { type: "settle", outcome: { type: "cancelled", reason: failure.message } };
}

function failed(failure: Failure): Ending {
  return { type: "settle", outcome: { type: "failed", failure } };
}

function limitFailure(cause: Extract<StopCause, { type: "timed_out" }>, returned: Returned): Failure {
  const what = {
    run: `ran longer than its limit of ${cause.limitMs} ms`,
    idle: `gave no sign of life for ${cause.limitMs} ms`,
    total: `was not done within ${cause.limitMs} ms of being submitted`,
  }[cause.limit];
  const stubborn = returned === "no answer" ? " It did not stop when told to." : "";
  return { code: `${cause.limit}_limit`, message: `The job ${what}.${stubborn}`, retryable: true };
}

const longestRetryMs = 5_000;

function longerDelay(delayMs: number): number {
  return Math.min(longestRetryMs, delayMs * 2);
}

/** A full disk must not lose an end that was reached: the write is tried again until it is stored or the lease is gone. */
async function settleUntilStored(
  run: HeldAttempt,
  ending: Ending,
  { store, settings, closing }: AttemptParts,
): Promise<void> {
  const { attempt } = run.job.state;
  const leave = (isOver: boolean): void => store.output.leave(run.id, attempt, { isOver });
  if (ending.type === "none") return leave(false);
  const { clock, log } = settings;
  for (let delayMs = 100; ; delayMs = longerDelay(delayMs)) {
    try {
      // Whoever sees the end finds all of the output. No turn is lost where that is so anyway: the end and the next claim share a commit.
      const flushing = store.output.flush(run.id, attempt);
      if (flushing !== undefined) await flushing;
      if (ending.type === "release") {
        await store.release(run.lease);
        return leave(false);
      }
      const settled = await store.settle(run.lease, ending.outcome, { now: clock.now(), result: ending.result });
      return leave(settled !== undefined);
    } catch (error) {
      log({ level: "error", message: `the end of a job could not be stored: ${messageOf(error)}`, job: run.id, error });
      await sleep(clock, delayMs, closing);
      if (closing.aborted) return leave(false);
    }
  }
}
