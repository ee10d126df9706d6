import { execFile } from "node:child_process";
import {
  closeSync,
  createReadStream,
  createWriteStream,
  openSync,
  readSync,
  renameSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { readdir, readFile, rename, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { promisify } from "node:util";

const run = promisify(execFile);

/** The bytes of a stream's first file that were taken out while its process went on appending to it. */
export interface Cut {
  readonly from: number;
  readonly to: number;
}

export async function readCut(folder: string, stream: string): Promise<Cut | undefined> {
  const text = await readFile(cutFile(folder, stream), "utf8").catch(() => undefined);
  const [from, to] = (text ?? "").split(" ").map(Number);
  return from === undefined || to === undefined || Number.isNaN(to) ? undefined : { from, to };
}

/**
 * Frees the middle of a stream that another process appends to; one call at a time. Where the system can punch holes,
 * offsets in the file stay what they are and not a byte of the head or the tail is touched. Elsewhere head and tail are
 * copied, and the file is emptied and goes on under the name of its new offset. What cannot be done now is left to the
 * next call.
 */
export async function cutMiddle(folder: string, stream: string, headBytes: number, tailBytes: number): Promise<void> {
  const starts = toStarts(await readdir(folder), stream);
  if (starts.length === 1 && (await punch(folder, stream, headBytes, tailBytes))) return;
  await copyEnds(folder, stream, starts, { headBytes, tailBytes }).catch(() => undefined);
}

/** False if the system cannot. */
async function punch(folder: string, stream: string, headBytes: number, tailBytes: number): Promise<boolean> {
  const path = join(folder, `${stream}.0`);
  const { size } = await stat(path);
  const known = await readCut(folder, stream);
  const from = Math.min(known?.from ?? Infinity, Math.ceil(headBytes / 4096) * 4096);
  const to = Math.floor((size - tailBytes) / 4096) * 4096;
  const start = known?.to ?? from;
  if (to <= start) return true;
  // On record before the bytes are gone, so that nobody reads a hole; on a full disk there is room only afterwards.
  const recorded = await writeCut(folder, stream, { from, to }).catch(() => "no room");
  try {
    await run("fallocate", ["--punch-hole", "--offset", String(start), "--length", String(to - start), path]);
  } catch {
    return false;
  }
  if (recorded === "no room") await writeCut(folder, stream, { from, to }).catch(() => undefined);
  return true;
}

/** What the process writes between the last copying and the emptying is lost, and the offsets behind it are too low by that. */
async function copyEnds(
  folder: string,
  stream: string,
  starts: readonly number[],
  { headBytes, tailBytes }: { headBytes: number; tailBytes: number },
): Promise<void> {
  const nameOf = (part: string | number): string => join(folder, `${stream}.${part}`);
  const live = starts.at(-1) ?? 0;
  const { size } = await stat(nameOf(live));
  if (live > 0 && size < tailBytes) return trimTail(nameOf, starts, tailBytes - size);
  const tail = Math.max(live === 0 ? headBytes : 0, size - tailBytes);
  if (live === 0) await copy(nameOf(0), 0, headBytes, nameOf("head"));
  await copy(nameOf(live), tail, size, nameOf("tail"));
  // In one turn, so that no reader of this process sees a part of it.
  const end = copyRest(nameOf(live), size, nameOf("tail"));
  truncateSync(nameOf(live));
  renameSync(nameOf(live), nameOf(live + end));
  renameSync(nameOf("tail"), nameOf(live + tail));
  if (live === 0) {
    renameSync(nameOf("head"), nameOf(0));
    writeFileSync(cutFile(folder, stream), `${headBytes} ${headBytes}`);
  }
  for (const old of starts.slice(1, -1)) unlinkSync(nameOf(old));
}

/** Of what the last cut has kept goes only what the process has written since: its file is not a whole tail yet. */
async function trimTail(
  nameOf: (part: string | number) => string,
  starts: readonly number[],
  keepBytes: number,
): Promise<void> {
  const [old = 0, live = 0] = starts.slice(-2);
  const from = live - old - keepBytes;
  if (starts.length < 3 || from <= 0) return;
  await copy(nameOf(old), from, live - old, nameOf("tail"));
  renameSync(nameOf("tail"), nameOf(old + from));
  for (const before of starts.slice(1, -1)) unlinkSync(nameOf(before));
}

async function copy(source: string, from: number, to: number, target: string): Promise<void> {
  await pipeline(createReadStream(source, { start: from, end: to - 1 }), createWriteStream(target, { mode: 0o600 }));
}

const chunkBytes = 1024 * 1024;
/** A process that writes faster than we copy must not keep us here. */
const maxChunks = 64;

/** Appends what has come since; returns where it ends. */
function copyRest(source: string, from: number, target: string): number {
  const files = [openSync(source, "r"), openSync(target, "a")] as const;
  const buffer = Buffer.allocUnsafe(chunkBytes);
  let end = from;
  for (let chunk = 0, bytes = -1; chunk < maxChunks && bytes !== 0; chunk++) {
    bytes = readSync(files[0], buffer, 0, chunkBytes, end);
    end += writeSync(files[1], buffer, 0, bytes);
  }
  files.forEach((file) => closeSync(file));
  return end;
}

async function writeCut(folder: string, stream: string, cut: Cut): Promise<void> {
  const file = cutFile(folder, stream);
  await writeFile(`${file}.tmp`, `${cut.from} ${cut.to}`);
  await rename(`${file}.tmp`, file);
}

function cutFile(folder: string, stream: string): string {
  return join(folder, `${stream}.cut`);
}

/** The offsets at which this stream's files begin, in order. */
export function toStarts(names: readonly string[], stream: string): number[] {
  return names
    .filter((name) => name.startsWith(`${stream}.`) && /\.\d+$/.test(name))
    .map((name) => Number(name.slice(stream.length + 1)))
    .filter(Number.isSafeInteger)
    .toSorted((a, b) => a - b);
}
