import type { CallToolResult } from "@modelcontextprotocol/server";
import { LonghaulError } from "../../../job/error.ts";
import { describeError } from "../../door/http-error.ts";
import { toolError } from "../../mcp/tasks/outcome.ts";
import { presentJob } from "../core/reply.ts";
import { defineProfile, toJsonResult } from "../profile.ts";
import { runpodTools } from "./tools.ts";

/** The job tools of RunPod's MCP server, over jobs that outlive the platform's memory of them. */
export const runpodProfile = defineProfile({
  serverName: "runpod-mcp-server",
  tools: runpodTools,
  toResult: toJsonResult,
  toError,
  present: presentJob,
});

/** The texts that clients of RunPod's server know. */
function toError(error: unknown): CallToolResult {
  if (error instanceof LonghaulError && error.code === "invalid_input") {
    const [known] = /Invalid (endpoint|job) ID format/.exec(error.message) ?? [];
    if (known !== undefined) return toolError(known);
  }
  const { status, detail } = describeError(error);
  const upstream = error instanceof LonghaulError ? error.details["status"] : undefined;
  return toolError(`Runpod Serverless API Error: ${upstream ?? status} - ${JSON.stringify({ error: detail })}`);
}
