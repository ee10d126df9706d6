import { z } from "zod";
import { crawledPageSchema } from "../kinds/crawl/contract.ts";
import { LonghaulError } from "../job/error.ts";
import type { Job } from "../job/job.ts";
import { isTerminal } from "../job/state.ts";
import { ByteLines } from "../text/byte-lines.ts";
import { findJob } from "./job-reference.ts";
import { defineOperation, type OperationContext } from "./operation.ts";

const stream = "pages";
const readBytes = 1_000_000;
/** An answer is as big as this and one page more. */
const maxBytes = 2_000_000;
const maxPages = 1_000;

type Page = Partial<z.input<typeof crawledPageSchema>>;

export const crawlPages = defineOperation({
  name: "crawl_pages",
  scope: "read",
  description: "Read the pages of a crawl, also while it runs: so many at a time, from a cursor on.",
  input: z.strictObject({
    id: z.string().describe("Job id, the end of one, or a name."),
    cursor: z.int().min(0).default(0).describe("`next` of the answer before."),
    limit: z.int().min(1).max(maxPages).default(20),
    fields: z.array(crawledPageSchema.keyof()).min(1).default(["url", "title", "markdown", "data", "note"]),
    wait_ms: z.int().min(0).max(60_000).default(0).describe("Wait so long for a page beyond the cursor."),
  }),
  output: z.object({
    id: z.string(),
    pages: z.array(crawledPageSchema.partial()).describe("Of each the fields that were asked for."),
    next: z.int().describe("The cursor of what follows."),
    is_complete: z.boolean().describe("The crawl has ended and there is nothing behind `next`."),
  }),
  run: async (context, input) => {
    const { engine, actor, signal } = context;
    let job = await findJob(engine, input.id, actor);
    if (job.kind !== "crawl")
      throw new LonghaulError("invalid_input", `Job ${job.id} is not a crawl: its kind is "${job.kind}".`);
    let read = await readPages(job, input, context);
    if (read.pages.length === 0 && input.wait_ms > 0 && !isTerminal(job.state)) {
      const hasMore = async (now: Job): Promise<boolean> =>
        isTerminal(now.state) ||
        (read = await readPages(now, { ...input, cursor: read.next }, context)).pages.length > 0;
      await engine.wait(job.id, { until: hasMore, timeoutMs: input.wait_ms, ...actor, signal });
      job = await engine.get(job.id, actor);
      if (read.pages.length === 0) read = await readPages(job, { ...input, cursor: read.next }, context);
    }
    // The state is older than what was read: a job that had ended by then writes no more.
    return { id: job.id, pages: read.pages, next: read.next, is_complete: isTerminal(job.state) && read.isAtEnd };
  },
});

interface PageRange {
  readonly cursor: number;
  readonly limit: number;
  readonly fields: readonly string[];
}

/** Of the crawl's records, those that are pages. A line that is not whole is left for the next read. */
async function readPages(
  { id }: Job,
  { cursor, limit, fields }: PageRange,
  { engine, actor }: OperationContext,
): Promise<{ pages: Page[]; next: number; isAtEnd: boolean }> {
  const pages: Page[] = [];
  const lines = new ByteLines();
  let position = cursor;
  let next = cursor;
  for (;;) {
    const { bytes, size } = await engine.readOutput(id, { stream, from: position, limit: readBytes }, actor);
    if (bytes.length === 0) return { pages, next, isAtEnd: next >= size };
    position += bytes.length;
    for (const { text: line } of lines.push(bytes)) {
      if (pages.length >= limit || next - cursor > maxBytes) return { pages, next, isAtEnd: false };
      next += Buffer.byteLength(line) + 1;
      const page = toPage(line, fields);
      if (page !== undefined) pages.push(page);
    }
  }
}

function toPage(line: string, fields: readonly string[]): Page | undefined {
  if (!line.startsWith('{"type":"page"')) return undefined;
  const { at, ...kept } = JSON.parse(line) as Record<string, unknown>;
  const record = typeof at === "number" ? { ...kept, fetched_at: new Date(at).toISOString() } : kept;
  return Object.fromEntries(
    fields.filter((field) => record[field] !== undefined).map((field) => [field, record[field]]),
  );
}
