import { z } from "zod";
import { defined } from "../job/defined.ts";
import { LineBuffer } from "../text/line-buffer.ts";
import { compilePattern } from "../text/pattern.ts";
import type { Job } from "../job/job.ts";
import { wholeCharacters } from "../text/whole-characters.ts";
import { isTerminal } from "../job/state.ts";
import { findJob } from "./job-reference.ts";
import { openOutput, type OutputChunk, type OutputSource } from "./merged-output.ts";
import { defineOperation } from "./operation.ts";

const mostBytes = 1_000_000;
const tailWindowBytes = 4_000_000;

export const outputSchema = z.object({
  id: z.string(),
  text: z.string().describe("In the encoding that was asked for."),
  from: z.int().describe("The offset at which the text begins."),
  next: z.int().describe("Where to read on."),
  size: z.int().describe("Bytes written so far, dropped ones included."),
  dropped: z.int().describe("Bytes that were dropped because the output exceeded its cap."),
  is_complete: z.boolean().describe("The job has ended and `next` is the end of its output."),
  matches: z.int().optional().describe("With grep: how many lines matched."),
});

export const jobOutput = defineOperation({
  name: "job_output",
  scope: "read",
  description: "Read a job's output: from an offset, its last lines, or the lines that match a pattern.",
  input: z.strictObject({
    id: z.string().describe("Job id, the end of one, or a name."),
    stream: z.string().default("merged").describe("merged (stdout and stderr in order), stdout or stderr."),
    attempt: z.int().min(1).optional().describe("An earlier attempt; the current one unless given."),
    from: z.int().min(0).optional(),
    tail: z.int().min(1).max(100_000).optional().describe("The last so many lines."),
    grep: z.string().max(1_000).optional().describe("Only lines that match this expression (RE2)."),
    limit: z.int().min(1).max(mostBytes).default(64_000).describe("Most bytes to return."),
    wait_ms: z.int().min(0).max(60_000).default(0).describe("Wait so long for output beyond `from`."),
    encoding: z.enum(["utf8", "base64"]).default("utf8").describe("base64 keeps bytes that are no text."),
  }),
  output: outputSchema,
  run: async ({ engine, actor, signal }, input) => {
    const test = input.grep === undefined ? undefined : compilePattern(input.grep);
    let job = await findJob(engine, input.id, actor);
    const target = { id: job.id, attempt: input.attempt ?? job.state.attempt, stream: input.stream };
    const from = input.from ?? 0;
    const hasEnded = ({ state }: Job): boolean => isTerminal(state) || target.attempt < state.attempt;
    const open = (): Promise<OutputSource> => openOutput(engine, { ...target, isOver: hasEnded(job) }, actor);
    let chunk = await readChunk(await open(), input, from, test, hasEnded(job));
    if (chunk.size <= from && input.wait_ms > 0 && !hasEnded(job)) {
      const hasMore = async (now: Job): Promise<boolean> =>
        hasEnded(now) || (await (await open()).read(from, 1)).size > from;
      await engine.wait(job.id, { until: hasMore, timeoutMs: input.wait_ms, ...actor, ...defined({ signal }) });
      job = await engine.get(job.id, actor);
      chunk = await readChunk(await open(), input, from, test, hasEnded(job));
    }
    const isComplete = hasEnded(job) && chunk.next >= chunk.size;
    const { bytes, matches, ...place } =
      isComplete || input.encoding === "base64" ? chunk : cutToCharacters(chunk, input.limit);
    // The state is older than the chunk: a job that had ended by then has written nothing after it.
    return {
      id: job.id,
      text: input.encoding === "utf8" ? new TextDecoder().decode(bytes) : Buffer.from(bytes).toString("base64"),
      ...place,
      ...defined({ matches }),
      is_complete: isComplete,
    };
  },
});

/** Leaves a character that is not whole for the next read, unless the limit is too small for it. */
function cutToCharacters(chunk: ReadChunk, limit: number): ReadChunk {
  if (chunk.matches !== undefined) return chunk;
  const length = wholeCharacters(chunk.bytes);
  if (length === 0 && chunk.bytes.length >= limit) return chunk;
  return { ...chunk, bytes: chunk.bytes.subarray(0, length), next: chunk.next - (chunk.bytes.length - length) };
}

type ReadRequest = { readonly tail?: number | undefined; readonly limit: number };
type ReadChunk = OutputChunk & { readonly matches?: number };

function readChunk(
  source: OutputSource,
  { tail, limit }: ReadRequest,
  from: number,
  test: ((line: string) => boolean) | undefined,
  isOver: boolean,
): Promise<ReadChunk> {
  if (test !== undefined) return readMatching(source, from, { tail, limit }, test, isOver);
  return tail === undefined ? readFrom(source, from, limit) : readTail(source, tail, limit);
}

async function readFrom(source: OutputSource, from: number, limit: number): Promise<OutputChunk> {
  const first = await source.read(from, limit);
  const chunks = [first];
  let left = limit - first.bytes.length;
  let last = first;
  while (left > 0 && last.bytes.length > 0 && last.next < last.size) {
    last = await source.read(last.next, left);
    left -= last.bytes.length;
    chunks.push(last);
  }
  return { ...last, from: first.from, bytes: Buffer.concat(chunks.map(({ bytes }) => bytes)) };
}

async function readTail(source: OutputSource, lines: number, limit: number): Promise<OutputChunk> {
  const { size } = await source.read(0, 1);
  const window = await readFrom(
    source,
    Math.max(0, size - Math.min(tailWindowBytes, Math.max(limit, lines * 1_000))),
    tailWindowBytes,
  );
  const text = Buffer.from(window.bytes);
  let start = text.length;
  for (let seen = 0; start > 0; start--) {
    const isLineEnd = text[start - 1] === 0x0a && start < text.length;
    if (isLineEnd && ++seen === lines) break;
  }
  let cut = Math.max(start, text.length - limit);
  // Not inside a character: those bytes of it that are left out would make the rest unreadable.
  while (cut > start && cut < text.length && ((text[cut] ?? 0) & 0xc0) === 0x80) cut++;
  return { ...window, bytes: text.subarray(cut), from: window.next - (text.length - cut) };
}

/** Lines are read to the end of the output; those beyond the limit, or before the last so many, are counted but not returned. */
async function readMatching(
  source: OutputSource,
  from: number,
  { tail, limit }: ReadRequest,
  test: (line: string) => boolean,
  isOver: boolean,
): Promise<ReadChunk> {
  const lines = new LineBuffer();
  const found: string[] = [];
  let bytesFound = 0;
  let matches = 0;
  const take = (line: string): void => {
    if (!test(line)) return;
    matches += 1;
    bytesFound += Buffer.byteLength(line) + 1;
    if (tail !== undefined || bytesFound <= limit) found.push(`${line}\n`);
    if (tail === undefined) return;
    while (found.length > tail || bytesFound > limit) bytesFound -= Buffer.byteLength(found.shift() ?? "");
  };
  let chunk = await source.read(from, mostBytes);
  const first = chunk;
  while (chunk.bytes.length > 0) {
    lines.push(chunk.bytes).forEach(take);
    chunk = await source.read(chunk.next, mostBytes);
  }
  if (isOver && lines.rest !== "") take(lines.rest);
  // A line that may still grow is left for the next read.
  const next = isOver ? chunk.next : chunk.next - Buffer.byteLength(lines.rest);
  return { ...chunk, from: first.from, next, bytes: Buffer.from(found.join("")), matches };
}
