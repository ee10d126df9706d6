import { isBranded } from "./brand.ts";
import type { Json } from "./json.ts";

/** Why an attempt failed, as stored: plain data, small, free of secrets. */
export interface Failure {
  readonly code: string;
  readonly message: string;
  readonly retryable: boolean;
  readonly cause?: string;
  /** Facts for programs, such as an exit code. */
  readonly details?: Readonly<Record<string, Json>>;
}

export interface JobFailureFacts {
  /** False ends the job at once, whatever attempts are left. */
  readonly retryable?: boolean;
  /** Wait at least this long before the next attempt (a server's Retry-After). */
  readonly retryAfterMs?: number;
  /** How the job ends if it is not tried again: work that runs elsewhere may have been cancelled or timed out there. */
  readonly endsAs?: "timed_out" | "cancelled";
  readonly cause?: unknown;
  readonly details?: Readonly<Record<string, Json>>;
}

const brand = Symbol.for("longhaul.failure");

/** Thrown by a kind to end its attempt with a code of its own; any other error counts as retryable. */
export class JobFailure extends Error {
  static override [Symbol.hasInstance](value: unknown): boolean {
    return isBranded(value, brand, this, JobFailure);
  }

  get [brand](): true {
    return true;
  }
  override readonly name = "JobFailure";
  readonly code: string;
  readonly retryable: boolean;
  readonly retryAfterMs: number | undefined;
  readonly endsAs: "timed_out" | "cancelled" | undefined;
  readonly details: Readonly<Record<string, Json>> | undefined;

  constructor(code: string, message: string, facts: JobFailureFacts = {}) {
    super(message, facts.cause === undefined ? undefined : { cause: facts.cause });
    this.code = code;
    this.retryable = facts.retryable ?? true;
    this.retryAfterMs = facts.retryAfterMs;
    this.endsAs = facts.endsAs;
    this.details = facts.details;
  }
}

const longestMessage = 4_000;

export function toFailure(thrown: unknown): Failure {
  const code = thrown instanceof JobFailure ? thrown.code : "error";
  const retryable = thrown instanceof JobFailure ? thrown.retryable : true;
  const cause = thrown instanceof Error ? thrown.cause : undefined;
  return {
    code,
    message: messageOf(thrown),
    retryable,
    cause: cause === undefined ? undefined : messageOf(cause),
    details: thrown instanceof JobFailure ? thrown.details : undefined,
  };
}

export function messageOf(thrown: unknown): string {
  const text = thrown instanceof Error ? thrown.message || thrown.name : toText(thrown);
  return text.length > longestMessage ? `${text.slice(0, longestMessage)}…` : text;
}

function toText(thrown: unknown): string {
  try {
    return String(thrown);
  } catch {
    return "something that has no text was thrown";
  }
}
