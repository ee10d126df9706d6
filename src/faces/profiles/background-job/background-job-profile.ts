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

function toError(error: unknown, toolName: string): CallToolResult {
  const isTold = error instanceof LonghaulError && /^(Job |Invalid |The call of )/.test(error.message);
  return toolError(isTold ? error.message : `Failed to ${toolName.replaceAll("_", " ")}: ${messageOf(error)}`);
}
