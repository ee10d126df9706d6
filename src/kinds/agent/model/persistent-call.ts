import { setTimeout as delay } from "node:timers/promises";
import { JobFailure } from "../../../job/failure.ts";
import { withoutThoughts } from "../conversation.ts";
import type { ModelClient, ModelReply, ModelRequest } from "./call-model.ts";
import { ModelError } from "./model-error.ts";
import { modelLabel, type ModelChoice } from "./model-names.ts";

export interface RetryPolicy {
  /** How often one model is asked before the next one is. */
  readonly tries: number;
  readonly initialMs: number;
  readonly maxMs: number;
}

export const defaultRetryPolicy: RetryPolicy = { tries: 5, initialMs: 1_000, maxMs: 60_000 };

export interface PersistentRequest extends Omit<ModelRequest, "choice"> {
  readonly choices: readonly ModelChoice[];
  /** Which of them answered last: those before it have been given up. */
  readonly current: number;
  readonly onRetry: (event: { model: string; error: string; waitMs?: number; nextModel?: string }) => void;
}

export interface PersistentReply extends ModelReply {
  readonly current: number;
}

/**
 * Asks again what is busy, after the time that it asks for, then the next model; ends as a failure when all have been given up.
 * An overflow is thrown to the caller, who can send less.
 */
export async function callPersistently(
  client: ModelClient,
  { choices, current, onRetry, ...request }: PersistentRequest,
  policy: RetryPolicy,
): Promise<PersistentReply> {
  let last: ModelError | undefined;
  for (let index = current; index < choices.length; index++) {
    const choice = choices[index] as ModelChoice;
    const model = modelLabel(choice);
    for (let tried = 1; ; tried++) {
      try {
        const messages = index === current ? request.messages : withoutThoughts(request.messages);
        return { ...(await client.call({ ...request, messages, choice })), current: index };
      } catch (error) {
        if (!(error instanceof ModelError) || error.type === "overflow") throw error;
        last = error;
      }
      if (last.type === "refused" || tried >= policy.tries) break;
      const waitMs = last.retryAfterMs ?? backoffMs(policy, tried);
      onRetry({ model, error: last.message, waitMs });
      await pause(waitMs, request);
    }
    const next = choices[index + 1];
    if (next !== undefined) onRetry({ model, error: last.message, nextModel: modelLabel(next) });
  }
  throw toFailure(last, choices.length);
}

function backoffMs({ initialMs, maxMs }: RetryPolicy, tried: number): number {
  const jitter = 0.5 + Math.random() / 2;
  return Math.min(maxMs, initialMs * 2 ** (tried - 1)) * jitter;
}

const lookMs = 10_000;

/** A wait that was asked for is no silence. */
async function pause(
  waitMs: number,
  { signal, onActivity }: Pick<ModelRequest, "signal" | "onActivity">,
): Promise<void> {
  const ends = performance.now() + waitMs;
  for (let leftMs = waitMs; leftMs > 0; leftMs = ends - performance.now()) {
    await delay(Math.min(lookMs, leftMs), undefined, { signal }).catch(() => undefined);
    signal.throwIfAborted();
    onActivity(false);
  }
}

function toFailure(last: ModelError | undefined, count: number): JobFailure {
  const others = count > 1 ? ` All ${count} models were tried.` : "";
  const isBusy = last?.type === "busy";
  const hint = last?.status === 401 || last?.status === 403 ? " Check its key." : "";
  return new JobFailure(
    isBusy ? "model_busy" : "model_refused",
    `${last?.message ?? "No model answered."}${hint}${others}`,
    {
      retryable: isBusy,
      details: last?.status === undefined ? undefined : { status: last.status },
    },
  );
}
