import type { CallToolResult } from "@modelcontextprotocol/server";
import type { Failure } from "../../../job/failure.ts";
import { isRecord } from "../../../job/is-record.ts";
import type { Job } from "../../../job/job.ts";
import type { Json } from "../../../job/json.ts";
import { isTerminal } from "../../../job/state.ts";
import type { JobAccess, Presenter } from "../tools/job-tool.ts";
import { BoundedMap } from "../../../job/bounded-map.ts";
import { protocolErrorCode, type TaskOutcome } from "./job-to-task.ts";
import { sayStatus } from "../../../job/status-words.ts";

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
  return state.status === "cancelled"
    ? `Job ${id} was cancelled: ${state.reason}.`
    : `Job ${id} ${sayStatus(state.status)}.`;
}

export function toolError(text: string): CallToolResult {
  return { content: [{ type: "text", text }], isError: true };
}

export function toToolResult(result: Json): CallToolResult {
  if (isToolResult(result)) return result;
  const text = typeof result === "string" ? result : JSON.stringify(result);
  return { content: [{ type: "text", text }], ...(isRecord(result) ? { structuredContent: result } : {}) };
}

/** A kind may return a tool's result as it stands. */
function isToolResult(result: Json): result is Json & CallToolResult {
  return (
    isRecord(result) &&
    Array.isArray(result["content"]) &&
    result["content"].every((block) => typeof block === "object" && block !== null && "type" in block)
  );
}

function rpcCode({ details }: Failure): number {
  const code = details?.["rpc_code"];
  return typeof code === "number" ? code : internalError;
}

const maxOutcomes = 500;
const maxCharacters = 16_000;

/**
 * What finished jobs came to, for clients that ask again. A finished job does not change but by a retry, which gives it new
 * events, so an entry is good for as long as its number of events is. Large outcomes are read anew each time.
 */
export class OutcomeCache {
  readonly #outcomes = new BoundedMap<string, TaskOutcome | undefined>(maxOutcomes);

  async get(job: Job, read: () => Promise<TaskOutcome | undefined>): Promise<TaskOutcome | undefined> {
    if (!isTerminal(job.state)) return undefined;
    const key = `${job.id}/${job.lastSeq}`;
    if (this.#outcomes.has(key)) return this.#outcomes.get(key);
    const outcome = await read();
    if (JSON.stringify(outcome ?? null).length <= maxCharacters) this.#outcomes.set(key, outcome);
    return outcome;
  }
}
