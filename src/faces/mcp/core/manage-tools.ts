import type { CallToolResult, McpServer, ServerContext, ToolAnnotations } from "@modelcontextprotocol/server";
import { z } from "zod";
import { LonghaulError } from "../../../job/error.ts";
import { parseInput } from "../../../job/issue.ts";
import { isTerminal } from "../../../job/state.ts";
import { jobCancel, jobGet, jobList, jobRetry } from "../../../operations/job-verbs.ts";
import type { JobView } from "../../../operations/job-view.ts";
import type { Operation, OperationContext } from "../../../operations/operation.ts";
import { toolError } from "../outcome.ts";
import { toToolSchema } from "../tool-schema.ts";
import { pickFields } from "./pick-fields.ts";
import { jobListReply, listSchema } from "./list-reply.ts";
import { jobReplySchema, presentJob, replyTo, toResult, toText } from "./reply.ts";

export type ToolContext = Omit<OperationContext, "signal">;

export interface ManageTool {
  readonly name: string;
  readonly description: string;
  readonly input: z.ZodType;
  readonly output: z.ZodType;
  readonly annotations: ToolAnnotations;
  readonly run: (input: never, context: ToolContext, request: ServerContext) => Promise<CallToolResult>;
}

export const readsOnly: ToolAnnotations = { readOnlyHint: true, idempotentHint: true, openWorldHint: false };
export const changes = (isDestructive: boolean, isIdempotent: boolean): ToolAnnotations => ({
  readOnlyHint: false,
  destructiveHint: isDestructive,
  idempotentHint: isIdempotent,
  openWorldHint: false,
});

export const jobsSchema = z.object({
  jobs: z.array(jobReplySchema.pick({ job_id: true, status: true, message: true })),
});

/** Registers a tool that answers at once. What it throws for its caller becomes a result that says what to do. */
export function registerManageTool(mcp: McpServer, tool: ManageTool, context: ToolContext): void {
  const { description, annotations } = tool;
  const schemas = { inputSchema: toToolSchema(tool.input), outputSchema: toToolSchema(tool.output) };
  mcp.registerTool(tool.name, { description, annotations, ...schemas }, async (args, request) => {
    try {
      const input: unknown = parseInput(tool.input, args, `The call of ${tool.name}`);
      return await tool.run(input as never, context, request);
    } catch (error) {
      if (error instanceof LonghaulError) return toolError(`${error.code}: ${error.message}`);
      throw error;
    }
  });
}

export const getTool: ManageTool = {
  name: "job_get",
  description: "Check the status of a background job: progress, exit code, error, open questions, why it is queued.",
  input: pickFields(jobGet, "id").extend({
    summarize: z.boolean().optional().describe("By a model; costs tokens."),
  }),
  output: jobReplySchema,
  annotations: readsOnly,
  run: async ({ summarize, ...input }: { id: string; summarize?: boolean }, context) => {
    const view = (await jobGet.call(context, input)) as JobView;
    const job = await context.engine.get(view.id, context.actor);
    if (!isTerminal(job.state)) {
      const reply = await replyTo(view, context);
      if (summarize !== true) return toResult(reply);
      return toResult({ ...reply, message: await context.engine.summarize(view.id, context.actor) });
    }
    // Looking at a job that failed is no failure.
    const { isError: _isError, ...shown } = await presentJob(job, context);
    return shown;
  },
};

export const cancelTool: ManageTool = {
  name: "job_cancel",
  description:
    "Cancel (kill, stop) background jobs by id. A running job ends when its processes have; finished jobs stay as they are.",
  input: pickFields(jobCancel, "ids", "reason").required({ ids: true }),
  output: jobsSchema,
  annotations: changes(true, true),
  run: (input, context) => runOnMany(jobCancel, input, context),
};

export const retryTool: ManageTool = {
  name: "job_retry",
  description: "Retry background jobs that failed, timed out or were cancelled: a new attempt under the same id.",
  input: pickFields(jobRetry, "ids").required({ ids: true }),
  output: jobsSchema,
  annotations: changes(true, false),
  run: (input, context) => runOnMany(jobRetry, input, context),
};

export const listTool: ManageTool = {
  name: "job_list",
  description:
    "List background jobs, newest first: what is in flight, what failed. Filter by state, kind, name or words.",
  input: pickFields(jobList, "state", "kind", "name", "text", "cursor").extend({
    limit: z.int().min(1).max(100).default(20),
  }),
  output: listSchema,
  annotations: readsOnly,
  run: async (input, context) =>
    jobListReply((await jobList.call(context, input)) as { jobs: JobView[]; cursor?: string }),
};

async function runOnMany(operation: Operation, input: unknown, context: ToolContext): Promise<CallToolResult> {
  const { jobs } = (await operation.call(context, input)) as { jobs: JobView[] };
  const replies = await Promise.all(jobs.map((view) => replyTo(view, context)));
  const shown = replies.map(({ job_id: id, status, message }) => ({ job_id: id, status, message }));
  return {
    content: [{ type: "text", text: replies.map(toText).join("\n") }],
    structuredContent: { jobs: shown },
  };
}
