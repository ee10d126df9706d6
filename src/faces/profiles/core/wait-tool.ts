import type { CallToolResult } from "@modelcontextprotocol/server";
import { z } from "zod";
import { jobWait } from "../../../operations/wait.ts";
import { hasProgressToken } from "../../mcp/tools/wait-with-progress.ts";
import { defineTool, type CallContext } from "../profile.ts";
import { alwaysLoaded, readsOnly } from "./manage-tools.ts";
import { replyTo } from "./reply.ts";

const defaultSeconds = 30;
/** Many clients give up on a call after a minute, and some do not say so. */
export const maxSeconds = 45;
/** A client that hears of progress waits on; but some give up after five minutes all the same. */
const maxSecondsWithProgress = 240;

const input = jobWait.input.pick({ ids: true, for: true, until: true, pattern: true }).extend({
  timeout_s: z
    .number()
    .min(0)
    .default(defaultSeconds)
    .describe("Seconds; at most 45, or 240 if the client takes progress."),
});

type WaitInput = z.output<typeof input>;

export const waitTool = defineTool({
  name: "job_wait",
  description:
    "Wait for background jobs instead of polling: until done, ready, a question, output, a pattern or a stall. Running out of time is not an error: the jobs go on.",
  input,
  meta: alwaysLoaded,
  annotations: readsOnly,
  run: waitForAny,
});

async function waitForAny(context: CallContext, { timeout_s: wanted, ...rest }: WaitInput): Promise<CallToolResult> {
  const seconds = Math.min(wanted, hasProgressToken(context.request) ? maxSecondsWithProgress : maxSeconds);
  // A job that asks will not end before it is answered, so waiting for its end is over then too.
  const until = rest.until === "done" && rest.pattern === undefined ? "question" : rest.until;
  const call = { ...rest, until, timeout_ms: Math.round(seconds * 1_000) };
  const { reached, jobs } = await jobWait.call(context, call);
  if (reached) return replyTo(jobs, context);
  return replyTo(jobs, context, [`Not yet after ${seconds} s; the jobs go on.`, ...noteClamped(wanted, seconds)]);
}

/** Said when a call waited for less than it was asked to. */
export function noteClamped(wanted: number, seconds: number): string[] {
  return seconds < wanted
    ? [`wait_clamped: waited ${seconds} s instead of ${wanted} s; keep waiting with job_wait.`]
    : [];
}
