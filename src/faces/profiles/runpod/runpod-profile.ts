import { presentJob } from "../core/reply.ts";
import { defineProfile, toJsonResult } from "../profile.ts";
import { toRunpodError } from "./runpod-error.ts";
import { runpodTools } from "./tools.ts";

/** The job tools of RunPod's MCP server, over jobs that outlive the platform's memory of them. */
export const runpodProfile = defineProfile({
  serverName: "runpod-mcp-server",
  tools: runpodTools,
  toResult: toJsonResult,
  toError: toRunpodError,
  present: presentJob,
});
