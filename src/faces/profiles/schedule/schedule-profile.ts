import type { CallToolResult } from "@modelcontextprotocol/server";
import { LonghaulError } from "../../../job/error.ts";
import { toolError } from "../../mcp/tasks/outcome.ts";
import { toToolSchema } from "../../mcp/tools/tool-schema.ts";
import { presentJob } from "../core/reply.ts";
import { defineProfile } from "../profile.ts";
import { scheduleTools } from "./tools.ts";

/** Jobs by the clock, for models. Their jobs are managed by the tools of `core`. */
export const scheduleProfile = defineProfile({
  serverName: "longhaul-schedule",
  tools: scheduleTools,
  toSchema: toToolSchema,
  toResult: (result) => result,
  toError,
  present: presentJob,
});

function toError(error: unknown): CallToolResult {
  if (!(error instanceof LonghaulError)) throw error;
  const { code, message } = error;
  return toolError(
    `${code}: ${message}${code === "not_found" ? " Call schedule_list to see those that there are." : ""}`,
  );
}
