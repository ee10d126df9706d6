import type { Job } from "../../../job/job.ts";
import { isTerminal } from "../../../job/state.ts";
import { openOutput, type OutputSource } from "../../../operations/merged-output.ts";
import type { JobAccess } from "../../mcp/tools/job-tool.ts";
import { cleanText } from "../../mcp/tools/clean-text.ts";

const headBytes = 1_000;
const tailCharacters = 3_000;
/** More than is shown: cleaning makes less of it. */
const tailWindowBytes = 16_000;

export interface OutputDigest {
  readonly text: string;
  /** Bytes written in all. */
  readonly size: number;
  readonly isCut: boolean;
}

/** The beginning and the end of what a job has written, about 4 KB, with one line in between that says how to read the rest. */
export async function digestOutput(job: Job, access: JobAccess): Promise<OutputDigest> {
  const source = await open(job, access);
  const head = await readText(source, 0, headBytes + tailWindowBytes);
  const { size } = head;
  if (head.next >= size) {
    const text = cleanText(head.text);
    if (text.length <= headBytes + tailCharacters) return { text, size, isCut: false };
  }
  const beginning = toLineEnd(head.text.slice(0, headBytes));
  const tail = await readText(source, Math.max(headBytes, size - tailWindowBytes), tailWindowBytes);
  const end = fromLineStart(cleanText(tail.text), tailCharacters);
  const from = Buffer.byteLength(beginning);
  const cut = `[cut: the first ${from} and the last ${Buffer.byteLength(end)} of ${size} bytes are shown; job_output {"id":"${job.id}","from":${from}} reads on]`;
  return { text: `${cleanText(beginning).trimEnd()}\n${cut}\n${end}`, size, isCut: true };
}

const lastLines = 10;
const lastCharacters = 1_000;

/** The last lines that a job has written; empty if there are none. */
export async function tailOutput(job: Job, access: JobAccess): Promise<string> {
  const source = await open(job, access);
  const { size } = await source.read(0, 1);
  const { text } = await readText(source, Math.max(0, size - tailWindowBytes), tailWindowBytes);
  const lines = cleanText(text).trimEnd().split("\n").slice(-lastLines);
  return fromLineStart(lines.join("\n"), lastCharacters);
}

function open(job: Job, { engine, actor }: JobAccess): Promise<OutputSource> {
  const target = { id: job.id, attempt: job.state.attempt, stream: "merged", isOver: isTerminal(job.state) };
  return openOutput(engine, target, actor);
}

async function readText(
  source: OutputSource,
  from: number,
  limit: number,
): Promise<{ text: string; next: number; size: number }> {
  const chunks: Uint8Array[] = [];
  let chunk = await source.read(from, limit);
  let left = limit;
  while (chunk.bytes.length > 0 && left > 0) {
    chunks.push(chunk.bytes);
    left -= chunk.bytes.length;
    if (left > 0) chunk = await source.read(chunk.next, left);
  }
  return { text: Buffer.concat(chunks).toString(), next: chunk.next, size: chunk.size };
}

function toLineEnd(text: string): string {
  const end = text.lastIndexOf("\n");
  return end < 0 ? text : text.slice(0, end + 1);
}

function fromLineStart(text: string, max: number): string {
  if (text.length <= max) return text;
  const end = text.slice(-max);
  const start = end.indexOf("\n");
  return start < 0 || start > max / 2 ? end : end.slice(start + 1);
}
