import { McpServer, type CallToolResult } from "@modelcontextprotocol/server";
import { messageOf } from "../../../job/failure.ts";
import type { OperationContext } from "../../../operations/operation.ts";
import { registerAgentPrompts, taskWords } from "../agent-prompts.ts";
import type { JobsContext } from "../connection.ts";
import { presentJob } from "../core/reply.ts";
import { toolError } from "../outcome.ts";
import { serveJobs } from "../serve-jobs.ts";
import { toFullToolSchema } from "../tool-schema.ts";
import { taskTools, type TaskCall, type TaskTool } from "./tools.ts";

/** The profile `mcp-task`: the tools and prompts of just-every/mcp-task, over durable agent jobs. */
export function buildMcpTaskServer(context: JobsContext, server: OperationContext["server"]): McpServer {
  const mcp = new McpServer({ name: "task-runner", title: "Longhaul", version: server.version });
  serveJobs(mcp, context, { present: presentJob });
  if (context.isTaskRequest) return mcp;
  const { engine, actor } = context;
  for (const tool of taskTools) {
    const { title, description, annotations } = tool;
    const config = { title, description, annotations, inputSchema: toFullToolSchema(tool.input) };
    mcp.registerTool(tool.name, config, (args, request) =>
      call(tool, args, { engine, actor, request, limits: server.agents?.taskLimits }),
    );
  }
  registerAgentPrompts(mcp, server.agents?.providers ?? [], taskWords);
  return mcp;
}

/** Errors keep the text that clients know, but as results: a model can read those and try again. */
async function call(tool: TaskTool, args: unknown, context: TaskCall): Promise<CallToolResult> {
  try {
    const answer = await tool.run((args ?? {}) as Record<string, unknown>, context);
    if (typeof answer === "string") return { content: [{ type: "text", text: answer }] };
    return { content: [{ type: "text", text: JSON.stringify(answer, null, 2) }], structuredContent: answer };
  } catch (error) {
    return toolError(`Failed to execute task: ${messageOf(error)}`);
  }
}
