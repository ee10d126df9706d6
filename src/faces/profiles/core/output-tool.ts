import type { CallToolResult } from "@modelcontextprotocol/server";
import { z } from "zod";
import type { Job } from "../../../job/job.ts";
import { isTerminal } from "../../../job/state.ts";
import { jobOutput } from "../../../operations/output.ts";
import { findJob } from "../../../operations/job-reference.ts";
import type { OperationContext } from "../../../operations/operation.ts";
import { cleanText, fence } from "../../mcp/tools/clean-text.ts";
import { defineTool } from "../profile.ts";
import { countText } from "../../../text/count-text.ts";
import { readsOnly } from "./manage-tools.ts";
import { readPagesOutput } from "./pages-output.ts";
import { digestOutput } from "./output-digest.ts";
import { textResult } from "./reply.ts";

const defaultBytes = 4_000;
const maxBytes = 20_000;

const input = jobOutput.input
  .pick({ id: true, from: true, tail: true, grep: true, stream: true })
  .extend({ limit: z.int().min(1).max(maxBytes).default(defaultBytes) });

type OutputInput = z.output<typeof input>;

export const outputTool = defineTool({
  name: "job_output",
  description:
    "Read the output (stdout, stderr, pages) of a background job: beginning and end, from an offset, its last lines, or lines that match a pattern.",
  input,
  annotations: readsOnly,
  run: async (context, wanted) => {
    if (wanted.tail !== undefined || wanted.grep !== undefined || wanted.stream !== "merged")
      return readPart(wanted, context);
    const job = await findJob(context.engine, wanted.id, context.actor);
    if (job.kind === "crawl") return readPagesOutput(job, wanted, context);
    return wanted.from === undefined ? readDigest(job, context) : readPart(wanted, context);
  },
});

async function readDigest(job: Job, context: OperationContext): Promise<CallToolResult> {
  const { text, size } = await digestOutput(job, context);
  const end = isTerminal(job.state) ? "that is the end" : `the job goes on; read on with "from":${size}`;
  return textResult([
    size === 0
      ? `Job ${job.id} has written nothing.`
      : fence(text, `Output of job ${job.id}, ${countText(size, "byte")}`),
    `[${end}]`,
  ]);
}

async function readPart(wanted: OutputInput, context: OperationContext): Promise<CallToolResult> {
  const read = await jobOutput.call(context, wanted);
  const nothing = read.matches === undefined ? "There is nothing at that place." : "No line matches.";
  const notes = [
    ...(read.matches === undefined ? [] : [countMatches(read.matches, read.text)]),
    `bytes ${read.from}-${read.next} of ${read.size}`,
    ...(read.note === undefined ? [] : [read.note]),
    ...(read.matches === undefined && read.dropped > 0 ? [`${read.dropped} were dropped at the cap`] : []),
    read.is_complete ? "that is the end" : `read on with "from":${read.next}`,
  ];
  return textResult([
    read.text === "" ? nothing : fence(cleanText(read.text), `Output of job ${read.id}`),
    `[${notes.join("; ")}]`,
  ]);
}

function countMatches(matches: number, text: string): string {
  const shown = text.split("\n").length - 1;
  const rest = shown < matches ? `, ${shown} shown: a narrower pattern shows the others` : "";
  return `${countText(matches, "line matches", "lines match")}${rest}`;
}
