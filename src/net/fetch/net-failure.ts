import { LonghaulError } from "../../job/error.ts";
import { JobFailure } from "../../job/failure.ts";

/** Why a request came to nothing, as a closed set. */
export type NetErrorCode =
  | "bad_url"
  | "blocked_address"
  | "dns_failed"
  | "connect_failed"
  | "tls_failed"
  | "timed_out"
  | "too_many_redirects"
  | "headers_too_large"
  | "body_too_large"
  | "bad_response";

/** The same request may succeed later; all others fail again. */
const retryableCodes = new Set<NetErrorCode>(["dns_failed", "connect_failed", "timed_out", "bad_response"]);

/**
 * A failure of the network, in a sentence that names the host as the caller knows it. It has no cause: the system's own
 * messages name resolved addresses, which are none of a remote caller's business.
 */
export function netFailure(code: NetErrorCode, message: string, reason?: string): JobFailure {
  return new JobFailure(code, message, {
    retryable: retryableCodes.has(code),
    details: reason === undefined ? undefined : { reason },
  });
}

export function toNetFailure(thrown: unknown, host: string): Error {
  if (thrown instanceof JobFailure || thrown instanceof LonghaulError) return thrown;
  const code = errorCodeOf(thrown);
  if (/TIMEOUT|ETIMEDOUT/.test(code)) {
    return netFailure("timed_out", `${host} did not answer in time: try again later, or allow more time.`, code);
  }
  if (code === "UND_ERR_HEADERS_OVERFLOW" || code === "HPE_HEADER_OVERFLOW") {
    return netFailure("headers_too_large", `${host} sent too many headers.`, code);
  }
  if (/^(HPE_|UND_ERR_RES|UND_ERR_REQ_CONTENT|Z_|ERR__|ERR_BROTLI|ERR_BUFFER)/.test(code)) {
    return netFailure("bad_response", `${host} sent a response that is not valid (${code}).`, code);
  }
  if (/^(UND_ERR_SOCKET|UND_ERR_DESTROYED|UND_ERR_CLOSED|E[A-Z]+)$/.test(code)) {
    return netFailure("connect_failed", `The connection to ${host} failed or broke (${code}).`, code);
  }
  return netFailure("bad_response", `The request to ${host} failed (${code}).`, code);
}

export function errorCodeOf(thrown: unknown): string {
  if (typeof thrown !== "object" || thrown === null) return "unknown";
  const { code, name } = thrown as { code?: unknown; name?: unknown };
  return typeof code === "string" ? code : typeof name === "string" ? name : "unknown";
}
