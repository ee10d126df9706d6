import type { CallToolResult, ToolAnnotations } from "@modelcontextprotocol/server";
import { z } from "zod";
import { messageOf } from "../../../job/failure.ts";
import { jobCancel, jobGet, jobList, jobRetry } from "../../../operations/job.ts";
import type { AnswerOf } from "../../../operations/registry.ts";
import type { JobView } from "../../../operations/job-view.ts";
import { duration, shorten } from "../../mcp/tasks/status-message.ts";
import { fence } from "../../mcp/tools/clean-text.ts";
import { defineTool } from "../profile.ts";
import { replyTo, textResult } from "./reply.ts";

/** Claude Code loads such a tool at once, where it would leave others to be searched for. */
export const alwaysLoaded = { "anthropic/alwaysLoad": true };

export const readsOnly: ToolAnnotations = { readOnlyHint: true, idempotentHint: true, openWorldHint: false };
export const changes = (isDestructive: boolean, isIdempotent: boolean): ToolAnnotations => ({
  readOnlyHint: false,
  destructiveHint: isDestructive,
  idempotentHint: isIdempotent,
  openWorldHint: false,
});

export const getTool = defineTool({
  name: "job_get",
  description: "Check the status of a background job: progress, exit code, error, open questions, why it is queued.",
  input: jobGet.input.pick({ id: true }).extend({
    summarize: z.boolean().optional().describe("By a model; costs tokens."),
  }),
  annotations: readsOnly,
  run: async (context, { summarize, ...input }) => {
    const view = await jobGet.call(context, input);
    const isOpen = view.finished_at === undefined;
    if (summarize !== true || !isOpen) return replyTo([view], context);
    // The status is told with or without it.
    const summary = await context.engine.summarize(view.id, context.actor).then(
      (text) => fence(text, "Summary"),
      (error: unknown) => messageOf(error),
    );
    return replyTo([view], context, [summary]);
  },
});

export const cancelTool = defineTool({
  name: "job_cancel",
  description:
    "Cancel (kill, stop) background jobs by id. A running job ends when its processes have; finished jobs stay as they are.",
  input: jobCancel.input.pick({ ids: true, reason: true }).required({ ids: true }),
  annotations: changes(true, true),
  run: async (context, input) => replyToChange(await jobCancel.call(context, input), context),
});

export const retryTool = defineTool({
  name: "job_retry",
  description: "Retry background jobs that failed, timed out or were cancelled: a new attempt under the same id.",
  input: jobRetry.input.pick({ ids: true }).required({ ids: true }),
  annotations: changes(true, false),
  isOnceOnly: true,
  run: async (context, input) => replyToChange(await jobRetry.call(context, input), context),
});

/** What became of several jobs; those to which it was not done are told with why. */
function replyToChange(
  { jobs, refused = [] }: AnswerOf<"job_retry">,
  access: Parameters<typeof replyTo>[1],
): Promise<CallToolResult> {
  return replyTo(
    jobs,
    access,
    refused.map(({ message }) => message),
  );
}

export const listTool = defineTool({
  name: "job_list",
  description:
    "List background jobs, newest first: what is in flight, what failed. Filter by state, kind, name or words.",
  input: jobList.input.pick({ state: true, kind: true, name: true, text: true, cursor: true }).extend({
    kind: z.string().optional(),
    limit: z.int().min(1).max(100).default(20),
  }),
  annotations: readsOnly,
  run: async (context, input) => jobListReply(await jobList.call(context, input)),
});

/** One line per job. */
function jobListReply({ jobs, cursor }: { jobs: readonly JobView[]; cursor?: string }): CallToolResult {
  return textResult([
    ...(jobs.length === 0 ? ["There are no such jobs."] : jobs.map(toRow)),
    ...(cursor === undefined ? [] : [`[more: job_list with cursor ${JSON.stringify(cursor)}]`]),
  ]);
}

function toRow(view: JobView): string {
  const isCoded = typeof view.exit_code === "number" && view.exit_code !== 0;
  const [first, last] = isCoded ? [`exit code ${view.exit_code}`] : [undefined, view.error?.message];
  const what = [first, view.name, view.summary ?? view.kind, last].filter((part) => part !== undefined);
  const age = duration(Date.now() - Date.parse(view.created_at));
  return `${view.id}  ${view.state.padEnd(9)}  ${age.padStart(4)}  ${shorten(what.join(" · "), 120)}`;
}
