import { z } from "zod";
import type { PatternPool } from "../text/pattern-pool.ts";
import { LonghaulError } from "../job/error.ts";
import type { Job } from "../job/job.ts";
import { PlacedLines, type PlacedLine } from "../text/placed-lines.ts";
import { wholeCharacters } from "../text/whole-characters.ts";
import { isTerminal } from "../job/state.ts";
import { findJob } from "./job-reference.ts";
import { openOutput, type OutputChunk, type OutputSource } from "./merged-output.ts";
import { defineOperation } from "./operation.ts";

const maxBytes = 1_000_000;
const tailWindowBytes = 4_000_000;
/** Searched at a time: what else the server has to do comes in between. */
const searchBytes = 128 * 1024;
/** Most time for a whole search. */
const searchMs = 30_000;

export const outputSchema = z.object({
  id: z.string(),
  text: z.string().describe("In the encoding that was asked for."),
  from: z.int().describe("The offset at which the text begins."),
  next: z.int().describe("Where to read on."),
  size: z.int().describe("Bytes written so far, dropped ones included."),
  dropped: z.int().describe("Bytes that were dropped because the output exceeded its cap."),
  is_complete: z.boolean().describe("The job has ended and `next` is the end of its output."),
  matches: z.int().optional().describe("With grep: how many lines matched."),
  offsets: z.array(z.int()).optional().describe("With grep: where each line of the text begins in the output."),
  note: z.string().optional().describe("With grep: how much could not be searched, because it was dropped."),
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
    limit: z.int().min(1).max(maxBytes).default(64_000).describe("Most bytes to return."),
    wait_ms: z.int().min(0).max(60_000).default(0).describe("Wait so long for output beyond `from`."),
    encoding: z.enum(["utf8", "base64"]).default("utf8").describe("base64 keeps bytes that are no text."),
  }),
  output: outputSchema,
  run: async ({ engine, actor, signal }, input) => {
    const { patterns } = engine;
    const from = input.from ?? 0;
    if (input.grep !== undefined) patterns.check(input.grep);
    const read = (source: OutputSource, isOver: boolean): Promise<ReadChunk> =>
      readChunk(source, input, { patterns, from, isOver, signal });
    let job = await findJob(engine, input.id, actor);
    const target = { id: job.id, attempt: input.attempt ?? job.state.attempt, stream: input.stream };
    const hasEnded = ({ state }: Job): boolean => isTerminal(state) || target.attempt < state.attempt;
    await checkTarget(job, target, async () => engine.outputSizes(job.id, target.attempt, actor));
    const open = (): Promise<OutputSource> => openOutput(engine, { ...target, isOver: hasEnded(job) }, actor);
    let chunk = await read(await open(), hasEnded(job));
    if (chunk.size <= from && input.wait_ms > 0 && !hasEnded(job)) {
      const hasMore = async (now: Job): Promise<boolean> =>
        hasEnded(now) || (await (await open()).read(from, 1)).size > from;
      await engine.wait(job.id, { until: hasMore, timeoutMs: input.wait_ms, ...actor, signal });
      job = await engine.get(job.id, actor);
      chunk = await read(await open(), hasEnded(job));
    }
    const isComplete = hasEnded(job) && chunk.next >= chunk.size;
    const {
      bytes,
      matches,
      offsets,
      unsearched = 0,
      isBeforeGap: _isBeforeGap,
      ...place
    } = isComplete || input.encoding === "base64" ? chunk : cutToCharacters(chunk, input.limit);
    // The state is older than the chunk: a job that had ended by then has written nothing after it.
    return {
      id: job.id,
      text: input.encoding === "utf8" ? new TextDecoder().decode(bytes) : Buffer.from(bytes).toString("base64"),
      ...place,
      matches,
      offsets,
      note: unsearched > 0 ? noteUnsearched(chunk.size, unsearched) : undefined,
      is_complete: isComplete,
    };
  },
});

const usualStreams: readonly string[] = ["merged", "stdout", "stderr"];
/** How stdout and stderr follow each other: nothing to read. */
const hiddenStreams: ReadonlySet<string> = new Set(["order"]);

/** Refuses an attempt that there is not, and a stream that cannot come any more. */
async function checkTarget(
  { id, kind, state }: Job,
  { attempt, stream }: { readonly attempt: number; readonly stream: string },
  findStreams: () => Promise<Readonly<Record<string, unknown>>>,
): Promise<void> {
  if (attempt > state.attempt) {
    throw new LonghaulError(
      "invalid_input",
      `Job ${id} has no attempt ${attempt}: ${state.attempt === 1 ? "there is only the first" : `the last is ${state.attempt}`}.`,
    );
  }
  // A command has two streams; what other kinds write to, they say by writing to it.
  const mayCome = kind !== "shell" && !isTerminal(state) && attempt === state.attempt;
  if (usualStreams.includes(stream) || mayCome) return;
  const found = Object.keys(await findStreams());
  if (found.includes(stream)) return;
  const known = new Set([...usualStreams, ...found.filter((name) => !hiddenStreams.has(name))]);
  throw new LonghaulError("invalid_input", `Job ${id} has no stream "${stream}": it has ${[...known].join(", ")}.`);
}

/** Leaves a character that is not whole for the next read, unless the limit is too small for it. */
function cutToCharacters(chunk: ReadChunk, limit: number): ReadChunk {
  if (chunk.matches !== undefined || chunk.isBeforeGap === true) return chunk;
  const length = wholeCharacters(chunk.bytes);
  if (length === 0 && chunk.bytes.length >= limit) return chunk;
  return { ...chunk, bytes: chunk.bytes.subarray(0, length), next: chunk.next - (chunk.bytes.length - length) };
}

