import { STATUS_CODES } from "node:http";
import { LonghaulError } from "../../job/error.ts";
import { messageOf } from "../../job/failure.ts";
import type { Refusal } from "../admission.ts";
import { statusByCode } from "../status-by-code.ts";
import { safetyHeaders } from "./reply.ts";

type Headers = Readonly<Record<string, string>>;

/** What only HTTP can get wrong. What the operations refuse is a LonghaulError. */
export class HttpError extends Error {
  override readonly name = "HttpError";
  readonly status: number;
  readonly code: string;
  readonly headers: Headers;

  constructor(status: number, code: string, message: string, headers: Headers = {}) {
    super(message);
    this.status = status;
    this.code = code;
    this.headers = headers;
  }
}

export function toHttpError({ status, message, retryAfterSeconds }: Refusal): HttpError {
  const headers = {
    ...(status === 401 ? { "www-authenticate": "Bearer" } : {}),
    ...(retryAfterSeconds === undefined ? {} : { "retry-after": String(retryAfterSeconds) }),
  };
  const code = { 401: "unauthorized", 403: "not_allowed", 429: "too_many_requests", 503: "stopped" }[status];
  return new HttpError(status, code, message, headers);
}

/** Every error as problem details (RFC 9457), the one form in which this face refuses. */
export function toProblem(error: unknown, path: string): { status: number; body: string; headers: Headers } {
  const { status, code, headers, detail, details } = describeError(error);
  const body = JSON.stringify({
    type: `urn:longhaul:problem:${code}`,
    title: STATUS_CODES[status] ?? "Error",
    status,
    detail,
    code,
    instance: path,
    ...(Object.keys(details).length === 0 ? {} : { details }),
  });
  return { status, body, headers: { ...safetyHeaders, ...headers, "content-type": "application/problem+json" } };
}

interface Description {
  readonly status: number;
  readonly code: string;
  readonly detail: string;
  readonly headers: Headers;
  readonly details: LonghaulError["details"];
}

/** What the caller is told of an error. */
export function describeError(error: unknown): Description {
  if (error instanceof LonghaulError) {
    const { code, message: detail, details } = error;
    const status = statusByCode[code];
    return { status, code, detail, details, headers: status === 503 ? { "retry-after": "1" } : {} };
  }
  if (error instanceof HttpError) {
    const { status, code, message: detail, headers } = error;
    return { status, code, detail, headers, details: {} };
  }
  const detail = `Something went wrong inside: ${messageOf(error)}`;
  return { status: 500, code: "internal", detail, headers: {}, details: {} };
}
