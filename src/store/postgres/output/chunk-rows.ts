import type { JobId } from "../../../job/id.ts";
import type { OutputSize } from "../../../job/output.ts";
import type { OutputAddress, OutputSlice } from "../../output-store.ts";
import type { ShippedSize, Shore } from "../../shipping/shipper.ts";
import { maxChunkBytes } from "../../shipping/stream-position.ts";
import type { HeldLease } from "../../store.ts";
import type { Session } from "../database/connections.ts";
import { pack, unpack } from "./packing.ts";

/** The job's row, if the lease is held; nobody takes it over until this transaction has ended. */
export const heldLease = `
  SELECT id FROM longhaul.states WHERE id = $1 AND fence = $2 AND status IN ('running', 'waiting') FOR SHARE`;

const isHeld = "EXISTS (SELECT 1 FROM longhaul.states WHERE id = $1 AND status IN ('running', 'waiting'))";

/** Bytes of several chunks come as one value, of which each row takes its part: arrays of bytes would travel as text. */
const landChunks = `
  WITH held AS MATERIALIZED (
    SELECT s.id FROM longhaul.states s JOIN unnest($1::uuid[], $2::bigint[]) AS l (id, fence) ON s.id = l.id AND s.fence = l.fence
    WHERE s.status IN ('running', 'waiting') ORDER BY s.id FOR SHARE OF s
  ), landed AS (
    INSERT INTO longhaul.chunks (job, attempt, stream, start, stop, whole, packed, bytes)
    SELECT c.job, c.attempt, c.stream, c.start, c.stop, c.whole, c.packed, substring($12::bytea FROM c.place FOR c.length)
    FROM unnest($3::uuid[], $4::int[], $5::text[], $6::bigint[], $7::bigint[], $8::boolean[], $9::boolean[], $10::int[], $11::int[])
      AS c (job, attempt, stream, start, stop, whole, packed, place, length)
    JOIN held ON held.id = c.job
    ON CONFLICT (job, attempt, stream, start) DO UPDATE SET stop = excluded.stop, packed = excluded.packed, bytes = excluded.bytes
  )
  SELECT id FROM held`;

const dropChunks = `
  WITH held AS MATERIALIZED (${heldLease}), dropped AS (
    DELETE FROM longhaul.chunks WHERE job = (SELECT id FROM held) AND attempt = $3 AND stream = $4 AND start >= $5 AND stop <= $6
    RETURNING stop - start AS bytes
  )
  SELECT coalesce(sum(bytes), 0)::bigint AS bytes FROM dropped`;

const cutChunks = `
  WITH held AS MATERIALIZED (${heldLease})
  DELETE FROM longhaul.chunks WHERE job = (SELECT id FROM held) AND attempt = $3 AND stream = $4 AND stop > $5`;

const measureChunks = `
  SELECT coalesce(max(stop), 0)::bigint AS size, coalesce(sum(stop - start), 0)::bigint AS kept, (${isHeld}) AS "isHeld"
  FROM longhaul.chunks WHERE job = $1 AND attempt = $2 AND stream = $3`;

interface Measured {
  readonly size: number;
  readonly kept: number;
  readonly isHeld: boolean;
}

/** Takes what running attempts ship. */
export function createShore({ query }: Session): Shore {
  return {
    land: async (chunks, leases) => {
      const packed = await Promise.all(chunks.map(({ bytes }) => pack(bytes)));
      const lengths = packed.map(({ bytes }) => bytes.length);
      const places = lengths.map((_, index) => lengths.slice(0, index).reduce((sum, length) => sum + length, 1));
      const held = await query<{ id: JobId }>(landChunks, [
        leases.map(({ id }) => id),
        leases.map(({ fence }) => fence),
        chunks.map(({ address }) => address.id),
        chunks.map(({ address }) => address.attempt),
        chunks.map(({ address }) => address.stream),
        chunks.map(({ start }) => start),
        chunks.map(({ start, bytes }) => start + bytes.length),
        chunks.map(({ isWhole }) => isWhole),
        packed.map((each) => each.packed),
        places,
        lengths,
        Buffer.concat(packed.map(({ bytes }) => bytes)),
      ]);
      const known = new Set(held.map(({ id }) => id));
      return new Set(leases.map(({ id }) => id).filter((id) => !known.has(id)));
    },
    drop: async ({ id, attempt, stream }, { fence }, from, to) => {
      const [row] = await query<{ bytes: number }>(dropChunks, [id, fence, attempt, stream, from, to]);
      return row?.bytes ?? 0;
    },
    cutBack: async ({ id, attempt, stream }, { fence }, to) => {
      await query(cutChunks, [id, fence, attempt, stream, to]);
      const [row] = await query<Measured>(measureChunks, [id, attempt, stream]);
      return row ?? { size: 0, kept: 0 };
    },
  };
}