type ReadRequest = {
  readonly tail?: number;
  readonly limit: number;
  readonly grep?: string;
};
type ReadChunk = OutputChunk & {
  readonly matches?: number;
  /** Where each line that is returned begins. */
  readonly offsets?: number[];
  readonly unsearched?: number;
  /** The bytes behind it were dropped: what it ends with stays incomplete. */
  readonly isBeforeGap?: boolean;
};

interface ReadOptions {
  readonly patterns: PatternPool;
  readonly from: number;
  readonly isOver: boolean;
  readonly signal: AbortSignal | undefined;
}

function readChunk(source: OutputSource, request: ReadRequest, options: ReadOptions): Promise<ReadChunk> {
  const { tail, limit, grep } = request;
  if (grep !== undefined) return readMatching(source, { ...request, grep }, options);
  return tail === undefined ? readFrom(source, options.from, limit) : readTail(source, tail, limit);
}

async function readFrom(source: OutputSource, from: number, limit: number): Promise<ReadChunk> {
  const first = await source.read(from, limit);
  const chunks = [first];
  let left = limit - first.bytes.length;
  let last = first;
  let isBeforeGap = false;
  while (left > 0 && last.bytes.length > 0 && last.next < last.size) {
    const following = await source.read(last.next, left);
    // Where bytes were dropped the next read begins, so that whoever reads on sees it.
    isBeforeGap = following.from > last.next;
    if (isBeforeGap) break;
    last = following;
    left -= last.bytes.length;
    chunks.push(last);
  }
  return { ...last, from: first.from, bytes: Buffer.concat(chunks.map(({ bytes }) => bytes)), isBeforeGap };
}

async function readTail(source: OutputSource, lines: number, limit: number): Promise<ReadChunk> {
  const { size } = await source.read(0, 1);
  const windowStart = Math.max(0, size - Math.min(tailWindowBytes, Math.max(limit, lines * 1_000)));
  let window = await readFrom(source, windowStart, tailWindowBytes);
  // Not across dropped bytes: what is left of the lines on both sides would look like one.
  while (window.bytes.length > 0 && window.next < size) window = await readFrom(source, window.next, tailWindowBytes);
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
  { tail, limit, grep }: ReadRequest & { readonly grep: string },
  { patterns, from, isOver, signal }: ReadOptions,
): Promise<ReadChunk> {
  const lines = new PlacedLines();
  const found = new FoundLines(tail, limit);
  const endsAt = performance.now() + searchMs;
  const take = async (placed: readonly PlacedLine[]): Promise<void> => {
    const timeoutMs = Math.max(1, endsAt - performance.now());
    const texts = placed.map(({ text }) => text);
    for (const index of await patterns.search(grep, texts, { signal, timeoutMs })) {
      const line = placed[index];
      if (line !== undefined) found.add(line);
    }
    found.join();
  };
  let chunk = await source.read(from, searchBytes);
  const first = chunk;
  let unsearched = Math.max(0, first.from - from);
  while (chunk.bytes.length > 0) {
    await take(lines.push(chunk.bytes, chunk.from));
    const { next } = chunk;
    chunk = await source.read(next, searchBytes);
    unsearched += Math.max(0, chunk.from - next);
  }
  if (isOver) await take(lines.rest());
  // A line that may still grow is left for the next read.
  const next = isOver ? chunk.next : chunk.next - lines.restBytes;
  const { matches, offsets } = found;
  return { ...chunk, from: first.from, next, bytes: found.bytes(), matches, offsets, unsearched };
}

function noteUnsearched(size: number, unsearched: number): string {
  const all = size < 1_000_000 ? `${count(size)} bytes` : `${count(Math.round(size / 1_000_000))} MB`;
  return `${all}, ${count(unsearched)} bytes in the middle were dropped and not searched`;
}

function count(value: number): string {
  return value.toLocaleString("en-US");
}

/** The first lines that fit into the limit, or the last so many of them. */
class FoundLines {
  readonly #tail: number | undefined;
  readonly #limit: number;
  /** What is kept in any case, a stretch of lines each: to join half a million at the end would hold up everybody else. */
  readonly #joined: string[] = [];
  #lines: string[] = [];
  #offsets: number[] = [];
  #dropped = 0;
  #bytes = 0;
  matches = 0;

  constructor(tail: number | undefined, limit: number) {
    this.#tail = tail;
    this.#limit = limit;
  }

  /** Where the lines begin that are returned. */
  get offsets(): number[] {
    return this.#offsets.slice(this.#dropped);
  }

  add({ text, at }: PlacedLine): void {
    this.matches += 1;
    this.#bytes += Buffer.byteLength(text) + 1;
    if (this.#tail === undefined && this.#bytes > this.#limit) return;
    this.#lines.push(text);
    this.#offsets.push(at);
    if (this.#tail === undefined) return;
    while (this.#lines.length - this.#dropped > this.#tail || this.#bytes > this.#limit) {
      this.#bytes -= Buffer.byteLength(this.#lines[this.#dropped++] ?? "") + 1;
    }
    // Now and then, not for each line: taking from the front moves all the others.
    if (this.#dropped <= this.#lines.length / 2) return;
    this.#lines = this.#lines.slice(this.#dropped);
    this.#offsets = this.#offsets.slice(this.#dropped);
    this.#dropped = 0;
  }

  /** After each stretch of lines. */
  join(): void {
    if (this.#tail !== undefined || this.#lines.length === 0) return;
    this.#joined.push(`${this.#lines.join("\n")}\n`);
    this.#lines = [];
  }

  bytes(): Buffer {
    const kept = this.#lines.slice(this.#dropped).map((line) => `${line}\n`);
    return Buffer.from([...this.#joined, ...kept].join(""));
  }
}
