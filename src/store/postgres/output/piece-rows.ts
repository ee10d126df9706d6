import { checkName } from "../../files/output-files.ts";
import type { PieceAddress } from "../../output-store.ts";
import type { Session } from "../database/connections.ts";
import { heldLease } from "./chunk-rows.ts";
import { pack, unpack, type Packed } from "./packing.ts";

/** Keeps it for as long as the lease is held: one that was lost leaves what the next holder has saved. */
export async function savePiece(
  { query }: Session,
  { id, attempt, name }: PieceAddress,
  fence: number,
  content: string | Uint8Array,
): Promise<void> {
  checkName(name, "A piece");
  const { packed, bytes } = await pack(typeof content === "string" ? Buffer.from(content) : content);
  await query(
    `WITH held AS MATERIALIZED (${heldLease})
     INSERT INTO longhaul.pieces (job, attempt, name, packed, bytes) SELECT id, $3, $4, $5, $6 FROM held
     ON CONFLICT (job, attempt, name) DO UPDATE SET packed = excluded.packed, bytes = excluded.bytes`,
    [id, fence, attempt, name, packed, bytes],
  );
}

export async function loadPiece(
  { query }: Session,
  { id, attempt, name }: PieceAddress,
): Promise<Uint8Array | undefined> {
  const [row] = await query<Packed>(
    "SELECT packed, bytes FROM longhaul.pieces WHERE job = $1 AND attempt = $2 AND name = $3",
    [id, attempt, checkName(name, "A piece")],
  );
  return row === undefined ? undefined : unpack(row);
}
