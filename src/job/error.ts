import { isBranded } from "./brand.ts";

/** What went wrong, as a closed set that every face translates once. */
export type ErrorCode =
  | "invalid_input"
  | "unknown_kind"
  | "too_large"
  | "not_found"
  | "expired"
  | "conflict"
  | "not_allowed"
  | "store_in_use"
  | "store_damaged"
  | "store_too_new"
  | "storage_full"
  | "storage_failed"
  | "unavailable"
  | "stopped";

export interface ErrorFacts {
  readonly cause?: unknown;
  /** Machine-readable facts for the caller: the field, the limit, the time. Never a secret. */
  readonly details?: Readonly<Record<string, string | number | boolean>>;
}

const brand = Symbol.for("longhaul.error");

/** An error that the caller can act on: its message says what was expected, what came and what to do. */
export class LonghaulError extends Error {
  static override [Symbol.hasInstance](value: unknown): boolean {
    return isBranded(value, brand, this, LonghaulError);
  }

  get [brand](): true {
    return true;
  }
  override readonly name = "LonghaulError";
  readonly code: ErrorCode;
  readonly details: Readonly<Record<string, string | number | boolean>>;

  constructor(code: ErrorCode, message: string, facts: ErrorFacts = {}) {
    super(message, facts.cause === undefined ? undefined : { cause: facts.cause });
    this.code = code;
    this.details = facts.details ?? {};
  }
}

export function assertNever(value: never): never {
  throw new Error(`unexpected value: ${JSON.stringify(value)}`);
}
