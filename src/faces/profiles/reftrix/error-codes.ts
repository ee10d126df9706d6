import { LonghaulError } from "../../../job/error.ts";
import { JobFailure, messageOf, type Failure } from "../../../job/failure.ts";
import type { Job } from "../../../job/job.ts";
import { endMessage } from "../../mcp/tasks/outcome.ts";

/** An error under the code that clients of Reftrix know. */
export class ReftrixError extends Error {
  override readonly name = "ReftrixError";
  readonly code: string;
  /** What else stands beside code and message. */
  readonly more: Readonly<Record<string, unknown>>;

  constructor(code: string, message: string, more: Readonly<Record<string, unknown>> = {}) {
    super(message);
    this.code = code;
    this.more = more;
  }
}

const codesOfFailures: Readonly<Record<string, string>> = {
  blocked_address: "SSRF_BLOCKED",
  robots_disallowed: "ROBOTS_TXT_BLOCKED",
  timed_out: "TIMEOUT_ERROR",
  http_error: "HTTP_ERROR",
  browser_lost: "BROWSER_ERROR",
  browser_missing: "BROWSER_UNAVAILABLE",
  layout_failed: "LAYOUT_ANALYSIS_FAILED",
  motion_failed: "MOTION_DETECTION_FAILED",
  quality_failed: "QUALITY_EVALUATION_FAILED",
};
const networkCodes: ReadonlySet<string> = new Set([
  "bad_url",
  "dns_failed",
  "connect_failed",
  "tls_failed",
  "too_many_redirects",
  "headers_too_large",
  "body_too_large",
  "bad_response",
  "load_failed",
]);

/** What is told of a fault that is nobody's answer stays in the server's log. */
export function toReftrixError(error: unknown): ReftrixError {
  if (error instanceof ReftrixError) return error;
  if (!(error instanceof LonghaulError))
    return new ReftrixError("INTERNAL_ERROR", "The server failed; its log says why.");
  return new ReftrixError(codeOf(error), error.message);
}

/** Where a tool has a word of its own for a code. */
export function inWordsOf(codes: Readonly<Record<string, string>>, error: unknown): ReftrixError {
  const known = toReftrixError(error);
  const code = codes[known.code];
  return code === undefined ? known : new ReftrixError(code, known.message, known.more);
}

function codeOf({ code, cause }: LonghaulError): string {
  if (code === "invalid_input" || code === "too_large" || code === "conflict") return "VALIDATION_ERROR";
  if (code === "not_found" || code === "expired") return "JOB_NOT_FOUND";
  if (code === "not_allowed") return cause instanceof JobFailure ? "SSRF_BLOCKED" : "FORBIDDEN";
  return "INTERNAL_ERROR";
}

/** Why a job of a page has no result. */
export function errorOfJob(job: Job): ReftrixError {
  const failure = "failure" in job.state ? job.state.failure : undefined;
  return new ReftrixError(failure === undefined ? "INTERNAL_ERROR" : codeOfFailure(failure), reasonOf(job));
}

/** The same with our parameter's name in this profile. */
export function reasonOf(job: Job): string {
  return messageOf(endMessage(job)).replace(
    "set respect_robots to false",
    "set respect_robots_txt to false (opening a page against its owner's wish may be unlawful)",
  );
}

export function codeOfPhase(name: string): string {
  return codesOfFailures[`${name}_failed`] ?? "INTERNAL_ERROR";
}

function codeOfFailure({ code }: Failure): string {
  return codesOfFailures[code] ?? (networkCodes.has(code) ? "NETWORK_ERROR" : "INTERNAL_ERROR");
}
