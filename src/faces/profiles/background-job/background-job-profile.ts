import type { CallToolResult } from "@modelcontextprotocol/server";
import { LonghaulError } from "../../../job/error.ts";
import { messageOf } from "../../../job/failure.ts";
import { toolError } from "../../mcp/tasks/outcome.ts";
import { presentJob } from "../core/reply.ts";
import { defineProfile } from "../profile.ts";
import { backgroundJobTools } from "./tools.ts";

/** The tools of mcp-background-job, over durable jobs that run in a real shell. */
export const backgroundJobProfile = defineProfile({
  serverName: "mcp-background-job",
  tools: backgroundJobTools,
  // What its README calls them.
  aliases: {
    execute: "execute_command",
    list: "list_jobs",
    status: "get_job_status",
    output: "get_job_output",
    tail: "tail_job_output",
    interact: "interact_with_job",
    kill: "kill_job",
  },
  toResult: (reply) => ({ content: [{ type: "text", text: JSON.stringify(reply) }], structuredContent: reply }),
  toError,
  present: presentJob,
});

/** The refusals of its handlers are said as they stand, those of its schemas as one of them. */
function toError(error: unknown, toolName: string): CallToolResult {
  const isOurs = error instanceof LonghaulError;
  if (isOurs && /^(Job |Invalid |The call of )/.test(error.message)) return toolError(error.message);
  if (isOurs && error.code === "invalid_input") return toolError(`Invalid parameter: ${error.message}`);
  return toolError(`Failed to ${toolName.replaceAll("_", " ")}: ${messageOf(error)}`);
}
