import type { CallToolResult } from "@modelcontextprotocol/server";
import type { Failure } from "../../job/failure.ts";
import type { Job } from "../../job/job.ts";
import type { Json } from "../../job/json.ts";
import { isTerminal } from "../../job/state.ts";
import type { JobAccess, Presenter } from "./job-tool.ts";
import { protocolErrorCode, type TaskOutcome } from "./project.ts";

const internalError = -32_603;

/** What a job has come to; undefined while it has not ended, and for one that was cancelled before it could. */
export async function readOutcome(job: Job, access: JobAccess, present: Presenter): Promise<TaskOutcome | undefined> {
  const { state } = job;
  if (!isTerminal(state) || state.status === "cancelled") return undefined;
  if (state.status === "failed" && state.failure.code === protocolErrorCode) {
    return { type: "error", error: { code: rpcCode(state.failure), message: state.failure.message } };
  }
  return { type: "result", result: await present(job, access) };
}

/** For jobs of which nothing but their result is known: a failure is a result too, marked as an error. */
export const presentPlainly: Presenter = async (job, { engine, actor }) => {
  const { state } = job;
  if (state.status === "succeeded") return toToolResult(await engine.result(job.id, actor));
  return toolError(endMessage(job));
};

/** Why a job ended without a result, or where it stands. */
export function endMessage({ id, state }: Job): string {
  if (state.status === "failed" || state.status === "timed_out") return state.failure.message;
  return state.status === "cancelled" ? `Job ${id} was cancelled: ${state.reason}.` : `Job ${id} is ${state.status}.`;
}

export function toolError(text: string): CallToolResult {
  return { content: [{ type: "text", text }], isError: true };
}

export function toToolResult(result: Json): CallToolResult {
  if (isToolResult(result)) return result;
  const text = typeof result === "string" ? result : JSON.stringify(result);
  const isObject = typeof result === "object" && result !== null && !Array.isArray(result);
  return { content: [{ type: "text", text }], ...(isObject ? { structuredContent: result } : {}) };
}

/** A kind may return a tool's result as it stands. */
function isToolResult(result: Json): result is Json & CallToolResult {
  return (
    typeof result === "object" &&
    result !== null &&
    "content" in result &&
    Array.isArray(result["content"]) &&
    result["content"].every((block) => typeof block === "object" && block !== null && "type" in block)
  );
}

function rpcCode({ details }: Failure): number {
  const code = details?.["rpc_code"];
  return typeof code === "number" ? code : internalError;
}
