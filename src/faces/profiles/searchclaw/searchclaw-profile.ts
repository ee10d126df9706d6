import type { CallToolResult } from "@modelcontextprotocol/server";
import { LonghaulError } from "../../../job/error.ts";
import { describeError } from "../../door/http-error.ts";
import { toolError } from "../../mcp/tasks/outcome.ts";
import { presentJob } from "../core/reply.ts";
import { defineProfile, toJsonResult } from "../profile.ts";
import { searchclawTools, type SearchclawAnswer } from "./tools.ts";

/** The tools of SearchClaw's MCP server, over crawl jobs of our own. */
export const searchclawProfile = defineProfile({
  serverName: "searchclaw",
  tools: searchclawTools,
  toResult,
  toError,
  present: presentJob,
});

function toResult({ reply, images }: SearchclawAnswer): CallToolResult {
  const { content, ...result } = toJsonResult(reply);
  const pictures = images.map((data) => ({ type: "image" as const, data, mimeType: "image/png" }));
  return { content: [...content, ...pictures], ...result };
}

/** As SearchClaw's client tells what its service answered. */
function toError(error: unknown, toolName: string): CallToolResult {
  const { status: own, detail: sentence } = describeError(error);
  const isOurs = error instanceof LonghaulError;
  const status = isOurs ? (error.details["status"] ?? statusOf(error, own)) : own;
  const detail = isOurs && status === 422 ? [toProblem(error, toolName)] : sentence;
  return toolError(`SearchClaw API error ${status}: ${JSON.stringify({ detail })}`);
}

/** Where its service has another status than we have elsewhere. */
function statusOf({ code }: LonghaulError, status: number): number {
  if (code === "invalid_input") return 422;
  return code === "unavailable" ? 503 : status;
}

/** What its client sends as part of the address. */
const queryTools = new Set(["search", "search_ai", "suggest"]);

/** As its service says which field is wrong. */
function toProblem({ message, details }: LonghaulError, toolName: string): object {
  const field = String(details["field"] ?? "");
  const path = field === "" ? [] : field.split(".").map((key) => (/^\d+$/.test(key) ? Number(key) : key));
  const type = message.includes(" is missing") ? "missing" : "value_error";
  return { type, loc: [queryTools.has(toolName) ? "query" : "body", ...path], msg: message };
}