interface ChunkRow {
  readonly start: number;
  readonly stop: number;
  readonly packed: boolean;
  readonly bytes: Buffer;
}

interface NoChunk {
  readonly start: null;
}

export interface StoredSlice extends OutputSlice {
  /** Its job runs: there may be more soon. */
  readonly isHeld: boolean;
}

/** Chunks from the one with the offset on, as many as the limit needs, with the end of the stream. */
const readChunks = `
  SELECT ends.size, ends.held, c.start, c.stop, c.packed, c.bytes FROM (
    SELECT
      (SELECT stop FROM longhaul.chunks WHERE job = $1 AND attempt = $2 AND stream = $3 ORDER BY start DESC LIMIT 1) AS size,
      (${isHeld}) AS held
  ) ends LEFT JOIN LATERAL (
    SELECT * FROM (
      SELECT *, sum(stop - start) OVER (ORDER BY start) - (stop - start) AS before FROM (
        SELECT start, stop, packed, bytes FROM longhaul.chunks
        WHERE job = $1 AND attempt = $2 AND stream = $3 AND start > $4::bigint - ${maxChunkBytes} AND stop > $4::bigint
        ORDER BY start LIMIT 128
      ) near
    ) counted WHERE before < $5::bigint + ${maxChunkBytes}
  ) c ON true ORDER BY c.start`;

/** Reads what is kept of a stream, wherever it was written. */
export async function readStored(
  { query }: Session,
  { id, attempt, stream }: OutputAddress,
  from: number,
  limit: number,
): Promise<StoredSlice> {
  const rows = await query<(ChunkRow | NoChunk) & { size: number | null; held: boolean }>(readChunks, [
    id,
    attempt,
    stream,
    from,
    Math.min(limit, Number.MAX_SAFE_INTEGER),
  ]);
  const [first] = rows;
  const [size, held] = [first?.size ?? 0, first?.held ?? false];
  if (first === undefined || first.start === null) {
    return { bytes: new Uint8Array(), from: size, next: size, size, isHeld: held };
  }
  const start = Math.max(from, first.start);
  const parts: Uint8Array[] = [];
  let next = start;
  for (const row of rows) {
    if (row.start === null || row.start > next || next - start >= limit) break;
    const bytes = await unpack(row);
    const part = bytes.subarray(next - row.start, next - row.start + limit - (next - start));
    parts.push(part);
    next += part.length;
  }
  return { bytes: Buffer.concat(parts), from: start, next, size, isHeld: held };
}

export interface StoredSize extends OutputSize, Pick<StoredSlice, "isHeld"> {}

export async function measureStored({ query }: Session, { id, attempt, stream }: OutputAddress): Promise<StoredSize> {
  const [row] = await query<Measured>(measureChunks, [id, attempt, stream]);
  const { size, kept, ...rest } = row ?? { size: 0, kept: 0, isHeld: false };
  return { size, dropped: size - kept, ...rest };
}

/** The streams of an attempt, with what is kept of each. */
export async function listStored({ query }: Session, id: JobId, attempt: number): Promise<Map<string, ShippedSize>> {
  const rows = await query<ShippedSize & { stream: string }>(
    `SELECT stream, max(stop)::bigint AS size, sum(stop - start)::bigint AS kept, bool_or(whole) AS "isWhole"
     FROM longhaul.chunks WHERE job = $1 AND attempt = $2 GROUP BY stream ORDER BY stream`,
    [id, attempt],
  );
  return new Map(rows.map(({ stream, ...size }) => [stream, size]));
}

/** Says on which machine the attempt goes on; returns the one that had said so before, and whether the lease still counts. */
export async function moveSpool(
  { query }: Session,
  { id, fence }: HeldLease,
  attempt: number,
  machine: string,
): Promise<{ readonly before: string | undefined; readonly isHeld: boolean }> {
  const [row] = await query<{ before: string | null; held: boolean }>(
    `WITH held AS MATERIALIZED (${heldLease}),
       known AS MATERIALIZED (SELECT machine FROM longhaul.spools WHERE job = $1 AND attempt = $3),
       moved AS (
         INSERT INTO longhaul.spools (job, attempt, machine) SELECT id, $3, $4 FROM held
         ON CONFLICT (job, attempt) DO UPDATE SET machine = excluded.machine
       )
     SELECT (SELECT machine FROM known) AS before, EXISTS (SELECT 1 FROM held) AS held`,
    [id, fence, attempt, machine],
  );
  return { before: row?.before ?? undefined, isHeld: row?.held ?? false };
}

const tables = ["chunks", "spools", "pieces", "artifacts", "artifact_chunks"];

const removeOutput = `WITH ${tables
  .map((table) => `${table}_gone AS (DELETE FROM longhaul.${table} WHERE job = $1)`)
  .join(", ")} SELECT`;

export async function removeStored({ query }: Session, id: JobId): Promise<void> {
  await query(removeOutput, [id]);
}
