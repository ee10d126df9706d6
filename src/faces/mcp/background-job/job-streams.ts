import type { Job } from "../../../job/job.ts";
import { jobOutput, type outputSchema } from "../../../operations/job-output.ts";
import type { OperationContext } from "../../../operations/operation.ts";
import type { z } from "zod";

export interface Streams {
  readonly stdout: string;
  readonly stderr: string;
}

type Context = Omit<OperationContext, "signal">;
type Read = z.output<typeof outputSchema>;

const mostBytes = 1_000_000;

/** Both streams from these offsets on, at most so many bytes of each; lines without their last line end. */
export async function readStreams(
  job: Job,
  context: Context,
  options: { from?: { stdout: number; stderr: number }; mostBytes: number },
): Promise<Streams> {
  const read = (stream: "stdout" | "stderr"): Promise<string> =>
    readAll(job, stream, context, options.from?.[stream] ?? 0, options.mostBytes);
  const [stdout, stderr] = await Promise.all([read("stdout"), read("stderr")]);
  return { stdout, stderr };
}

export async function tailStreams(job: Job, context: Context, lines: number): Promise<Streams> {
  const read = async (stream: string): Promise<string> => {
    const call = { id: job.id, stream, tail: lines, limit: mostBytes };
    return withoutLineEnd(((await jobOutput.call(context, call)) as Read).text);
  };
  const [stdout, stderr] = await Promise.all([read("stdout"), read("stderr")]);
  return { stdout, stderr };
}

async function readAll(job: Job, stream: string, context: Context, from: number, most: number): Promise<string> {
  const texts: string[] = [];
  let next = from;
  for (let left = most; left > 0;) {
    const call = { id: job.id, stream, from: next, limit: Math.min(left, mostBytes) };
    const read = (await jobOutput.call(context, call)) as Read;
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
