import { existsSync, mkdirSync, statSync } from "node:fs";
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { LonghaulError } from "../../job/error.ts";
import type { JobId } from "../../job/id.ts";
import { listArtifacts, readArtifact, saveArtifact, saveArtifactPart } from "./artifact-files.ts";
import { cutMiddle } from "./output-cut.ts";
import { ignoreMissing, listStreams, measureStream, readSlice } from "./output-segments.ts";
import type { OutputFile, OutputSize } from "../../job/output.ts";
import type { OutputAddress, OutputStore, OutputWriter, PieceAddress } from "../output-store.ts";
import { SegmentWriter } from "./output-writer.ts";

interface OutputFilesOptions {
  /** Most bytes kept of one stream. */
  readonly capBytes: number;
  readonly onGrown: (id: JobId) => void;
}

const segmentsPerStream = 8;

/**
 * Output in files: `<root>/<job>/<attempt>/<stream>.<offset>`. The names say all there is to know of what was written
 * through the store, so a crash leaves nothing to repair; a stream that a process appends to by itself has one file,
 * and beside it a note of what was cut out.
 */
export function createOutputFiles(root: string, { capBytes, onGrown }: OutputFilesOptions): OutputStore {
  const segmentBytes = Math.max(1, Math.floor(capBytes / segmentsPerStream));
  const place = (id: JobId, attempt: number): string => join(root, id, String(attempt));
  const placeOf = ({ id, attempt }: OutputAddress): string => place(id, attempt);
  return {
    restore: () => undefined,
    flush: () => undefined,
    leave: () => undefined,
    writer: (address) => {
      const sizes = { segmentBytes, maxSegments: segmentsPerStream };
      return announced(new SegmentWriter(placeOf(address), streamName(address), sizes), () => onGrown(address.id));
    },
    file: (address, { isWhole = false } = {}) => {
      const folder = placeOf(address);
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      return cappedFile(folder, streamName(address), isWhole ? Infinity : capBytes, () => onGrown(address.id));
    },
    folder: (id, attempt) => {
      const folder = join(place(id, attempt), "work");
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      return folder;
    },
    savePiece: async (piece, content) => {
      const file = pieceFile(place(piece.id, piece.attempt), piece);
      await mkdir(dirname(file), { recursive: true, mode: 0o700 });
      await writeFile(`${file}.new`, content, { mode: 0o600 });
      await rename(`${file}.new`, file);
    },
    loadPiece: async (piece) => readFile(pieceFile(place(piece.id, piece.attempt), piece)).catch(ignoreMissing),
    read: (address, from, limit) => readSlice(placeOf(address), streamName(address), from, limit),
    measure: (address) => measureStream(placeOf(address), streamName(address)),
    streams: (id, attempt) => listStreams(place(id, attempt)),
    saveArtifact: (id, name, content) => saveArtifact(join(root, id, "artifacts"), name, content),
    saveArtifactPart: (id, name, part) => saveArtifactPart(join(root, id, "artifacts"), name, part),
    artifacts: (id) => listArtifacts(join(root, id, "artifacts")),
    readArtifact: (id, name, from, limit) => readArtifact(join(root, id, "artifacts"), name, from, limit),
    remove: (id) => rm(join(root, id), { recursive: true, force: true }),
  };
}

function announced(writer: OutputWriter, announce: () => void): OutputWriter {
  return {
    append: (chunk) => {
      writer.append(chunk);
      announce();
    },
    size: () => writer.size(),
    close: () => writer.close(),
  };
}

/** A quarter above the cap is let be, so that a fast writer's file is cut now and then, not all the time. */
const slack = 1.25;

/** Looks at the file itself, which is cheap, and at all that belongs to the stream only when something was or must be cut. */
function cappedFile(folder: string, stream: string, capBytes: number, announce: () => void): OutputFile {
  const path = join(folder, `${stream}.0`);
  let last: OutputSize = { size: 0, dropped: 0 };
  let isCut = existsSync(join(folder, `${stream}.cut`));
  const measure = async (): Promise<OutputSize> => {
    if (isCut) return measureStream(folder, stream);
    return { size: statSync(path, { throwIfNoEntry: false })?.size ?? 0, dropped: 0 };
  };
  return {
    path,
    grown: async () => {
      const before = last;
      last = await measure();
      if (last.size !== before.size) announce();
      if (last.size - last.dropped <= capBytes * slack) return last;
      const headBytes = Math.floor(capBytes / segmentsPerStream);
      await cutMiddle(folder, stream, headBytes, capBytes - headBytes);
      isCut = true;
      last = await measure();
      return last;
    },
  };
}

function pieceFile(folder: string, { name }: PieceAddress): string {
  return join(folder, "pieces", checkName(name, "A piece"));
}

function streamName({ stream }: OutputAddress): string {
  return checkName(stream, "An output stream");
}

/** What stands for a file must be no path. */
export function checkName(name: string, what: string): string {
  if (/^[a-z][a-z0-9_-]{0,31}$/.test(name)) return name;
  throw new LonghaulError(
    "invalid_input",
    `${what}'s name must be 1 to 32 lower-case letters, digits, "-" or "_", got "${name}".`,
  );
}
