import { closeSync, mkdirSync, openSync, readdirSync, statSync, unlinkSync, writeSync } from "node:fs";
import { open, readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { LonghaulError } from "../job/error.ts";
import type { JobId } from "../job/id.ts";
import type { OutputAddress, OutputSize, OutputSlice, OutputStore, OutputWriter } from "./output-store.ts";

interface OutputFilesOptions {
  /** Most bytes kept of one stream. */
  readonly capBytes: number;
  readonly onGrown: (id: JobId) => void;
}

/** A stretch of a stream in a file of its own, named after the offset at which it begins. */
interface Segment {
  readonly start: number;
  readonly size: number;
}

const segmentsPerStream = 8;

/**
 * Output in files: `<root>/<job>/<attempt>/<stream>.<offset>`. The first segment (the head) is never dropped; when
 * the cap is reached the oldest of the others goes. The names say all there is to know, so a crash leaves nothing
 * to repair.
 */
export function createOutputFiles(root: string, options: OutputFilesOptions): OutputStore {
  const segmentBytes = Math.max(1, Math.floor(options.capBytes / segmentsPerStream));
  const folder = (id: JobId, attempt: number): string => join(root, id, String(attempt));
  return {
    writer: (address) =>
      createWriter(folder(address.id, address.attempt), streamName(address), segmentBytes, () =>
        options.onGrown(address.id),
      ),
    read: (address, from, limit) => readSlice(folder(address.id, address.attempt), streamName(address), from, limit),
    measure: async (address) => toSize(await listSegments(folder(address.id, address.attempt), streamName(address))),
    streams: async (id, attempt) => {
      const names = await listNames(folder(id, attempt));
      return [...new Set(names.map((name) => name.slice(0, name.lastIndexOf("."))))].toSorted();
    },
    remove: (id) => rm(join(root, id), { recursive: true, force: true }),
  };
}

function streamName(address: OutputAddress): string {
  if (/^[a-z][a-z0-9_-]{0,31}$/.test(address.stream)) return address.stream;
  throw new LonghaulError(
    "invalid_input",
    `An output stream's name must be 1 to 32 lower-case letters, digits, "-" or "_", got "${address.stream}".`,
  );
}

function createWriter(folder: string, stream: string, segmentBytes: number, onGrown: () => void): OutputWriter {
  let segments: Segment[] | undefined;
  let file: number | undefined;

  const openSegment = (start: number): void => {
    if (file !== undefined) closeSync(file);
    file = openSync(join(folder, `${stream}.${start}`), "a", 0o600);
  };
  const begin = (): Segment[] => {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const found = findSegments(folder, stream);
    if (found.length === 0) found.push({ start: 0, size: 0 });
    openSegment(found.at(-1)?.start ?? 0);
    return found;
  };
  const rotate = (known: Segment[], start: number): void => {
    openSegment(start);
    known.push({ start, size: 0 });
    const [dropped] = known.length > segmentsPerStream ? known.splice(1, 1) : [];
    if (dropped !== undefined) unlinkSync(join(folder, `${stream}.${dropped.start}`));
  };
  const write = (known: Segment[], chunk: Uint8Array): void => {
    let rest = chunk;
    while (rest.length > 0) {
      const last = known.at(-1) ?? { start: 0, size: 0 };
      if (last.size >= segmentBytes) {
        rotate(known, last.start + last.size);
        continue;
      }
      const written = writeSync(file ?? -1, rest, 0, Math.min(rest.length, segmentBytes - last.size));
      known[known.length - 1] = { start: last.start, size: last.size + written };
      rest = rest.subarray(written);
    }
  };

  return {
    append: (chunk) => {
      try {
        segments ??= begin();
        write(segments, chunk);
      } catch (error) {
        if (!isDiskFull(error)) throw error;
      }
      onGrown();
    },
    close: () => {
      if (file !== undefined) closeSync(file);
      file = undefined;
      segments = undefined;
    },
  };
}

async function readSlice(folder: string, stream: string, from: number, limit: number): Promise<OutputSlice> {
  const segments = await listSegments(folder, stream);
  const { size } = toSize(segments);
  const segment = segments.find(({ start, size: length }) => start + length > from);
  if (segment === undefined) return { bytes: new Uint8Array(), from: size, next: size, size };
  const start = Math.max(from, segment.start);
  const wanted = Math.min(limit, segment.start + segment.size - start);
  const bytes = await readBytes(join(folder, `${stream}.${segment.start}`), start - segment.start, wanted);
  return { bytes, from: start, next: start + bytes.length, size };
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

function toSize(segments: readonly Segment[]): OutputSize {
  const last = segments.at(-1);
  const size = last === undefined ? 0 : last.start + last.size;
  const kept = segments.reduce((sum, segment) => sum + segment.size, 0);
  return { size, dropped: size - kept };
}

async function listSegments(folder: string, stream: string): Promise<Segment[]> {
  const starts = toStarts(await listNames(folder), stream);
  const segments = await Promise.all(
    starts.map(async (start) => {
      const facts = await stat(join(folder, `${stream}.${start}`)).catch(ignoreMissing);
      return facts === undefined ? undefined : { start, size: facts.size };
    }),
  );
  return segments.filter((segment) => segment !== undefined);
}

function findSegments(folder: string, stream: string): Segment[] {
  return toStarts(readdirSync(folder), stream).map((start) => ({
    start,
    size: statSync(join(folder, `${stream}.${start}`)).size,
  }));
}

async function listNames(folder: string): Promise<string[]> {
  return (await readdir(folder).catch(ignoreMissing)) ?? [];
}

function toStarts(names: readonly string[], stream: string): number[] {
  return names
    .filter((name) => name.startsWith(`${stream}.`))
    .map((name) => Number(name.slice(stream.length + 1)))
    .filter(Number.isSafeInteger)
    .toSorted((a, b) => a - b);
}

function ignoreMissing(error: unknown): undefined {
  if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
  throw error;
}

function isDiskFull(error: unknown): boolean {
  return error instanceof Error && "code" in error && (error.code === "ENOSPC" || error.code === "EDQUOT");
}
