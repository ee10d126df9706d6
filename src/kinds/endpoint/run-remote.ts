import { setTimeout as delay } from "node:timers/promises";
import { defined } from "../../job/defined.ts";
import { JobFailure, messageOf } from "../../job/failure.ts";
import type { Json } from "../../job/json.ts";
import type { JobContext, StopCause } from "../../job/kind.ts";
import type { Redactor } from "../../text/redact.ts";
import { ChunkLog } from "./chunk-log.ts";
import type { EndpointInput, EndpointResult } from "./contract.ts";
import type { QueueHint } from "./queue-hint.ts";
import { isFinal, RemoteError, type Chunks, type RemoteEndpoint, type RemoteSnapshot } from "./remote-endpoint.ts";
import { findOrSubmit, type Submission } from "./submission.ts";

export interface RemoteParts {
  readonly remote: RemoteEndpoint;
  /** Why a job of this endpoint waits in the platform's queue. */
  readonly queueHint: () => Promise<QueueHint | undefined>;
  /** Hides secrets in what is said. */
  readonly redactor: Redactor;
  /** Hides secrets in what is handed on as it stands. */
  readonly hide: (text: string) => string;
  readonly pace: FollowPace;
}

export interface FollowPace {
  readonly firstMs: number;
  readonly maxMs: number;
  /** A job that cannot be asked about for so long is given up. */
  readonly giveUpMs: number;
}

/** The platform may not know a job yet that it has only just accepted. */
const maxMissing = 3;
const cancelTries = 5;
const longestMessage = 300;

/** Runs a job on a platform: submits it once, follows it whatever happens to this process, and ends it when told to. */
export async function runRemote(
  { endpoint: _endpoint, platform_webhook: webhook, ...given }: EndpointInput,
  context: JobContext,
  parts: RemoteParts,
): Promise<EndpointResult> {
  const follower = new Follower(context, parts);
  context.serve({ inspect: () => follower.inspect() });
  try {
    const submission = await findOrSubmit({ ...given, webhook }, context, parts.remote);
    const snapshot = await follower.follow(submission).catch(async (thrown: unknown) => {
      if (isToBeEnded(context.signal)) await cancelRemote(submission.remoteId, context, parts);
      throw thrown;
    });
    return toResult(snapshot, submission.remoteId, parts);
  } catch (thrown) {
    throw thrown instanceof JobFailure ? concealed(thrown, parts.redactor) : thrown;
  }
}

class Follower {
  readonly #context: JobContext;
  readonly #parts: RemoteParts;
  readonly #chunks: ChunkLog;
  #remoteId: string | undefined;
  /** From before this server. */
  #knownStatus: string | undefined;
  #snapshot: RemoteSnapshot | undefined;
  #lastError: string | undefined;
  #checkedAt: number | undefined;

  constructor(context: JobContext, parts: RemoteParts) {
    this.#context = context;
    this.#parts = parts;
    this.#chunks = new ChunkLog(context.outputFile("stdout"), parts.hide);
  }

  async inspect(): Promise<Record<string, Json>> {
    const hint = this.#isQueued() ? await this.#parts.queueHint() : undefined;
    return {
      remote_id: this.#remoteId ?? null,
      remote_status: this.#snapshot?.status ?? this.#knownStatus ?? null,
      ...defined({
        checked_at: this.#checkedAt,
        last_error: this.#lastError,
        worker_health: hint === undefined ? undefined : { ...hint.workers },
        hint: hint?.hint,
      }),
    };
  }

