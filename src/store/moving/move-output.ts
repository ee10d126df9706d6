import { createHash } from "node:crypto";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { JobId } from "../../job/id.ts";
import { createOutputFiles } from "../files/output-files.ts";
import type { OutputStore } from "../output-store.ts";
import { inSchema } from "../postgres/database/migrate.ts";
import { pack } from "../postgres/output/packing.ts";
import { RowDigest, type Digest } from "./digest.ts";
import type { MoveParts } from "./move-rows.ts";

const chunkBytes = 64 * 1024;
const artifactChunkBytes = 1024 * 1024;

export interface OutputMove extends MoveParts {
  /** The folder with the output of all jobs. */
  readonly root: string;
}

interface Moved {
  readonly chunks: Digest;
  readonly artifacts: Digest;
  readonly artifactChunks: Digest;
}

/**
 * Writes what jobs have put out, and the files that they have made. What attempts that still run write stays in the folder besides: they
 * go on there, and it is shipped from there.
 */
export async function moveOutput(parts: OutputMove, onBytes: (bytes: number) => void): Promise<Moved> {
  const files = createOutputFiles(parts.root, { capBytes: Number.MAX_SAFE_INTEGER, onGrown: () => undefined });
  const digests = { chunks: new RowDigest(), artifacts: new RowDigest(), artifactChunks: new RowDigest() };
  let bytes = 0;
  for (const { id, attempt } of readAttempts(parts)) {
    for (const stream of await files.streams(id, attempt)) {
      bytes += await moveStream(parts, files, { id, attempt, stream }, digests.chunks);
      onBytes(bytes);
    }
  }
  for (const id of readJobs(parts)) {
    for (const { name, mediaType, bytes: size } of await files.artifacts(id)) {
      const row = [id, name, true, mediaType, size];
      const sql = "INSERT INTO longhaul.artifacts (job, name, is_whole, media_type, size) VALUES ($1, $2, $3, $4, $5)";
      await parts.target.query(inSchema(sql, parts.schema), row);
      digests.artifacts.add(row);
      for (let from = 0; from < size; from += artifactChunkBytes) {
        const { content } = await files.readArtifact(id, name, from, artifactChunkBytes);
        const key = [id, name, true, from, from + content.length];
        const insert =
          "INSERT INTO longhaul.artifact_chunks (job, name, is_whole, start, stop, bytes) VALUES ($1, $2, $3, $4, $5, $6)";
        await parts.target.query(inSchema(insert, parts.schema), [...key, content]);
        digests.artifactChunks.add([...key, digestOf(content)]);
      }
      bytes += size;
      onBytes(bytes);
    }
  }
  const { chunks, artifacts, artifactChunks } = digests;
  return { chunks: chunks.value, artifacts: artifacts.value, artifactChunks: artifactChunks.value };
}

async function moveStream(
  { target, schema }: MoveParts,
  files: OutputStore,
  address: { readonly id: JobId; readonly attempt: number; readonly stream: string },
  digest: RowDigest,
): Promise<number> {
  const { id, attempt, stream } = address;
  const sql = `INSERT INTO longhaul.chunks (job, attempt, stream, start, stop, whole, packed, bytes)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`;
  let moved = 0;
  for (let from = 0; ;) {
    const slice = await files.read(address, from, chunkBytes);
    if (slice.bytes.length === 0) return moved;
    const { packed, bytes } = await pack(slice.bytes);
    const key = [id, attempt, stream, slice.from, slice.next, false, packed];
    await target.query(inSchema(sql, schema), [...key, bytes]);
    digest.add([...key, digestOf(bytes)]);
    moved += slice.bytes.length;
    from = slice.next;
  }
}

/** What is there now; bytes are digested where they are. */
export async function digestOutput({ target, schema }: MoveParts): Promise<Moved> {
  const digest = async (table: string, columns: string, last: string): Promise<Digest> => {
    const rows = new RowDigest();
    const select = `SELECT ${columns}${last === "" ? "" : `, ${last}`} FROM longhaul.${table}`;
    for (const row of await target.query<Record<string, unknown>>(inSchema(select, schema)))
      rows.add(Object.values(row));
    return rows.value;
  };
  return {
    chunks: await digest(
      "chunks",
      "job, attempt, stream, start, stop, whole, packed",
      "encode(sha256(bytes), 'hex') AS bytes",
    ),
    artifacts: await digest("artifacts", "job, name, is_whole, media_type, size", ""),
    artifactChunks: await digest(
      "artifact_chunks",
      "job, name, is_whole, start, stop",
      "encode(sha256(bytes), 'hex') AS bytes",
    ),
  };
}

function digestOf(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

function* readJobs({ source }: MoveParts): Generator<JobId> {
  for (const row of source.prepare("SELECT id FROM jobs").iterate()) yield (row as { id: JobId }).id;
}

/** Attempts of jobs that are known; what a removed job has left in the folder is nobody's. */
function* readAttempts(parts: OutputMove): Generator<{ id: JobId; attempt: number }> {
  for (const id of readJobs(parts)) {
    for (const name of listFolder(join(parts.root, id))) if (/^\d+$/.test(name)) yield { id, attempt: Number(name) };
  }
}

function listFolder(path: string): string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}
