import { createHash } from "node:crypto";
import type { EntryKind } from "../library.ts";

/** The same for the same place of the same page, so that a page that is kept again has the same entries. */
export function entryId(page: string, kind: EntryKind, place: number): string {
  const digest = createHash("sha256").update(`${page} ${kind} ${place}`).digest();
  // The bits by which a UUID says that it was made from a name.
  digest.writeUInt8((digest.readUInt8(6) & 0x0f) | 0x50, 6);
  digest.writeUInt8((digest.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = digest.toString("hex");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join("-");
}
