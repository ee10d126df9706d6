import { ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";
import { LonghaulError } from "../../../job/error.ts";

/** Unknown, expired and foreign tasks look the same: whoever asks learns nothing about other people's. */
export function refuseTask(error: unknown): never {
  if (!(error instanceof LonghaulError)) throw error;
  if (error.code === "not_found" || error.code === "expired") {
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, "Task not found: the id is unknown or has expired.");
  }
  const isCallersFault = error.code === "invalid_input" || error.code === "conflict" || error.code === "not_allowed";
  throw new ProtocolError(
    isCallersFault ? ProtocolErrorCode.InvalidParams : ProtocolErrorCode.InternalError,
    error.message,
  );
}
