import { STATUS_CODES } from "node:http";
import { LonghaulError, type ErrorCode } from "../../job/error.ts";
import { messageOf } from "../../job/failure.ts";
import type { Refusal } from "./admission.ts";

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
  const code = {
    400: "invalid_input",
    401: "unauthorized",
    403: "not_allowed",
    429: "too_many_requests",
    503: "stopped",
  }[status];
  return new HttpError(status, code, message, headers);
}

/** What the caller is told of an error. */
interface Description {
  readonly status: number;
  readonly code: string;
  readonly detail: string;
  readonly headers: Headers;
  readonly details: LonghaulError["details"];
}

const statusByCode: Readonly<Record<ErrorCode, number>> = {
  invalid_input: 400,
  unknown_kind: 400,
  too_large: 413,
  not_found: 404,
  expired: 410,
  conflict: 409,
  not_allowed: 403,
  store_in_use: 503,
  store_damaged: 503,
  store_too_new: 503,
  storage_full: 507,
  storage_failed: 500,
  unavailable: 502,
  stopped: 503,
};

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

interface ToldError {
  readonly status?: number;
  /** JSON unless given. */
  readonly type?: string;
  readonly body: object;
}

export type ErrorForm = "problem" | "jsonRpc" | "runpod";

/** How each entrance tells its clients of an error. */
export const errorForms: Readonly<Record<ErrorForm, (error: Description, path: string) => ToldError>> = {
  /** Problem details (RFC 9457). */
  problem: ({ status, code, detail, details }, instance) => {
    const type = `urn:longhaul:problem:${code}`;
    const body = { type, title: STATUS_CODES[status] ?? "Error", status, detail, code, instance };
    const hasDetails = Object.keys(details).length > 0;
    return { type: "application/problem+json", body: hasDetails ? { ...body, details } : body };
  },
  jsonRpc: ({ detail }) => ({ body: { jsonrpc: "2.0", error: { code: -32_000, message: detail }, id: null } }),
  /** What was there and is no more does not differ, for RunPod, from what never was. */
  runpod: ({ status, detail }) => ({ status: status === 410 ? 404 : status, body: { error: detail } }),
};
