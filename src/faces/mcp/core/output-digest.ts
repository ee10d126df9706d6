import type { Job } from "../../../job/job.ts";
import { isTerminal } from "../../../job/state.ts";
import { openOutput, type OutputSource } from "../../../operations/merged-output.ts";
import type { JobAccess } from "../job-tool.ts";
import { cleanText } from "./clean-text.ts";

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
export async function digestOutput(job: Job, { engine, actor }: JobAccess): Promise<OutputDigest> {
  const target = { id: job.id, attempt: job.state.attempt, stream: "merged", isOver: isTerminal(job.state) };
  const source = await openOutput(engine, target, actor);
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

function fromLineStart(text: string, most: number): string {
  if (text.length <= most) return text;
  const end = text.slice(-most);
  const start = end.indexOf("\n");
  return start < 0 || start > most / 2 ? end : end.slice(start + 1);
}
