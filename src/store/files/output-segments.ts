import { open, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { readCut, toStarts } from "./output-cut.ts";
import type { OutputSize } from "../../job/output.ts";
import type { OutputSlice } from "../output-store.ts";

/** A stretch of a stream that is kept: `size` bytes from `start` on, at `position` in its file. */
interface Segment {
  readonly start: number;
  readonly size: number;
  readonly file: string;
  readonly position: number;
}

export async function readSlice(folder: string, stream: string, from: number, limit: number): Promise<OutputSlice> {
  for (;;) {
    const slice = await readOnce(folder, stream, from, limit);
    const cut = await readCut(folder, stream);
    // What was cut out while it was read may have been read as zeros.
    if (cut === undefined || slice.next <= cut.from || slice.from >= cut.to) return slice;
  }
}

async function readOnce(folder: string, stream: string, from: number, limit: number): Promise<OutputSlice> {
  const segments = await listSegments(folder, stream);
  const { size } = toSize(segments);
  const segment = segments.find(({ start, size: length }) => start + length > from);
  if (segment === undefined) return { bytes: new Uint8Array(), from: size, next: size, size };
  const start = Math.max(from, segment.start);
  const wanted = Math.min(limit, segment.start + segment.size - start);
  const position = segment.position + start - segment.start;
  const bytes = await readBytes(join(folder, segment.file), position, wanted).catch(ignoreMissing);
  // The segment was dropped since it was listed: what comes next is looked for again.
  if (bytes === undefined) return readSlice(folder, stream, segment.start + segment.size, limit);
  return { bytes, from: start, next: start + bytes.length, size };
}

export async function measureStream(folder: string, stream: string): Promise<OutputSize> {
  return toSize(await listSegments(folder, stream));
}

export async function listStreams(folder: string): Promise<string[]> {
  const names = (await listNames(folder)).flatMap((name) => /^([a-z][a-z0-9_-]*)\.\d+$/.exec(name)?.[1] ?? []);
  return [...new Set(names)].toSorted();
}

async function listSegments(folder: string, stream: string): Promise<Segment[]> {
  const names = await listNames(folder);
  const cut = names.includes(`${stream}.cut`) ? await readCut(folder, stream) : undefined;
  const segments: Segment[] = [];
  for (const start of toStarts(names, stream)) {
    const file = `${stream}.${start}`;
    const facts = await stat(join(folder, file)).catch(ignoreMissing);
    if (facts === undefined) continue;
    if (start > 0 || cut === undefined) segments.push({ start, size: facts.size, file, position: 0 });
    else {
      segments.push({ start: 0, size: Math.min(cut.from, facts.size), file, position: 0 });
      if (facts.size > cut.to) segments.push({ start: cut.to, size: facts.size - cut.to, file, position: cut.to });
    }
  }
  return segments;
}

function toSize(segments: readonly Segment[]): OutputSize {
  const last = segments.at(-1);
  const size = last === undefined ? 0 : last.start + last.size;
  const kept = segments.reduce((sum, segment) => sum + segment.size, 0);
  return { size, dropped: size - kept };
}

async function readBytes(path: string, position: number, length: number): Promise<Uint8Array> {
  const file = await open(path, "r");
  try {
    const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(length), 0, length, position);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

async function listNames(folder: string): Promise<string[]> {
  return (await readdir(folder).catch(ignoreMissing)) ?? [];
}

export function ignoreMissing(error: unknown): undefined {
  if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
  throw error;
}
