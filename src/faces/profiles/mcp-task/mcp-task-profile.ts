import type { CallToolResult } from "@modelcontextprotocol/server";
import { messageOf } from "../../../job/failure.ts";
import { toolError } from "../../mcp/tasks/outcome.ts";
import { taskWords } from "../agent-prompts.ts";
import { presentJob } from "../core/reply.ts";
import { defineProfile, toJsonResult } from "../profile.ts";
import type { TaskReply } from "./task-reference.ts";
import { taskTools } from "./tools.ts";

/** The tools and prompts of just-every/mcp-task, over durable agent jobs. */
export const mcpTaskProfile = defineProfile({
  serverName: "task-runner",
  tools: taskTools,
  promptWords: taskWords,
  toResult,
  // The text that clients know, but as a result.
  toError: (error) => toolError(`Failed to execute task: ${messageOf(error)}`),
  present: presentJob,
});

function toResult(reply: TaskReply): CallToolResult {
  return typeof reply === "string" ? { content: [{ type: "text", text: reply }] } : toJsonResult(reply);
}
