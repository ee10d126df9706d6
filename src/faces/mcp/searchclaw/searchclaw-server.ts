import { McpServer, type CallToolResult, type ServerContext } from "@modelcontextprotocol/server";
import { LonghaulError } from "../../../job/error.ts";
import type { OperationContext, ServerFacts } from "../../../operations/operation.ts";
import { toFault } from "../../local/call-handler.ts";
import { answerInJson } from "../answer-in-json.ts";
import type { JobsContext } from "../connection.ts";
import { presentJob } from "../core/reply.ts";
import { serveJobs } from "../serve-jobs.ts";
import { toFullToolSchema } from "../tool-schema.ts";
import { hasProgressToken } from "../wait-for-end.ts";
import { searchclawTools, type SearchclawTool } from "./tools.ts";

/** Clients give up a call after a minute, unless they hear of its progress. */
const waitMs = 45_000;
const longWaitMs = 600_000;

/** The profile `searchclaw`: the tools of SearchClaw's MCP server, over crawl jobs of our own. */
export function buildSearchclawServer(context: JobsContext, server: ServerFacts): McpServer {
  const mcp = new McpServer({ name: "searchclaw-mcp", title: "Longhaul", version: server.version });
  serveJobs(mcp, context, { present: presentJob });
  if (context.isTaskRequest) return mcp;
  const { engine, actor } = context;
  for (const tool of searchclawTools) {
    const config = { description: tool.description, inputSchema: toFullToolSchema(tool.input) };
    mcp.registerTool(tool.name, config, (args, request) => call(tool, args, { engine, actor, server }, request));
  }
  return mcp;
}

function call(
  tool: SearchclawTool,
  args: unknown,
  context: OperationContext,
  request: ServerContext,
): Promise<CallToolResult> {
  const patience = { signal: request.mcpReq.signal, waitMs: hasProgressToken(request) ? longWaitMs : waitMs };
  const run = (input: never): ReturnType<SearchclawTool["run"]> => tool.run({ ...context, ...patience }, input);
  return answerInJson(tool, args, request, { run, describe });
}

/** As SearchClaw's client tells what its service answered. */
function describe(error: unknown): string {
  const { status, body } = toFault(error);
  const shown = error instanceof LonghaulError ? (error.details["status"] ?? statusOf(error, status)) : status;
  return `SearchClaw API error ${shown}: ${JSON.stringify({ detail: body.error.message })}`;
}

/** Where its service has another status than we have elsewhere. */
function statusOf({ code }: LonghaulError, status: number): number {
  if (code === "invalid_input") return 422;
  return code === "unavailable" ? 503 : status;
}
