import type { CallToolResult } from "@modelcontextprotocol/server";
import { LonghaulError } from "../../../job/error.ts";
import { describeError } from "../../door/http-error.ts";
import { toolError } from "../../mcp/tasks/outcome.ts";
import { presentJob } from "../core/reply.ts";
import { defineProfile, toJsonResult } from "../profile.ts";
import { searchclawTools, type SearchclawAnswer } from "./tools.ts";

/** The tools of SearchClaw's MCP server, over crawl jobs of our own. */
export const searchclawProfile = defineProfile({
  serverName: "searchclaw-mcp",
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
function toError(error: unknown): CallToolResult {
  const { status, detail } = describeError(error);
  const shown = error instanceof LonghaulError ? (error.details["status"] ?? statusOf(error, status)) : status;
  return toolError(`SearchClaw API error ${shown}: ${JSON.stringify({ detail })}`);
}

/** Where its service has another status than we have elsewhere. */
function statusOf({ code }: LonghaulError, status: number): number {
  if (code === "invalid_input") return 422;
  return code === "unavailable" ? 503 : status;
}
