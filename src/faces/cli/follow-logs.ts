import { defined } from "../../job/defined.ts";
import type { JobView } from "../../operations/job-view.ts";
import type { OutputAnswer } from "./answers.ts";
import { exitCodes } from "./exit-code.ts";
import { followOutput, type OutputPiece } from "./follow-output.ts";
import type { Front } from "./front.ts";
import { listenForInterrupt } from "./interrupt.ts";

export interface LogsOptions {
  readonly follow?: true;
  readonly tail?: number;
  readonly grep?: string;
  readonly from?: number;
  readonly stream?: string;
  readonly attempt?: number;
}

const tailBytes = 1_000_000;

/** Prints a running job's output as it comes, until the job ends or Ctrl-C. */
export async function followLogs(front: Front, job: JobView, options: LogsOptions & { json?: true }): Promise<number> {
  const { client } = front;
  // Pieces of JSON say which stream they are from; for a reader, the order in which things were written counts.
  const all = options.json === true ? ["stdout", "stderr"] : ["merged"];
  const streams = options.stream === undefined ? all : [options.stream];
  const attempt = options.attempt ?? job.attempt;
  const write = options.json === true ? jsonLines(front, job.id) : plainBytes(front);
  const interrupt = listenForInterrupt();
  try {
    const starts = new Map<string, number>();
    for (const stream of streams) {
      starts.set(stream, options.from ?? (await writeTail(front, { id: job.id, stream, attempt }, options, write)));
    }
    await followOutput({
      client,
      id: job.id,
      attempt,
      isOneAttempt: options.attempt !== undefined,
      streams,
      from: (stream) => starts.get(stream) ?? 0,
      grep: options.grep,
      signal: interrupt.signal,
      write,
    });
    return exitCodes.done;
  } catch (error) {
    if (!interrupt.signal.aborted) throw error;
    return exitCodes.interrupted;
  } finally {
    interrupt.stop();
  }
}

type Write = (piece: OutputPiece) => Promise<void>;

/** Writes the last lines, if they are wanted, and answers where to go on. */
async function writeTail(
  { client }: Front,
  target: { id: string; stream: string; attempt: number },
  { tail, grep }: LogsOptions,
  write: Write,
): Promise<number> {
  if (tail === undefined) return 0;
  const request = { ...target, tail, limit: tailBytes, encoding: "base64", ...defined({ grep }) };
  const { text, from, next } = await client.call<OutputAnswer>("job_output", request);
  const { stream, attempt } = target;
  if (text !== "") await write({ stream, attempt, bytes: Buffer.from(text, "base64"), from, next, missing: 0 });
  return next;
}

function plainBytes({ screen }: Front): Write {
  return async ({ bytes, missing }) => {
    if (missing > 0) screen.note(screen.noteStyle.dim(`… ${missing} bytes were dropped here …`));
    await screen.write("stdout", bytes);
  };
}

/** Characters that were cut in two by the end of a piece are put together again. */
function jsonLines({ screen }: Front, id: string): Write {
  const decoders = new Map<string, InstanceType<typeof globalThis.TextDecoder>>();
  return async ({ stream, attempt, bytes, from, next }) => {
    const key = `${stream}.${attempt}`;
    const decoder = decoders.get(key) ?? new globalThis.TextDecoder();
    decoders.set(key, decoder);
    screen.printJsonLine({ id, attempt, stream, text: decoder.decode(bytes, { stream: true }), from, next });
  };
}
