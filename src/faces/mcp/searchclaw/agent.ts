import type { Job } from "../../../job/job.ts";
import type { Json } from "../../../job/json.ts";
import { isTerminal } from "../../../job/state.ts";
import { toJsonSchema } from "../../../text/short-schema.ts";
import { endMessage } from "../outcome.ts";
import { toSearchclawId } from "./job-id.ts";
import { toReply } from "./replies.ts";
import { creditsPerJob, type Reply } from "./reply.ts";
import { startJob, waitForEnd, type SearchclawContext } from "./run-job.ts";

export interface AgentCall {
  readonly prompt: string;
  readonly schema?: Record<string, unknown> | undefined;
  readonly max_credits: number;
  readonly max_sources: number;
}

const operation = "run_agent";
/** SearchClaw answers at once when more may be spent. */
const mostCreditsInline = 10;

/** Lets an agent research a question on the web; it reads and changes nothing. */
export async function askAgent(context: SearchclawContext, call: AgentCall): Promise<Reply> {
  const started = await startJob(context, operation, {
    task: call.prompt,
    context: `Research this on the web. Use at most ${call.max_sources} sources, and name the URL of each that you used.`,
    read_only: true,
    ...(call.schema === undefined ? {} : { output_schema: toJsonSchema(call.schema as Json) }),
  });
  const job = call.max_credits > mostCreditsInline ? started : await waitForEnd(context, started);
  return toAgentReply(context, job, call.max_sources);
}

async function toAgentReply(context: SearchclawContext, job: Job, maxSources: number): Promise<Reply> {
  const ids = { job_id: toSearchclawId(job), credits_used: creditsPerJob, steps: [] };
  if (!isTerminal(job.state)) return { success: true, status: "processing", sources: [], ...ids };
  if (job.state.status !== "succeeded") {
    return { success: false, status: "failed", sources: [], ...ids, error: endMessage(job) };
  }
  const result = await toReply(context, job);
  const data = result["data"] ?? result["output"] ?? null;
  const sources = findUrls(result)
    .slice(0, maxSources)
    .map((url) => ({ url }));
  return { success: true, status: "completed", data, sources, ...ids };
}

function findUrls(result: Reply): string[] {
  const urls = JSON.stringify([result["output"] ?? "", result["data"] ?? ""]).match(/https?:\/\/[^\s"'\\<>()[\]]+/g);
  return [...new Set((urls ?? []).map((url) => url.replace(/[.,;:!?]+$/, "")))];
}
