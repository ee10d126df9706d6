import { messageOf } from "../../../job/failure.ts";
import { parseRetryAfter } from "../../../text/retry-after.ts";
import { modelLabel, type ModelChoice } from "./model-names.ts";

/** `busy` may go by itself, `overflow` goes when less is sent, `refused` does not go. */
type ModelErrorType = "busy" | "overflow" | "refused";

/** Why a model did not answer. */
export class ModelError extends Error {
  override readonly name = "ModelError";
  readonly type: ModelErrorType;
  readonly status: number | undefined;
  readonly retryAfterMs: number | undefined;

  constructor(
    type: ModelErrorType,
    message: string,
    facts: { status?: number; retryAfterMs?: number; cause?: unknown } = {},
  ) {
    super(message, { cause: facts.cause });
    this.type = type;
    this.status = facts.status;
    this.retryAfterMs = facts.retryAfterMs;
  }
}

const overflow =
  /context.{0,10}(length|window|limit)|prompt is too long|too many (input )?tokens|input (is )?too (long|large)|maximum.{0,20}tokens|maximum prompt length|exceeds? .{0,30}(context|tokens)/i;
const busy = /overloaded|rate.?limit|temporarily|try again|unavailable|timeout|internal server error|server_error/i;

/** What the SDK or the network threw, in our words. The body of an answer may quote the request, so only its message is kept. */
export function toModelError(thrown: unknown, choice: ModelChoice): ModelError {
  if (thrown instanceof ModelError) return thrown;
  const { statusCode, responseHeaders = {}, responseBody = "" } = factsOf(thrown);
  const told = tellMessage(thrown);
  const status = statusCode === undefined ? "" : ` (HTTP ${statusCode})`;
  const message = `${modelLabel(choice)} did not answer${status}: ${told}`;
  const type = classify(statusCode, `${told} ${responseBody}`, thrown);
  return new ModelError(type, message, { status: statusCode, retryAfterMs: retryAfter(responseHeaders) });
}

interface CallFacts {
  readonly statusCode?: number;
  readonly responseHeaders?: Record<string, string>;
  readonly responseBody?: string;
}

function factsOf(thrown: unknown): CallFacts {
  return typeof thrown === "object" && thrown !== null ? thrown : {};
}

function classify(status: number | undefined, text: string, thrown: unknown): ModelErrorType {
  if (status === 413 || ((status === 400 || status === 422 || status === undefined) && overflow.test(text))) {
    return "overflow";
  }
  if (status !== undefined && status >= 400) {
    return status === 408 || status === 409 || status === 429 || status >= 500 ? "busy" : "refused";
  }
  // Without a status of its own it broke on the way, or in the middle of the answer.
  return isNetworkFault(thrown) || busy.test(text) ? "busy" : "refused";
}

function isNetworkFault(thrown: unknown): boolean {
  for (let error = thrown; error instanceof Error; error = error.cause) {
    const { code = "" } = error as { code?: string };
    if (/^(E[A-Z]+|UND_ERR_\w+)$/.test(code)) return true;
    if (
      /fetch failed|terminated|socket|cannot connect|network|No output generated|empty response/i.test(error.message)
    ) {
      return true;
    }
  }
  return false;
}

const longestMessage = 500;

function tellMessage(thrown: unknown): string {
  const isObject = typeof thrown === "object" && thrown !== null && !(thrown instanceof Error);
  const inner = isObject && "message" in thrown ? thrown.message : undefined;
  const text = typeof inner === "string" ? inner : isObject ? JSON.stringify(thrown) : messageOf(thrown);
  return text.length > longestMessage ? `${text.slice(0, longestMessage)}…` : text;
}

function retryAfter(headers: Record<string, string>): number | undefined {
  const ms = Number(headers["retry-after-ms"] ?? NaN);
  return Number.isNaN(ms) ? parseRetryAfter(headers["retry-after"], Date.now()) : Math.max(0, ms);
}
