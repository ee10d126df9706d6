import type { CallToolResult } from "@modelcontextprotocol/server";
import { randomUUID } from "node:crypto";
import { presentPage } from "../core/page-digest.ts";
import { defineProfile, toJsonResult, type Tool } from "../profile.ts";
import { toReftrixError } from "./error-codes.ts";
import type { ReftrixReply } from "./reftrix-tool.ts";
import { batchIngestTool } from "./tools/batch-ingest-tool.ts";
import { healthTool } from "./tools/health-tool.ts";
import { libraryTools } from "./tools/library-tools.ts";
import { ingestTool, inspectTool, paletteTool } from "./tools/layout-tools.ts";
import { detectTool } from "./tools/motion-tools.ts";
import { analyzeTool, pageStatusTool } from "./tools/page-tools.ts";
import { batchEvaluateTool, evaluateTool, qualityStatusTool } from "./tools/quality-tools.ts";

const tools: readonly Tool<ReftrixReply>[] = [
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
  ...libraryTools,
];

/** Reftrix's tools, over durable page jobs and the library of analysed pages. */
export const reftrixProfile = defineProfile({
  serverName: "reftrix",
  tools,
  // Reftrix has a dot where we have the first underscore, because some clients refuse names with a dot.
  aliases: Object.fromEntries(tools.map(({ name }) => [name.replace("_", "."), name])),
  toResult,
  toError,
  present: presentPage,
  hasResources: true,
});

function toResult({ data, isUnwrapped, metadata, links = [] }: ReftrixReply): CallToolResult {
  const body =
    isUnwrapped === true ? data : { success: true, data, metadata: { request_id: randomUUID(), ...metadata } };
  const { content, ...result } = toJsonResult(body);
  return { content: [...content, ...links], ...result };
}

function toError(error: unknown): CallToolResult {
  const { code, message } = toReftrixError(error);
  const metadata = { request_id: randomUUID() };
  return { ...toJsonResult({ success: false, error: { code, message }, metadata }), isError: true };
}
