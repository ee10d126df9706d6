import type { Job } from "../../../job/job.ts";
import { isTerminal } from "../../../job/state.ts";
import type { OperationContext } from "../../../operations/operation.ts";
import { stripControls } from "../../../text/controls.ts";
import { wholeCharacters } from "../../../text/whole-characters.ts";

export interface Streams {
  readonly stdout: string;
  readonly stderr: string;
}

type StreamName = keyof Streams;

interface ReadOptions {
  /** Where to begin in each stream: at its start unless given. */
  readonly from?: Readonly<Record<StreamName, number>>;
  /** Of a stream that is longer, the end is kept. */
  readonly maxBytes: number;
}

/** Both streams, whole lines without the last line end; a line in brackets stands where something is left out. */
export async function readStreams(
  job: Job,
  context: OperationContext,
  { from, maxBytes }: ReadOptions,
): Promise<Streams> {
  const read = async (stream: StreamName): Promise<string> =>
    (await readEnd(job, stream, context, { from: from?.[stream] ?? 0, maxBytes })).text;
  const [stdout, stderr] = await Promise.all([read("stdout"), read("stderr")]);
  return { stdout, stderr };
}

const firstWindowBytes = 64 * 1024;

/** The last so many lines of each stream, as far as they are among its last `maxBytes`. */
export async function tailStreams(
  job: Job,
  context: OperationContext,
  { lines, maxBytes }: { lines: number; maxBytes: number },
): Promise<Streams> {
  const tail = async (stream: StreamName): Promise<string> => {
    for (let windowBytes = Math.min(firstWindowBytes, maxBytes); ; windowBytes = Math.min(windowBytes * 8, maxBytes)) {
      const { text, isFromStart } = await readEnd(job, stream, context, { from: 0, maxBytes: windowBytes });
      const shown = text.split("\n");
      if (shown.length > lines || isFromStart || windowBytes === maxBytes) return shown.slice(-lines).join("\n");
    }
  };
  const [stdout, stderr] = await Promise.all([tail("stdout"), tail("stderr")]);
  return { stdout, stderr };
}

/** Bytes that follow each other. Where the store has dropped some, the next stretch begins. */
interface Stretch {
  readonly from: number;
  readonly bytes: Buffer;
}

async function readEnd(
  job: Job,
  stream: StreamName,
  context: OperationContext,
  { from, maxBytes }: { from: number; maxBytes: number },
): Promise<{ text: string; isFromStart: boolean }> {
  const { engine, actor } = context;
  const { attempt } = job.state;
  const { size = 0, dropped = 0 } = (await engine.outputSizes(job.id, attempt, actor))[stream] ?? {};
  const start = size - from - dropped > maxBytes ? size - maxBytes : from;
  const stretches = await readStretches(job, stream, context, { start, end: size });
  const last = stretches.at(-1);
  // The rest of the last character may still come.
  const isOpen = last !== undefined && !isTerminal(job.state);
  const shown = isOpen ? [...stretches.slice(0, -1), withWholeCharacters(last)] : stretches;
  return { text: stripControls(joinStretches(shown, from)).replace(/\n$/, ""), isFromStart: start === from };
}

const chunkBytes = 1_000_000;

async function readStretches(
  job: Job,
  stream: StreamName,
  { engine, actor }: OperationContext,
  { start, end }: { start: number; end: number },
): Promise<Stretch[]> {
  const { attempt } = job.state;
  const stretches: { from: number; chunks: Uint8Array[] }[] = [];
  for (let next = start; next < end;) {
    const request = { stream, attempt, from: next, limit: Math.min(chunkBytes, end - next) };
    const slice = await engine.readOutput(job.id, request, actor);
    if (slice.bytes.length === 0) break;
    const current = stretches.at(-1);
    if (current === undefined || slice.from > next) stretches.push({ from: slice.from, chunks: [slice.bytes] });
    else current.chunks.push(slice.bytes);
    next = slice.next;
  }
  return stretches.map(({ from, chunks }) => ({ from, bytes: Buffer.concat(chunks) }));
}

function withWholeCharacters({ from, bytes }: Stretch): Stretch {
  return { from, bytes: bytes.subarray(0, wholeCharacters(bytes)) };
}

function joinStretches(stretches: readonly Stretch[], from: number): string {
  let text = "";
  let shownTo = from;
  for (const [index, stretch] of stretches.entries()) {
    const { from: begin, bytes } = toWholeLines(stretch, {
      isCutBefore: stretch.from > shownTo,
      isCutAfter: index < stretches.length - 1,
    });
    if (begin > shownTo)
      text += `${text === "" || text.endsWith("\n") ? "" : "\n"}[${begin - shownTo} bytes left out]\n`;
    text += bytes.toString();
    shownTo = begin + bytes.length;
  }
  return text;
}

const lineEnd = 0x0a;

/** Without what is left of a line that was cut; a stretch that is one long line stays as it is. */
function toWholeLines(
  { from, bytes }: Stretch,
  { isCutBefore, isCutAfter }: { isCutBefore: boolean; isCutAfter: boolean },
): Stretch {
  const first = isCutBefore ? bytes.indexOf(lineEnd) + 1 : 0;
  const begin = first === bytes.length ? 0 : first;
  const end = isCutAfter ? bytes.lastIndexOf(lineEnd) + 1 : 0;
  return { from: from + begin, bytes: bytes.subarray(begin, end > begin ? end : bytes.length) };
}
