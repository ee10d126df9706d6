import { setTimeout as delay } from "node:timers/promises";
import { defined } from "../../job/defined.ts";
import { JobFailure, messageOf } from "../../job/failure.ts";
import type { Json } from "../../job/json.ts";
import type { JobContext, StopCause } from "../../job/kind.ts";
import type { EndpointInput, EndpointResult } from "./contract.ts";
import { Follower, type RemoteParts } from "./follower.ts";
import { isFinal, RemoteError, type RemoteSnapshot } from "./remote-endpoint.ts";
import { findOrSubmit } from "./submission.ts";

const cancelTries = 5;

/** Runs a job on a platform: submits it once, follows it whatever happens to this process, and ends it when told to. */
export async function runRemote(
  { endpoint: _endpoint, platform_webhook: webhook, ...given }: EndpointInput,
  context: JobContext,
  parts: RemoteParts,
): Promise<EndpointResult> {
  const follower = new Follower(context, parts);
  context.serve({ inspect: () => follower.inspect() });
  try {
    const putOff = follower.putOff.bind(follower);
    const submission = await findOrSubmit({ ...given, webhook }, context, { remote: parts.remote, putOff });
    const snapshot = await follower.follow(submission).catch(async (thrown: unknown) => {
      if (isToBeEnded(context.signal)) await cancelRemote(submission.remoteId, context, parts);
      throw thrown;
    });
    return toResult(snapshot, submission.remoteId, parts);
  } catch (thrown) {
    throw thrown instanceof JobFailure ? concealed(thrown, parts) : thrown;
  } finally {
    follower.end();
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

/** Facts of a failure are to be small. */
const longestKept = 100_000;

function toResult(snapshot: RemoteSnapshot, remoteId: string, { hide }: RemoteParts): EndpointResult {
  const { status, delayMs, executionMs, worker, output, error } = snapshot;
  const times = defined({ delay_ms: delayMs, execution_ms: executionMs, worker });
  if (status === "COMPLETED") {
    return { ...times, ...hideIn(defined({ output }), hide), remote_id: remoteId };
  }
  const said = error ?? output;
  const why = said === undefined ? "" : `: ${typeof said === "string" ? said : JSON.stringify(said)}`;
  const isKept = output !== undefined && JSON.stringify(output).length <= longestKept;
  const told = defined({ error, output: isKept ? output : undefined });
  const details: Record<string, Json> = { remote_status: status, remote_id: remoteId, ...times, ...told };
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

function hideIn<Value extends object>(value: Value, hide: RemoteParts["hide"]): Value {
  const text = JSON.stringify(value);
  const shown = hide(text);
  return shown === text ? value : (JSON.parse(shown) as Value);
}

/** A platform may say our own secrets back to us. */
function concealed(failure: JobFailure, { redactor, hide }: RemoteParts): JobFailure {
  const { code, retryable, retryAfterMs, endsAs } = failure;
  const details = failure.details && hideIn(failure.details, hide);
  return new JobFailure(code, redactor.text(failure.message), {
    retryable,
    retryAfterMs,
    endsAs,
    details,
  });
}
