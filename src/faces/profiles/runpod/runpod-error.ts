import type { CallToolResult } from "@modelcontextprotocol/server";
import { defined } from "../../../job/defined.ts";
import { LonghaulError } from "../../../job/error.ts";
import { isRecord } from "../../../job/is-record.ts";
import type { Json } from "../../../job/json.ts";
import { tryParseJson } from "../../../text/parse-json.ts";
import { describeError } from "../../door/http-error.ts";
import { toolError } from "../../mcp/tasks/outcome.ts";

/** Arguments that a tool does not take. */
export class RunpodRefusal extends Error {
  override readonly name = "RunpodRefusal";
  readonly payload: Record<string, Json>;

  constructor(error: string, facts: Record<string, Json>) {
    super(error);
    this.payload = { error, ...facts };
  }
}

/** In the form that clients of RunPod's server know: `error`, what the platform said as `detail`, and a hint. */
export function toRunpodError(error: unknown, toolName: string): CallToolResult {
  const { status, payload } = describe(error, toolName);
  const inside = isRecord(payload["detail"]) ? payload["detail"]["hint"] : undefined;
  const hint = payload["hint"] ?? inside ?? hintFor(status);
  return toolError(JSON.stringify({ ...payload, ...defined({ hint }) }, null, 2));
}

function describe(error: unknown, toolName: string): { status: number; payload: Record<string, Json> } {
  if (error instanceof RunpodRefusal) return { status: 400, payload: error.payload };
  const { status, detail } = describeError(error);
  const details = error instanceof LonghaulError ? error.details : {};
  if (typeof details["status"] === "number") return ofPlatform(details["status"], details, toolName);
  if (/ must be a (string matching|finite number) /.test(detail)) {
    return { status, payload: { error: detail.replace(/, got [^]*$/, "") } };
  }
  const isAnswered = status === 404 || status === 410;
  if (isAnswered) return { status: 404, payload: { error: title("runtime API", 404), detail: { error: detail } } };
  return { status, payload: { error: detail } };
}

/** The API that lists endpoints is quoted as it stands; the others say which of them it was. */
function ofPlatform(
  status: number,
  { body, retry_after_ms: retryAfterMs }: LonghaulError["details"],
  toolName: string,
): { status: number; payload: Record<string, Json> } {
  const text = typeof body === "string" ? body : "";
  const said = tryParseJson(text);
  const wait: Record<string, Json> = status === 429 ? { hint: waitHint(retryAfterMs) } : {};
  if (toolName === "list-endpoints" || toolName === "list-endpoint-workers") {
    return { status, payload: { ...(isRecord(said) ? said : { error: said ?? text }), ...wait } };
  }
  if (toolName === "stream-worker-logs" || toolName === "list-public-endpoints") {
    const api = toolName === "list-public-endpoints" ? "GraphQL HTTP" : "API";
    return { status, payload: { error: title(api, status), detail: status === 429 ? { error: text, ...wait } : text } };
  }
  const detail = said ?? text;
  const told = status === 429 ? { ...(isRecord(detail) ? detail : { error: detail }), ...wait } : detail;
  return { status, payload: { error: title("runtime API", status), detail: told } };
}

function title(api: string, status: number): string {
  return `Runpod ${api} error (${status})`;
}

function waitHint(retryAfterMs: unknown): string {
  const wait = typeof retryAfterMs === "number" ? `wait ${Math.ceil(retryAfterMs / 1_000)} s` : "wait a while";
  return `rate limited: ${wait} before you try again`;
}

function hintFor(status: number): string | undefined {
  if (status === 400 || status === 422)
    return "Check the arguments against the tool's schema, and input against what the handler takes.";
  if (status === 401) return "The API key is missing or not valid.";
  if (status === 402) return "Check the balance of the account.";
  if (status === 403) return "The key or token lacks the permission for this.";
  if (status === 404)
    return "Check the id: list-endpoints has those of endpoints; a platform forgets jobs 30 minutes after their end.";
  if (status === 429) return waitHint(undefined);
  return status >= 500 ? "Try once more; if it stays so, the fault is on the platform's side." : undefined;
}
