import { z } from "zod";
import { defined } from "../../job/defined.ts";
import { JobFailure, messageOf } from "../../job/failure.ts";
import type { JobContext } from "../../job/kind.ts";
import { RemoteError, type RemoteEndpoint, type RemoteRequest, type RemoteStatus } from "./remote-endpoint.ts";

/** Where an attempt stands with its remote job; saved before each step that cannot be undone, and after it. */
const checkpointSchema = z.object({
  attempt: z.int(),
  step: z.enum(["ready", "submitting", "submitted"]),
  remoteId: z.string().optional(),
  /** What the platform last said. */
  status: z.string().optional(),
});

type Checkpoint = z.infer<typeof checkpointSchema>;

/** The remote job of an attempt. */
export interface Submission {
  readonly remoteId: string;
  /** What the platform last said of it; undefined before it said anything. */
  readonly lastStatus: string | undefined;
  readonly note: (status: RemoteStatus) => Promise<void>;
}

export interface SubmissionParts {
  readonly remote: RemoteEndpoint;
  /** Waits so long before the job is offered again. */
  readonly putOff: (error: RemoteError, pauseMs: number) => Promise<void>;
}

const maxTries = 5;
const firstPauseMs = 1_000;

/**
 * Finds the remote job that this attempt has, or submits it. It is submitted at most once: that it is about to be is on
 * record before, and its id right after; where the record ends in between, nobody can know, and the job says so.
 */
export async function findOrSubmit(
  request: RemoteRequest,
  context: JobContext,
  parts: SubmissionParts,
): Promise<Submission> {
  const before = checkpointSchema.safeParse(await context.checkpoint.load()).data;
  if (before?.attempt === context.attempt) {
    if (before.step === "submitted" && before.remoteId !== undefined) {
      return toSubmission(before.remoteId, before.status, context);
    }
    if (before.step === "submitting") throw unknownOutcome("the server ended while it was being submitted");
  }
  const retried = before === undefined ? undefined : await retryUpstream(before, context, parts.remote);
  if (retried !== undefined) return toSubmission(retried, undefined, context);
  return toSubmission(await submitOnce(request, context, parts), undefined, context);
}

/** A job that failed on the platform is run again there, under its id, as long as the platform knows it. */
async function retryUpstream(
  { remoteId, status }: Checkpoint,
  context: JobContext,
  remote: RemoteEndpoint,
): Promise<string | undefined> {
  if (remoteId === undefined || (status !== "FAILED" && status !== "TIMED_OUT")) return undefined;
  // On record before it is asked for: a retry that was asked for twice would run twice, so it is followed instead.
  await save(context, { attempt: context.attempt, step: "submitted", remoteId, status });
  try {
    await remote.retry(remoteId);
    return remoteId;
  } catch (error) {
    const isRefused = error instanceof RemoteError && error.effect === "nothing" && !error.isPassing;
    if (isRefused) return undefined;
    if (error instanceof RemoteError && error.effect === "unknown") return remoteId;
    throw new JobFailure("not_retried", `The remote job ${remoteId} could not be run again: ${messageOf(error)}`);
  }
}

async function submitOnce(
  request: RemoteRequest,
  context: JobContext,
  { remote, putOff }: SubmissionParts,
): Promise<string> {
  const { attempt } = context;
  for (let tries = 1; ; tries++) {
    context.signal.throwIfAborted();
    await save(context, { attempt, step: "submitting" });
    try {
      // Not aborted when the attempt is told to stop: what was begun must be known to have happened, or not.
      const remoteId = await remote.submit(request);
      await saveRemoteId(context, remoteId);
      return remoteId;
    } catch (error) {
      if (!(error instanceof RemoteError)) throw error;
      if (error.effect === "unknown") throw unknownOutcome(messageOf(error), error);
      await save(context, { attempt, step: "ready" });
      if (!error.isPassing || tries === maxTries) throw refused(error);
      const pauseMs = Math.max(error.retryAfterMs ?? 0, firstPauseMs * 2 ** (tries - 1));
      await putOff(error, pauseMs);
    }
  }
}

async function saveRemoteId(context: JobContext, remoteId: string): Promise<void> {
  try {
    await save(context, { attempt: context.attempt, step: "submitted", remoteId });
  } catch (error) {
    const message = `It was submitted as ${remoteId}, but that could not be stored: ${messageOf(error)}`;
    throw new JobFailure("not_stored", message, { retryable: false, details: { remote_id: remoteId } });
  }
}

function save(context: JobContext, checkpoint: Checkpoint): Promise<void> {
  const { attempt, step, remoteId, status } = checkpoint;
  return context.checkpoint.save({ attempt, step, ...defined({ remoteId, status }) });
}

function toSubmission(remoteId: string, known: string | undefined, context: JobContext): Submission {
  let lastStatus = known;
  return {
    remoteId,
    get lastStatus() {
      return lastStatus;
    },
    note: async (status) => {
      if (status === lastStatus) return;
      lastStatus = status;
      // A new job is known to be queued, and one that has completed is about to be settled.
      if (status === "IN_QUEUE" || status === "COMPLETED") return;
      await save(context, { attempt: context.attempt, step: "submitted", remoteId, status });
    },
  };
}

function unknownOutcome(why: string, cause?: unknown): JobFailure {
  const message = `It is not known whether the job was submitted: ${why}. It was not submitted again; look for it on the platform, then retry it if it is not there.`;
  return new JobFailure("submission_unknown", message, { retryable: false, cause });
}

function refused(error: RemoteError): JobFailure {
  return new JobFailure("not_submitted", `The job was not accepted: ${messageOf(error)}${adviceFor(error.status)}`, {
    retryable: error.isPassing,
    retryAfterMs: error.retryAfterMs,
    details: { status: error.status ?? null, ...defined({ body: error.body }) },
  });
}

function adviceFor(status: number | undefined): string {
  if (status === 401) return " Check the API key.";
  if (status === 402) return " Check the balance of the account.";
  if (status === 403) return " The key lacks permission.";
  if (status === 404) return " Check the endpoint's id.";
  return status === 400 || status === 422 ? " Check the shape of the input." : "";
}
