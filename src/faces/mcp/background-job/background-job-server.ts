import { McpServer, type CallToolResult } from "@modelcontextprotocol/server";
import type { BackgroundJobSettings } from "../../../config/background-job.ts";
import { LonghaulError } from "../../../job/error.ts";
import { messageOf } from "../../../job/failure.ts";
import { parseInput } from "../../../job/issue.ts";
import type { OperationContext } from "../../../operations/operation.ts";
import type { JobsContext } from "../connection.ts";
import { presentJob } from "../core/reply.ts";
import { toolError } from "../outcome.ts";
import { serveJobs } from "../serve-jobs.ts";
import { toFullToolSchema } from "../tool-schema.ts";
import { backgroundJobTools, type BackgroundJobTool } from "./tools.ts";

/** The profile `background-job`: the tools of mcp-background-job, over durable jobs that run in a real shell. */
export function buildBackgroundJobServer(
  context: JobsContext,
  server: OperationContext["server"],
  settings: BackgroundJobSettings,
): McpServer {
  const mcp = new McpServer({ name: "mcp-background-job", title: "Longhaul", version: server.version });
  serveJobs(mcp, context, { present: presentJob });
  if (context.isTaskRequest) return mcp;
  const { engine, actor } = context;
  for (const tool of backgroundJobTools) {
    const config = {
      description: tool.description,
      annotations: tool.annotations,
      inputSchema: toFullToolSchema(tool.input),
      outputSchema: toFullToolSchema(tool.output),
    };
    for (const name of tool.names) {
      mcp.registerTool(name, config, (args) => call(tool, args, { engine, actor, server }, settings));
    }
  }
  return mcp;
}

async function call(
  tool: BackgroundJobTool,
  args: unknown,
  context: Omit<OperationContext, "signal">,
  settings: BackgroundJobSettings,
): Promise<CallToolResult> {
  try {
    const input: unknown = parseInput(tool.input, args, `The call of ${tool.names[0]}`);
    const structuredContent = await tool.run(input as never, context, settings);
    return { content: [{ type: "text", text: JSON.stringify(structuredContent) }], structuredContent };
  } catch (error) {
    const isTold = error instanceof LonghaulError && /^(Job |Invalid |The call of )/.test(error.message);
    return toolError(isTold ? error.message : `Failed to ${tool.verb}: ${messageOf(error)}`);
  }
}
