import type { Job } from "../../../job/job.ts";
import { jobOutput } from "../../../operations/output.ts";
import type { OperationContext } from "../../../operations/operation.ts";

export interface Streams {
  readonly stdout: string;
  readonly stderr: string;
}

const maxBytes = 1_000_000;

/** Both streams from these offsets on, at most so many bytes of each; lines without their last line end. */
export async function readStreams(
  job: Job,
  context: OperationContext,
  options: { from?: { stdout: number; stderr: number }; maxBytes: number },
): Promise<Streams> {
  const read = (stream: "stdout" | "stderr"): Promise<string> =>
    readAll(job, stream, context, options.from?.[stream] ?? 0, options.maxBytes);
  const [stdout, stderr] = await Promise.all([read("stdout"), read("stderr")]);
  return { stdout, stderr };
}

export async function tailStreams(job: Job, context: OperationContext, lines: number): Promise<Streams> {
  const read = async (stream: string): Promise<string> => {
    const call = { id: job.id, stream, tail: lines, limit: maxBytes };
    return withoutLineEnd((await jobOutput.call(context, call)).text);
  };
  const [stdout, stderr] = await Promise.all([read("stdout"), read("stderr")]);
  return { stdout, stderr };
}

async function readAll(
  job: Job,
  stream: string,
  context: OperationContext,
  from: number,
  max: number,
): Promise<string> {
  const texts: string[] = [];
  let next = from;
  for (let left = max; left > 0;) {
    const call = { id: job.id, stream, from: next, limit: Math.min(left, maxBytes) };
    const read = await jobOutput.call(context, call);
    if (read.text === "") break;
    texts.push(read.text);
    left -= read.next - next;
    next = read.next;
  }
  return withoutLineEnd(texts.join(""));
}

function withoutLineEnd(text: string): string {
  return text.replace(/\r?\n$/, "");
}
