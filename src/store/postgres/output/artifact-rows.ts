import { mediaTypeOf, type Artifact, type ArtifactPart } from "../../../job/artifact.ts";
import { LonghaulError } from "../../../job/error.ts";
import type { JobId } from "../../../job/id.ts";
import type { ArtifactSlice, OutputStore } from "../../output-store.ts";
import type { Connections, Session } from "../database/connections.ts";

type ArtifactVerbs = Pick<OutputStore, "saveArtifact" | "saveArtifactPart" | "artifacts" | "readArtifact">;

const megabyte = 1024 * 1024;
/** What a database is spared: more than this belongs elsewhere, and the job's result says where. */
const bounds = { fileBytes: 16 * megabyte, allBytes: 64 * megabyte, files: 200 };
const chunkBytes = megabyte;

/** Files of jobs in rows. One that is not whole yet has rows of its own, which take the place of the others with its last part. */
export function createArtifactRows(connections: Connections): ArtifactVerbs {
  return {
    saveArtifact: async (id, name, content) => {
      const bytes = typeof content === "string" ? Buffer.from(content) : content;
      const part = { from: 0, content: bytes, isLast: true };
      return (await savePart(connections, id, name, part)) as Artifact;
    },
    saveArtifactPart: (id, name, part) => savePart(connections, id, name, part),
    artifacts: async (id) =>
      connections.query<Artifact>(
        `SELECT name, media_type AS "mediaType", size AS bytes FROM longhaul.artifacts WHERE job = $1 AND is_whole ORDER BY name`,
        [id],
      ),
    readArtifact: (id, name, from, limit) => readArtifact(connections, id, name, from, limit),
  };
}

async function savePart(
  { withSession }: Connections,
  id: JobId,
  name: string,
  { from, content, isLast, mediaType }: ArtifactPart,
): Promise<Artifact | undefined> {
  const type = mediaType ?? mediaTypeOf(name);
  // Checked also where the type is given.
  mediaTypeOf(name);
  const size = from + content.length;
  return withSession(async (session) => {
    await session.query("BEGIN");
    // One at a time for each job: what all of them have together is bounded.
    await session.query("SELECT pg_advisory_xact_lock(hashtextextended($1::text, 17))", [id]);
    await demandRoom(session, id, name, size);
    await demandSequel(session, id, name, from);
    await session.query(
      `INSERT INTO longhaul.artifacts (job, name, is_whole, media_type, size) VALUES ($1, $2, false, $3, $4)
       ON CONFLICT (job, name, is_whole) DO UPDATE SET media_type = excluded.media_type, size = excluded.size`,
      [id, name, type, size],
    );
    for (let at = 0; at < content.length; at += chunkBytes) {
      const bytes = content.subarray(at, at + chunkBytes);
      await session.query(
        "INSERT INTO longhaul.artifact_chunks (job, name, is_whole, start, stop, bytes) VALUES ($1, $2, false, $3, $4, $5)",
        [id, name, from + at, from + at + bytes.length, bytes],
      );
    }
    if (isLast) await makeWhole(session, id, name);
    await session.query("COMMIT");
    return isLast ? { name, mediaType: type, bytes: size } : undefined;
  });
}

/** Cuts off what a part that is sent again takes the place of; refuses one before which something is missing. */
async function demandSequel({ query }: Session, id: JobId, name: string, from: number): Promise<void> {
  const key = [id, name] as const;
  const where = "job = $1 AND name = $2 AND NOT is_whole";
  await query(`DELETE FROM longhaul.artifact_chunks WHERE ${where} AND start >= $3`, [...key, from]);
  await query(
    `UPDATE longhaul.artifact_chunks SET stop = $3, bytes = substring(bytes FROM 1 FOR ($3 - start)::int)
     WHERE ${where} AND stop > $3`,
    [...key, from],
  );
  const [row] = await query<{ size: number }>(
    `SELECT coalesce(max(stop), 0)::bigint AS size FROM longhaul.artifact_chunks WHERE ${where}`,
    key,
  );
  if ((row?.size ?? 0) >= from) return;
  throw new LonghaulError("conflict", `The parts before this one of "${name}" are not there: send it from 0 again.`);
}

async function makeWhole({ query }: Session, id: JobId, name: string): Promise<void> {
  for (const table of ["artifacts", "artifact_chunks"]) {
    await query(`DELETE FROM longhaul.${table} WHERE job = $1 AND name = $2 AND is_whole`, [id, name]);
    await query(`UPDATE longhaul.${table} SET is_whole = true WHERE job = $1 AND name = $2 AND NOT is_whole`, [
      id,
      name,
    ]);
  }
}

/** Those that are not whole count too, and of one that takes the place of another both. */
async function demandRoom({ query }: Session, id: JobId, name: string, bytes: number): Promise<void> {
  if (bytes > bounds.fileBytes)
    throw tooLarge(`An artifact may have at most ${inMegabytes(bounds.fileBytes)}; "${name}" has more`);
  const others = await query<{ name: string; size: number }>(
    "SELECT name, size FROM longhaul.artifacts WHERE job = $1 AND NOT (name = $2 AND NOT is_whole)",
    [id, name],
  );
  const names = new Set(others.map((other) => other.name));
  if (names.size >= bounds.files && !names.has(name)) {
    throw tooLarge(`A job may have at most ${bounds.files} artifacts, and this one has that many`);
  }
  if (others.reduce((sum, { size }) => sum + size, bytes) <= bounds.allBytes) return;
  throw tooLarge(
    `The artifacts of a job may have at most ${inMegabytes(bounds.allBytes)} together; with "${name}" they would have more`,
  );
}

function tooLarge(what: string): LonghaulError {
  return new LonghaulError("too_large", `${what}.`);
}

function inMegabytes(bytes: number): string {
  return `${bytes / megabyte} MB`;
}

async function readArtifact(
  { query }: Session,
  id: JobId,
  name: string,
  from: number,
  limit: number,
): Promise<ArtifactSlice> {
  mediaTypeOf(name);
  const to = from + Math.min(limit, bounds.allBytes);
  const rows = await query<{ mediaType: string; size: number; start: number | null; bytes: Buffer }>(
    `SELECT a.media_type AS "mediaType", a.size, c.start, c.bytes FROM longhaul.artifacts a
     LEFT JOIN longhaul.artifact_chunks c
       ON c.job = a.job AND c.name = a.name AND c.is_whole AND c.start < $4 AND c.stop > $3
     WHERE a.job = $1 AND a.name = $2 AND a.is_whole ORDER BY c.start`,
    [id, name, from, to],
  );
  const [first] = rows;
  if (first === undefined) throw new LonghaulError("not_found", `The job has no artifact "${name}".`);
  const content = rows.flatMap(({ start, bytes }) =>
    start === null ? [] : [bytes.subarray(Math.max(0, from - start), Math.max(0, to - start))],
  );
  return { name, mediaType: first.mediaType, bytes: first.size, from, content: Buffer.concat(content) };
}
