import { McpServer, type CallToolResult, type ServerContext } from "@modelcontextprotocol/server";
import { LonghaulError } from "../../../job/error.ts";
import type { OperationContext, ServerFacts } from "../../../operations/operation.ts";
import { toFault } from "../../local/call-handler.ts";
import { answerInJson } from "../answer-in-json.ts";
import type { JobsContext } from "../connection.ts";
import { presentJob } from "../core/reply.ts";
import { serveJobs } from "../serve-jobs.ts";
import { toFullToolSchema } from "../tool-schema.ts";
import { runpodTools, type RunpodTool } from "./tools.ts";

/** The profile `runpod`: the job tools of RunPod's MCP server, over jobs that outlive the platform's memory of them. */
export function buildRunpodServer(context: JobsContext, server: ServerFacts): McpServer {
  const mcp = new McpServer({ name: "runpod-mcp-server", title: "Longhaul", version: server.version });
  serveJobs(mcp, context, { present: presentJob });
  if (context.isTaskRequest) return mcp;
  const { engine, actor } = context;
  for (const tool of runpodTools) {
    const { description, annotations } = tool;
    const config = { description, annotations, inputSchema: toFullToolSchema(tool.input) };
    mcp.registerTool(tool.name, config, (args, request) => call(tool, args, { engine, actor, server }, request));
  }
  return mcp;
}

function call(
  tool: RunpodTool,
  args: unknown,
  context: OperationContext,
  request: ServerContext,
): Promise<CallToolResult> {
  const run = (input: never): ReturnType<RunpodTool["run"]> =>
    tool.run({ ...context, signal: request.mcpReq.signal }, input);
  return answerInJson(tool, args, request, { run, describe });
}

/** The texts that clients of RunPod's server know. */
function describe(error: unknown): string {
  if (error instanceof LonghaulError && error.code === "invalid_input") {
    const [known] = /Invalid (endpoint|job) ID format/.exec(error.message) ?? [];
    if (known !== undefined) return known;
  }
  const { status, body } = toFault(error);
  const upstream = error instanceof LonghaulError ? error.details["status"] : undefined;
  return `Runpod Serverless API Error: ${upstream ?? status} - ${JSON.stringify({ error: body.error.message })}`;
}
