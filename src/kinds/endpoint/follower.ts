import { defined } from "../../job/defined.ts";
import { JobFailure, messageOf } from "../../job/failure.ts";
import type { Json } from "../../job/json.ts";
import type { JobContext } from "../../job/kind.ts";
import type { Redactor } from "../../text/redact.ts";
import { ChunkLog } from "./chunk-log.ts";
import { ChunkPump } from "./chunk-pump.ts";
import type { QueueHint } from "./queue-hint.ts";
import { isFinal, RemoteError, type RemoteEndpoint, type RemoteSnapshot } from "./remote-endpoint.ts";
import { Rhythm } from "./rhythm.ts";
import type { Submission } from "./submission.ts";

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
const longestMessage = 300;
/** Whoever looks at a job does not wait longer for a platform that is slow. */
const maxLookMs = 2_000;
/** More of a worker's word than this is not shown while it works. */
const longestSaid = 100_000;

/** Follows one remote job: knows how it stands, and asks its platform when that is not known well enough. */
export class Follower {
  readonly #context: JobContext;
  readonly #parts: RemoteParts;
  readonly #rhythm = new Rhythm();
  #remoteId: string | undefined;
  /** From before this server. */
  #knownStatus: string | undefined;
  #snapshot: RemoteSnapshot | undefined;
  #lastError: string | undefined;
  #isPutOff = false;
  #hasChunks = false;
  #checkedAt: number | undefined;
  #hasEnded = false;

  constructor(context: JobContext, parts: RemoteParts) {
    this.#context = context;
    this.#parts = parts;
  }

  /** How the job stands now: the platform is asked. */
  async inspect(): Promise<Record<string, Json>> {
    if (!this.#hasEnded) await this.#rhythm.ask(maxLookMs);
    const hint = this.#isQueued() && this.#remoteId !== undefined ? await this.#parts.queueHint() : undefined;
    const { output, delayMs, executionMs, worker } = this.#snapshot ?? {};
    return {
      remote_id: this.#remoteId ?? null,
      remote_status: this.#snapshot?.status ?? this.#knownStatus ?? null,
      ...defined({
        checked_at: this.#checkedAt,
        delay_ms: delayMs,
        execution_ms: executionMs,
        worker,
        output: this.#isWorking() ? this.#show(output) : undefined,
        put_off: this.#isPutOff ? true : undefined,
        last_error: this.#lastError,
        worker_health: hint === undefined ? undefined : { ...hint.workers },
        hint: hint?.hint,
      }),
    };
  }

  /** The platform does not take the job yet; it is offered again after so long. */
  async putOff(error: RemoteError, pauseMs: number): Promise<void> {
    this.#isPutOff = true;
    this.#lastError = this.#say(messageOf(error));
    const message = `not accepted yet, will be tried again soon: ${this.#lastError}`;
    this.#context.progress({ phase: "queued", message });
    await this.#rhythm.holdBack(pauseMs, this.#context.signal);
    this.#isPutOff = false;
  }

  /** Nobody needs to wait for an answer any more. */
  end(): void {
    this.#hasEnded = true;
    this.#rhythm.answerAll();
  }

  /** Asks until the job has ended, more and more seldom while nothing changes and nobody wants to know. */
  async follow(submission: Submission): Promise<RemoteSnapshot> {
    const { remoteId } = submission;
    this.#remoteId = remoteId;
    this.#knownStatus = submission.lastStatus;
    this.#lastError = undefined;
    this.#rhythm.answerAll();
    const { remote, pace, hide } = this.#parts;
    const context = this.#context;
    const chunks = new ChunkLog(context.outputFile("stdout"), hide);
    const onKept = (): void => void (this.#hasChunks = true);
    const say = (text: string): string => this.#say(text);
    const pump = new ChunkPump({ remote, remoteId, chunks, context, pace, onKept, say });
    try {
      return await this.#askUntilEnd(submission, pump);
    } finally {
      await pump.stop();
    }
  }

  async #askUntilEnd(submission: Submission, pump: ChunkPump): Promise<RemoteSnapshot> {
    const { pace } = this.#parts;
    const { signal } = this.#context;
    let pauseMs = pace.firstMs;
    let missing = 0;
    let heardAt = performance.now();
    for (;;) {
      signal.throwIfAborted();
      try {
        const isNews = await this.#look(submission, pump);
        const snapshot = this.#snapshot;
        if (snapshot !== undefined && isFinal(snapshot.status)) return snapshot;
        missing = 0;
        heardAt = performance.now();
        pauseMs = isNews ? pace.firstMs : Math.min(pace.maxMs, pauseMs * 1.5);
        await this.#rhythm.pause(pauseMs, signal);
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof RemoteError)) throw error;
        if (error.isTooLarge) throw tooLarge(submission, error);
        missing = error.status === 404 ? missing + 1 : 0;
        if (missing === maxMissing) throw expired(submission);
        if (performance.now() - heardAt > pace.giveUpMs) throw unreachable(submission, error);
        this.#tellTrouble(error);
        const waitMs = Math.max(pauseMs, error.retryAfterMs ?? 0);
        pauseMs = Math.min(pace.maxMs, pauseMs * 2);
        await this.#rhythm.holdBack(waitMs, signal);
      }
    }
  }

  /** Whether anything has changed since the last look. */
  async #look(submission: Submission, pump: ChunkPump): Promise<boolean> {
    const before = this.#snapshot;
    const { answer } = this.#rhythm.begin();
    const snapshot = await this.#parts.remote.status(submission.remoteId, this.#context.signal);
    this.#context.touch();
    if (snapshot.status === "IN_PROGRESS") pump.start();
    // Chunks are kept before the end is believed.
    else if (isFinal(snapshot.status)) await pump.drain();
    this.#checkedAt = this.#context.now();
    this.#lastError = undefined;
    this.#snapshot = snapshot;
    await submission.note(snapshot.status);
    answer();
    await this.#tell(snapshot);
    const isNews = this.#hasChunks || before?.status !== snapshot.status;
    this.#hasChunks = false;
    return isNews;
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

  #isWorking(): boolean {
    return this.#snapshot?.status === "IN_PROGRESS";
  }

  /** What a worker says of its job as it says it, an object as an object. */
  #show(said: Json | undefined): Json | undefined {
    if (said === undefined) return undefined;
    const text = JSON.stringify(said);
    if (text.length > longestSaid) return this.#say(text);
    return JSON.parse(this.#parts.hide(text)) as Json;
  }

  #say(text: string): string {
    return this.#parts.redactor.text(text).slice(0, longestMessage);
  }
}

function expired({ remoteId, lastStatus }: Submission): JobFailure {
  const message = `The remote job ${remoteId} has expired upstream, last known state ${lastStatus ?? "IN_QUEUE"}.`;
  return new JobFailure("expired_upstream", message, { retryable: false, details: { remote_id: remoteId } });
}

function unreachable({ remoteId, lastStatus }: Submission, error: RemoteError): JobFailure {
  const message = `The remote job ${remoteId} could not be followed any longer, last known state ${lastStatus ?? "IN_QUEUE"}: ${messageOf(error)}`;
  return new JobFailure("unreachable", message, { retryable: false, details: { remote_id: remoteId } });
}

function tooLarge({ remoteId }: Submission, error: RemoteError): JobFailure {
  const message = `The result of the remote job ${remoteId} is too large: ${messageOf(error)}. Let its handler put large results elsewhere (s3Config) and return where they are.`;
  return new JobFailure("result_too_large", message, { retryable: false, details: { remote_id: remoteId } });
}
