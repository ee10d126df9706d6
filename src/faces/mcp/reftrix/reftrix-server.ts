import { McpServer, type CallToolResult } from "@modelcontextprotocol/server";
import { randomUUID } from "node:crypto";
import { parseInput } from "../../../job/issue.ts";
import type { OperationContext, ServerFacts } from "../../../operations/operation.ts";
import type { JobsContext } from "../connection.ts";
import { presentPage } from "../core/page-digest.ts";
import { registerJobResources } from "../resources.ts";
import { serveJobs } from "../serve-jobs.ts";
import { toFullJsonSchema, toFullToolSchema } from "../tool-schema.ts";
import { withProgress } from "../wait-for-end.ts";
import { batchIngestTool } from "./batch-ingest-tool.ts";
import { toReftrixError } from "./error-codes.ts";
import { fitToSchema } from "./fit-to-schema.ts";
import { healthTool } from "./health-tool.ts";
import { warnOfIgnored } from "./ignored-parameters.ts";
import { ingestTool, inspectTool, paletteTool } from "./layout-tools.ts";
import { detectTool } from "./motion-tools.ts";
import { analyzeTool, pageStatusTool } from "./page-tools.ts";
import { batchEvaluateTool, evaluateTool, qualityStatusTool } from "./quality-tools.ts";
import type { ReftrixTool } from "./tool.ts";

const tools: readonly ReftrixTool[] = [
  analyzeTool,
  pageStatusTool,
  ingestTool,
  inspectTool,
  batchIngestTool,
  detectTool,
  evaluateTool,
  batchEvaluateTool,
  qualityStatusTool,
  paletteTool,
  healthTool,
];

/** The profile `reftrix`: Reftrix's tools that need no database of designs, over durable page jobs. */
export function buildReftrixServer(context: JobsContext, server: ServerFacts): McpServer {
  const mcp = new McpServer({ name: "reftrix", title: "Longhaul", version: server.version });
  serveJobs(mcp, context, { present: presentPage });
  if (context.isTaskRequest) return mcp;
  const { engine, actor } = context;
  for (const tool of tools) {
    const { title, description, annotations } = tool;
    const inputSchema = toFullToolSchema(tool.input);
    // Some clients refuse names with a dot.
    for (const name of [tool.name, tool.name.replace(".", "_")]) {
      mcp.registerTool(name, { title, description, annotations, inputSchema }, (args, request) =>
        withProgress(call(tool, args, { engine, actor, server, signal: request.mcpReq.signal }), request),
      );
    }
  }
  registerJobResources(mcp, context, server);
  return mcp;
}

async function call(tool: ReftrixTool, args: unknown, context: OperationContext): Promise<CallToolResult> {
  const metadata = { request_id: randomUUID() };
  try {
    const { value, unknown } = fitToSchema(toFullJsonSchema(tool.input), args ?? {});
    const input: unknown = parseInput(tool.input, value, `The call of ${tool.name}`);
    const warnings = warnOfIgnored(tool.ignored ?? [], unknown, value);
    const reply = await tool.run(context, input as never, warnings);
    const data = warnings.length > 0 ? { warnings, ...reply.data } : reply.data;
    const body =
      reply.isUnwrapped === true ? data : { success: true, data, metadata: { ...metadata, ...reply.metadata } };
    return { ...toResult(body), content: [...toResult(body).content, ...(reply.links ?? [])] };
  } catch (error) {
    const { code, message } = toReftrixError(error);
    return { ...toResult({ success: false, error: { code, message }, metadata }), isError: true };
  }
}

function toResult(structuredContent: Record<string, unknown>): CallToolResult {
  return { content: [{ type: "text", text: JSON.stringify(structuredContent, null, 2) }], structuredContent };
}
