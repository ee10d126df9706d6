import type { CallToolResult } from "@modelcontextprotocol/server";
import { randomUUID } from "node:crypto";
import { presentPage } from "../core/page-digest.ts";
import { defineProfile, toJsonResult, type Tool } from "../profile.ts";
import { toReftrixError } from "./error-codes.ts";
import type { ReftrixReply } from "./reftrix-tool.ts";
import { batchIngestTool } from "./tools/batch-ingest-tool.ts";
import { healthToolBeside } from "./tools/health-tool.ts";
import { ingestTool } from "./tools/ingest-tool.ts";
import { inspectTool } from "./tools/inspect-tool.ts";
import { libraryTools } from "./tools/library-tools.ts";
import { detectTool } from "./tools/motion-tools.ts";
import { analyzeTool, pageStatusTool } from "./tools/page-tools.ts";
import { batchEvaluateTool, qualityStatusTool } from "./tools/batch-evaluate-tool.ts";
import { evaluateTool } from "./tools/evaluate-tool.ts";
import { paletteTool } from "./tools/palette-tool.ts";

const pageTools: readonly Tool<ReftrixReply>[] = [
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
  ...libraryTools,
];
const tools = [...pageTools, healthToolBeside(pageTools)];

/** Reftrix's tools, over durable page jobs and the library of analysed pages. */
export const reftrixProfile = defineProfile({
  serverName: "reftrix-mcp-server",
  tools,
  // Reftrix has a dot where we have the first underscore, because some clients refuse names with a dot.
  aliases: Object.fromEntries(tools.map(({ name }) => [name.replace("_", "."), name])),
  toResult,
  toError,
  present: presentPage,
  hasResources: true,
});

function toResult({ data, beside, isUnwrapped, metadata, links = [] }: ReftrixReply): CallToolResult {
  const body =
    isUnwrapped === true
      ? data
      : { success: true, ...beside, data, metadata: { request_id: randomUUID(), ...metadata } };
  const { content, ...result } = toJsonResult(body);
  return { content: [...content, ...links], ...result };
}

function toError(error: unknown): CallToolResult {
  const { code, message, more } = toReftrixError(error);
  const metadata = { request_id: randomUUID() };
  return { ...toJsonResult({ success: false, error: { code, message, ...more }, metadata }), isError: true };
}
