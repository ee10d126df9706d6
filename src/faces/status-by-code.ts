import type { ErrorCode } from "../job/error.ts";

/** The HTTP status of each error that a caller can act on. */
export const statusByCode: Readonly<Record<ErrorCode, number>> = {
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
