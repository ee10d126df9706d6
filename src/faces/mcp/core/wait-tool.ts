import type { CallToolResult, ServerContext } from "@modelcontextprotocol/server";
import { z } from "zod";
import type { JobView } from "../../../operations/job-view.ts";
import { jobWait } from "../../../operations/job-wait.ts";
import { hasProgressToken, withProgress } from "../wait-for-end.ts";
import { readsOnly, type ManageTool, type ToolContext } from "./manage-tools.ts";
import { pickFields } from "./pick-fields.ts";
import { jobReplySchema, replyTo, toText } from "./reply.ts";

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
    jobs: z.array(jobReplySchema),
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
  const isClamped = seconds < wanted;
  // A job that asks will not end before it is answered, so waiting for its end is over then too.
  const until = rest.until === "done" && rest.pattern === undefined ? "question" : rest.until;
  const call = { ...rest, until, timeout_ms: Math.round(seconds * 1_000) };
  const waiting = jobWait.call({ ...context, signal: request.mcpReq.signal }, call);
  const { reached, jobs } = (await withProgress(waiting, request)) as { reached: boolean; jobs: JobView[] };
  const replies = await Promise.all(jobs.map((view) => replyTo(view, context)));
  const text = [
    ...(reached ? [] : [`Not yet after ${seconds} s; the jobs go on.`]),
    ...(isClamped ? [`wait_clamped: waited ${seconds} s instead of ${wanted} s; call again to wait on.`] : []),
    ...replies.map(toText),
  ];
  return {
    content: [{ type: "text", text: text.join("\n") }],
    structuredContent: { reached, ...(isClamped ? { wait_clamped: true } : {}), jobs: replies },
  };
}
