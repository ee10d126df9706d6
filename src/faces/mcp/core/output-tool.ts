import type { CallToolResult } from "@modelcontextprotocol/server";
import { z } from "zod";
import { defined } from "../../../job/defined.ts";
import type { Job } from "../../../job/job.ts";
import { isTerminal } from "../../../job/state.ts";
import { jobOutput, type outputSchema } from "../../../operations/job-output.ts";
import { findJob } from "../../../operations/job-reference.ts";
import { cleanText, fence } from "./clean-text.ts";
import { readsOnly, type ManageTool, type ToolContext } from "./manage-tools.ts";
import { readPagesOutput } from "./pages-output.ts";
import { pickFields } from "./pick-fields.ts";
import { digestOutput } from "./output-digest.ts";

const usualBytes = 4_000;
const mostBytes = 20_000;

const input = pickFields(jobOutput, "id", "from", "tail", "grep", "stream").extend({
  limit: z.int().min(1).max(mostBytes).default(usualBytes),
});

type OutputInput = { id: string; from?: number; tail?: number; grep?: string; stream: string; limit: number };

const replySchema = z.object({
  job_id: z.string(),
  text: z.string(),
  size: z.int().describe("Bytes written so far."),
  next: z.int().optional().describe("Read on with this as `from`."),
  is_complete: z.boolean(),
  matches: z.int().optional(),
});

export const outputTool: ManageTool = {
  name: "job_output",
  description:
    "Read the output (stdout, stderr, pages) of a background job: beginning and end, from an offset, its last lines, or lines that match a pattern.",
  input,
  output: replySchema,
  annotations: readsOnly,
  run: async (wanted: OutputInput, context) => {
    if (wanted.tail !== undefined || wanted.grep !== undefined || wanted.stream !== "merged")
      return readPart(wanted, context);
    const job = await findJob(context.engine, wanted.id, context.actor);
    if (job.kind === "crawl") return readPagesOutput(job, wanted, context);
    return wanted.from === undefined ? readDigest(job, context) : readPart(wanted, context);
  },
};

async function readDigest(job: Job, context: ToolContext): Promise<CallToolResult> {
  const { text, size } = await digestOutput(job, context);
  const label = size === 0 ? "No output yet" : `Output of job ${job.id}, ${size} bytes`;
  return {
    content: [{ type: "text", text: size === 0 ? `${label}.` : fence(text, label) }],
    structuredContent: { job_id: job.id, text, size, next: size, is_complete: isTerminal(job.state) },
  };
}

async function readPart(wanted: OutputInput, context: ToolContext): Promise<CallToolResult> {
  const read = (await jobOutput.call(context, wanted)) as z.output<typeof outputSchema>;
  const text = cleanText(read.text);
  const place = `bytes ${read.from}-${read.next} of ${read.size}`;
  const end = read.is_complete ? "that is the end" : `read on with "from":${read.next}`;
  const footer = `[${place}${read.dropped > 0 ? `, ${read.dropped} were dropped at the cap` : ""}; ${end}]`;
  const shown = { job_id: read.id, text, size: read.size, next: read.next, is_complete: read.is_complete };
  return {
    content: [{ type: "text", text: `${fence(text, `Output of job ${read.id}`)}\n${footer}` }],
    structuredContent: { ...shown, ...defined({ matches: read.matches }) },
  };
}
