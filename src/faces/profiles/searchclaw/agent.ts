import type { Job } from "../../../job/job.ts";
import type { Json } from "../../../job/json.ts";
import { isTerminal } from "../../../job/state.ts";
import { runAgent } from "../../../operations/start-operations.ts";
import { toJsonSchema } from "../../../text/short-schema.ts";
import { endMessage } from "../../mcp/tasks/outcome.ts";
import type { CallContext } from "../profile.ts";
import { toSearchclawId } from "./job-id.ts";
import { toReply } from "./replies.ts";
import { creditsPerJob, type Reply } from "./reply.ts";
import { waitForEnd } from "./run-job.ts";

interface AgentCall {
  readonly prompt: string;
  readonly schema?: Record<string, unknown>;
  readonly max_credits: number;
  readonly max_sources: number;
}

/** SearchClaw answers at once when more may be spent. */
const maxCreditsInline = 10;

/** Lets an agent research a question on the web; it reads and changes nothing. */
export async function askAgent(context: CallContext, call: AgentCall): Promise<Reply> {
  const { id } = await runAgent.call(context, {
    task: call.prompt,
    context: `Research this on the web. Use at most ${call.max_sources} sources, and name the URL of each that you used. Nobody can answer questions: decide yourself.`,
    read_only: true,
    output_schema: call.schema === undefined ? undefined : toJsonSchema(call.schema as Json),
  });
  const started = await context.engine.get(id, context.actor);
  const job = call.max_credits > maxCreditsInline ? started : await waitForEnd(context, started);
  return toAgentReply(context, job, call.max_sources);
}

async function toAgentReply(context: CallContext, job: Job, maxSources: number): Promise<Reply> {
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