  /** Asks until the job has ended, more and more seldom while nothing changes. */
  async follow(submission: Submission): Promise<RemoteSnapshot> {
    const { pace } = this.#parts;
    const { signal } = this.#context;
    this.#remoteId = submission.remoteId;
    this.#knownStatus = submission.lastStatus;
    let pauseMs = pace.firstMs;
    let missing = 0;
    let heardAt = performance.now();
    for (;;) {
      signal.throwIfAborted();
      let waitMs = pauseMs;
      try {
        const hasNews = await this.#look(submission);
        const snapshot = this.#snapshot;
        if (snapshot !== undefined && isFinal(snapshot.status)) return snapshot;
        missing = 0;
        heardAt = performance.now();
        pauseMs = hasNews ? pace.firstMs : Math.min(pace.maxMs, pauseMs * 1.5);
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof RemoteError)) throw error;
        missing = error.status === 404 ? missing + 1 : 0;
        if (missing === maxMissing) throw expired(submission);
        if (performance.now() - heardAt > pace.giveUpMs) throw unreachable(submission, error);
        this.#tellTrouble(error);
        waitMs = Math.max(pauseMs, error.retryAfterMs ?? 0);
        pauseMs = Math.min(pace.maxMs, pauseMs * 2);
      }
      await delay(waitMs, undefined, { signal }).catch(() => undefined);
    }
  }

  /** Whether anything has changed since the last look. */
  async #look(submission: Submission): Promise<boolean> {
    const { remote } = this.#parts;
    const before = this.#snapshot;
    const snapshot = await remote.status(submission.remoteId, this.#context.signal);
    this.#checkedAt = this.#context.now();
    this.#lastError = undefined;
    this.#context.touch();
    const kept = snapshot.status === "IN_QUEUE" ? 0 : await this.#keepChunks(submission.remoteId, snapshot);
    this.#snapshot = snapshot;
    await submission.note(snapshot.status);
    await this.#tell(snapshot);
    return kept > 0 || before?.status !== snapshot.status;
  }

  /** Chunks are kept before the end is believed: a finished job's are still there, but not for long. */
  async #keepChunks(id: string, { status }: RemoteSnapshot): Promise<number> {
    const take = (): Promise<Chunks> => this.#parts.remote.takeChunks(id, this.#chunks.count, this.#context.signal);
    let kept = 0;
    try {
      for (;;) {
        const more = await this.#chunks.keep(await take(), take);
        kept += more;
        if (more === 0 || !isFinal(status)) return kept;
      }
    } catch (error) {
      this.#context.signal.throwIfAborted();
      if (!(error instanceof RemoteError)) throw error;
      // Not every endpoint streams; what the job has come to does not depend on it.
      if (error.isPassing) this.#context.log(this.#say(`its stream could not be read: ${messageOf(error)}`), "warn");
      return kept;
    }
  }

  async #tell({ status, output }: RemoteSnapshot): Promise<void> {
    if (status === "IN_QUEUE") {
      const hint = await this.#parts.queueHint();
      this.#context.progress({ phase: "queued", message: hint?.hint ?? "in the platform's queue" });
    } else if (status === "IN_PROGRESS") {
      const said = typeof output === "string" ? output : output === undefined ? "" : JSON.stringify(output);
      this.#context.progress({ phase: "running", ...(said === "" ? {} : { message: this.#say(said) }) });
    }
  }

  #tellTrouble(error: RemoteError): void {
    this.#lastError = this.#say(messageOf(error));
    const phase = this.#isQueued() ? "queued" : "running";
    this.#context.progress({ phase, message: `still followed, last error: ${this.#lastError}` });
  }

  #isQueued(): boolean {
    return (this.#snapshot?.status ?? this.#knownStatus ?? "IN_QUEUE") === "IN_QUEUE";
  }

  #say(text: string): string {
    return this.#parts.redactor.text(text).slice(0, longestMessage);
  }
}

function isToBeEnded(signal: AbortSignal): boolean {
  const cause = signal.reason as StopCause | undefined;
  return cause?.type === "cancelled" || cause?.type === "timed_out";
}

/** Ends the remote job and waits for the platform's word that it has; whether or not it gives it, our job ends. */
async function cancelRemote(
  remoteId: string,
  context: JobContext,
  { remote, redactor, pace }: RemoteParts,
): Promise<void> {
  let why = "";
  for (let tries = 1; tries <= cancelTries; tries++) {
    try {
      const status = await remote.cancel(remoteId);
      if (isFinal(status)) return;
      why = `it is still ${status}`;
    } catch (error) {
      if (!(error instanceof RemoteError) || error.status === 404) return;
      why = messageOf(error);
      if (!error.isPassing) break;
    }
    await delay(Math.min(pace.maxMs, pace.firstMs * 2 ** (tries - 1)));
  }
  context.log(redactor.text(`Cancelling remote job ${remoteId} was not confirmed: ${why}`), "error");
}

function toResult(snapshot: RemoteSnapshot, remoteId: string, { hide }: RemoteParts): EndpointResult {
  const { status, delayMs, executionMs, worker } = snapshot;
  const times = defined({ delay_ms: delayMs, execution_ms: executionMs, worker });
  const output =
    snapshot.output === undefined ? undefined : (JSON.parse(hide(JSON.stringify(snapshot.output))) as Json);
  if (status === "COMPLETED") return { ...times, output, remote_id: remoteId };
  const error = snapshot.error ?? snapshot.output;
  const why = error === undefined ? "" : `: ${typeof error === "string" ? error : JSON.stringify(error)}`;
  const details: Record<string, Json> = { remote_status: status, remote_id: remoteId, ...times };
  if (error !== undefined) details["error"] = JSON.parse(hide(JSON.stringify(error))) as Json;
  const message = {
    FAILED: `The remote job failed${why}`,
    TIMED_OUT: `The remote job timed out on its platform${why}`,
    CANCELLED: "it was cancelled on its platform",
  }[status as "FAILED" | "TIMED_OUT" | "CANCELLED"];
  const endsAs = status === "CANCELLED" ? "cancelled" : status === "TIMED_OUT" ? "timed_out" : undefined;
  throw new JobFailure(`remote_${status.toLowerCase()}`, message, {
    retryable: status !== "CANCELLED",
    details,
    endsAs,
  });
}

function expired({ remoteId, lastStatus }: Submission): JobFailure {
  const message = `The remote job ${remoteId} has expired upstream, last known state ${lastStatus ?? "IN_QUEUE"}.`;
  return new JobFailure("expired_upstream", message, { retryable: false, details: { remote_id: remoteId } });
}

function unreachable({ remoteId, lastStatus }: Submission, error: RemoteError): JobFailure {
  const message = `The remote job ${remoteId} could not be followed any longer, last known state ${lastStatus ?? "IN_QUEUE"}: ${messageOf(error)}`;
  return new JobFailure("unreachable", message, { retryable: false, details: { remote_id: remoteId } });
}

/** A platform may say our own secrets back to us. */
function concealed(failure: JobFailure, redactor: Redactor): JobFailure {
  const { code, retryable, retryAfterMs, endsAs, details } = failure;
  return new JobFailure(code, redactor.text(failure.message), {
    retryable,
    retryAfterMs,
    endsAs,
    details,
  });
}
