import { isRecord } from "../../../job/is-record.ts";
import type { Job } from "../../../job/job.ts";
import type { Json } from "../../../job/json.ts";
import { isTerminal } from "../../../job/state.ts";
import { creditsOf } from "./credits.ts";
import { tellEnd } from "./tell-end.ts";
import { toSearchclawId } from "./job-id.ts";
import { textOf, type Reply } from "./reply.ts";

/** What SearchClaw allows. */
export const maxSources = 20;

/** What has come of an agent's research, in SearchClaw's words. The phases of its work are the model's own, so none are told. */
export function toAgentReply(job: Job, given: Json = null, mostSources = maxSources): Reply {
  const common = {
    job_id: toSearchclawId(job),
    data: null,
    sources: [],
    credits_used: creditsOf(job, given),
    steps: [],
  };
  if (!isTerminal(job.state)) return { success: true, status: "processing", ...common, error: null };
  if (job.state.status !== "succeeded") {
    return { success: false, status: "failed", ...common, error: tellEnd(job) };
  }
  const result = isRecord(given) ? given : {};
  const sources = findUrls(result).slice(0, mostSources);
  return {
    success: true,
    status: "completed",
    ...common,
    data: result["data"] ?? textOf(result["output"]),
    sources: sources.map((url) => ({ url, title: null })),
    error: null,
  };
}

function findUrls(result: Reply): string[] {
  const urls = JSON.stringify([result["output"] ?? "", result["data"] ?? ""]).match(/https?:\/\/[^\s"'\\<>()[\]]+/g);
  return [...new Set((urls ?? []).map((url) => url.replace(/[.,;:!?]+$/, "")))];
}
