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
    let job = await findCrawl(context, input.id);
    let read = await readPages(job, input, context);
    if (read.items.length === 0 && input.wait_ms > 0 && !isTerminal(job.state)) {
      const hasMore = async (now: Job): Promise<boolean> =>
        isTerminal(now.state) ||
        (read = await readPages(now, { ...input, cursor: read.next }, context)).items.length > 0;
      await engine.wait(job.id, { until: hasMore, timeoutMs: input.wait_ms, ...actor, signal });
      job = await engine.get(job.id, actor);
      if (read.items.length === 0) read = await readPages(job, { ...input, cursor: read.next }, context);
    }
    // The state is older than what was read: a job that had ended by then writes no more.
    return { id: job.id, pages: read.items, next: read.next, is_complete: isTerminal(job.state) && read.isAtEnd };
  },
});

const visitSchema = z.object({
  type: z
    .enum(["found", "page", "redirected", "duplicate", "skipped", "failed"])
    .describe("What came of it; found: URLs that the crawl began with."),
  from: z.string().optional().describe("The URL that was visited."),
  depth: z.int(),
  url: z.string().optional().describe("Of a page: where redirects and its canonical link lead."),
  title: z.string().optional(),
  status: z.int().optional(),
  found: z.array(z.string()).optional().describe("URLs that were not known before."),
  next: z
    .array(z.string())
    .optional()
    .describe("As found, on the same level: where a redirect or the next page leads."),
  by: z.string().optional(),
  of: z.string().optional().describe("Of a duplicate: exact, near or canonical."),
  kept: z.string().optional().describe("Of a duplicate: the page that was kept."),
  why: z.string().optional().describe("Of what was skipped."),
  code: z.string().optional(),
  reason: z.string().optional().describe("Of what failed."),
});

type Visit = z.input<typeof visitSchema>;
const visitTypes: readonly string[] = visitSchema.shape.type.options;

export const crawlVisits = defineOperation({
  name: "crawl_visits",
  scope: "read",
  description: "Read what a crawl visited and what came of it, with the links that it found: the crawl as a tree.",
  input: z.strictObject({
    id: z.string().min(1).describe("Job id, the end of one, or a name."),
    cursor: z.int().min(0).default(0).describe("`next` of the answer before."),
    limit: z.int().min(1).max(maxPages).default(200),
  }),
  output: z.object({
    id: z.string(),
    visits: z.array(visitSchema),
    next: z.int().describe("The cursor of what follows."),
    is_complete: z.boolean().describe("The crawl has ended and there is nothing behind `next`."),
  }),
  run: async (context, { id, cursor, limit }) => {
    const job = await findCrawl(context, id);
    const read = await readRecords(job, { cursor, limit, pick: toVisit }, context);
    return { id: job.id, visits: read.items, next: read.next, is_complete: isTerminal(job.state) && read.isAtEnd };
  },
});

function toVisit(line: string): Visit | undefined {
  const record = JSON.parse(line) as Record<string, unknown>;
  if (!visitTypes.includes(String(record["type"]))) return undefined;
  return Object.fromEntries(
    Object.keys(visitSchema.shape).flatMap((name) => (record[name] === undefined ? [] : [[name, record[name]]])),
  ) as Visit;
}

async function findCrawl({ engine, actor }: OperationContext, id: string): Promise<Job> {
  const job = await findJob(engine, id, actor);
  if (job.kind === "crawl") return job;
  throw new LonghaulError("invalid_input", `Job ${job.id} is not a crawl: its kind is "${job.kind}".`);
}

interface PageRange {
  readonly cursor: number;
  readonly limit: number;
  readonly fields: readonly string[];
}

function readPages(
  job: Job,
  { cursor, limit, fields }: PageRange,
  context: OperationContext,
): Promise<{ items: Page[]; next: number; isAtEnd: boolean }> {
  return readRecords(job, { cursor, limit, pick: (line) => toPage(line, fields) }, context);
}

/** Of the crawl's records, those that are wanted. A line that is not whole is left for the next read. */
async function readRecords<Item>(
  { id }: Job,
  { cursor, limit, pick }: { cursor: number; limit: number; pick: (line: string) => Item | undefined },
  { engine, actor }: OperationContext,
): Promise<{ items: Item[]; next: number; isAtEnd: boolean }> {
  const items: Item[] = [];
  const lines = new ByteLines();
  let position = cursor;
  let next = cursor;
  for (;;) {
    const { bytes, size } = await engine.readOutput(id, { stream, from: position, limit: readBytes }, actor);
    if (bytes.length === 0) return { items, next, isAtEnd: next >= size };
    position += bytes.length;
    for (const { text: line } of lines.push(bytes)) {
      if (items.length >= limit || next - cursor > maxBytes) return { items, next, isAtEnd: false };
      next += Buffer.byteLength(line) + 1;
      const item = pick(line);
      if (item !== undefined) items.push(item);
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
