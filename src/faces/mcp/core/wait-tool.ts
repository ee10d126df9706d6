import type { CallToolResult, ServerContext } from "@modelcontextprotocol/server";
import { z } from "zod";
import { isTerminal } from "../../../job/state.ts";
import type { JobView } from "../../../operations/job-view.ts";
import { jobWait } from "../../../operations/job-wait.ts";
import { hasProgressToken, withProgress } from "../wait-for-end.ts";
import { readsOnly, type ManageTool, type ToolContext } from "./manage-tools.ts";
import { pickFields } from "./pick-fields.ts";
import { jobReplySchema, presentJob, replyTo, toText, type JobReply } from "./reply.ts";

const usualSeconds = 30;
/** Many clients give up on a call after a minute, and some do not say so. */
const mostSeconds = 45;
/** A client that hears of progress waits on. */
const mostSecondsWithProgress = 3_600;

const input = pickFields(jobWait, "ids", "for", "until", "pattern").extend({
  timeout_s: z
    .number()
    .min(0)
    .max(86_400)
    .default(usualSeconds)
    .describe("Seconds; at most 45 unless the client takes progress."),
});

type WaitInput = z.output<typeof input> & { timeout_s: number; ids: string[]; until: string; pattern?: string };

export const waitTool: ManageTool = {
  name: "job_wait",
  description:
    "Wait for background jobs instead of polling: until done, ready, a question, output, a pattern or a stall. Time running out is no error: the jobs go on.",
  input,
  output: z.object({
    reached: z.boolean().describe("False when the time ran out first."),
    wait_clamped: z.boolean().optional(),
    jobs: z.array(jobReplySchema.pick({ job_id: true, status: true, message: true, output: true, next: true })),
  }),
  annotations: readsOnly,
  run: (wanted: WaitInput, context: ToolContext, request: ServerContext) => waitForAny(wanted, context, request),
};

async function waitForAny(
  { timeout_s: wanted, ...rest }: WaitInput,
  context: ToolContext,
  request: ServerContext,
): Promise<CallToolResult> {
  const seconds = Math.min(wanted, hasProgressToken(request) ? mostSecondsWithProgress : mostSeconds);
  // A job that asks will not end before it is answered, so waiting for its end is over then too.
  const until = rest.until === "done" && rest.pattern === undefined ? "question" : rest.until;
  const call = { ...rest, until, timeout_ms: Math.round(seconds * 1_000) };
  const waiting = jobWait.call({ ...context, signal: request.mcpReq.signal }, call);
  const { reached, jobs } = (await withProgress(waiting, request)) as { reached: boolean; jobs: JobView[] };
  const isClamped = !reached && seconds < wanted;
  const shown = await showAll(jobs, context);
  const text = [
    ...(reached ? [] : [`Not yet after ${seconds} s; the jobs go on.`]),
    ...(isClamped ? [`wait_clamped: waited ${seconds} s instead of ${wanted} s; call again to wait on.`] : []),
    ...shown.texts,
  ];
  return {
    content: [{ type: "text", text: text.join("\n") }],
    structuredContent: { reached, ...(isClamped ? { wait_clamped: true } : {}), jobs: shown.replies },
  };
}

/** A single job that has ended is shown with its output, which would be asked for next. */
async function showAll(
  views: readonly JobView[],
  context: ToolContext,
): Promise<{ texts: string[]; replies: JobReply[] }> {
  const [only] = views;
  const job = only === undefined ? undefined : await context.engine.get(only.id, context.actor);
  if (views.length === 1 && job !== undefined && isTerminal(job.state)) {
    const { content, structuredContent } = await presentJob(job, context);
    const texts = content.flatMap((block) => (block.type === "text" ? [block.text] : []));
    return { texts, replies: [structuredContent as JobReply] };
  }
  const replies = await Promise.all(views.map((view) => replyTo(view, context)));
  return { texts: replies.map(toText), replies };
}
