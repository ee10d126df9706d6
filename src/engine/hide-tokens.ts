import type { OutputAddress, OutputSlice, OutputStore } from "../store/output-store.ts";
import { attemptTokenText, longestAttemptToken } from "./attempt-tokens.ts";

type Read = OutputStore["read"];

const beginning = "lhj_";
const margin = longestAttemptToken - 1;
const isTokenByte = (byte: number | undefined): boolean =>
  byte !== undefined && /[\w-]/.test(String.fromCharCode(byte));

/**
 * Output in which the tokens of commands are starred out: many print their variables, and others read that while the token counts. Every
 * byte keeps its place. A token is found also where a reader cuts it in two.
 */
export function hideTokens(read: Read): Read {
  return async (address, from, limit) => {
    const slice = await read(address, from, limit);
    if (slice.bytes.length === 0) return slice;
    const before = await readBefore(read, address, slice);
    const known =
      before.length === 0
        ? Buffer.from(slice.bytes.buffer, slice.bytes.byteOffset, slice.bytes.length)
        : Buffer.concat([before, slice.bytes]);
    const after = await readAfter(read, address, slice, known);
    const all = after.length === 0 ? known : Buffer.concat([known, after]);
    if (!all.includes(beginning)) return slice;
    const hidden = all
      .toString("latin1")
      .replace(new RegExp(attemptTokenText, "g"), (token) => beginning.padEnd(token.length, "*"));
    const bytes = Buffer.from(hidden, "latin1").subarray(before.length, before.length + slice.bytes.length);
    return { ...slice, bytes };
  };
}

const nothing = Buffer.alloc(0);

/** What stands right before the slice, if a token may reach into it. */
async function readBefore(read: Read, address: OutputAddress, { bytes, from }: OutputSlice): Promise<Uint8Array> {
  if (from === 0 || !isTokenByte(bytes[0])) return nothing;
  const start = Math.max(0, from - margin);
  const before = await read(address, start, from - start);
  return before.from + before.bytes.length === from ? before.bytes : nothing;
}

/** What stands right after it, if a token may reach out of it. */
async function readAfter(
  read: Read,
  address: OutputAddress,
  { next, size }: OutputSlice,
  known: Buffer,
): Promise<Uint8Array> {
  if (next >= size) return nothing;
  const end = known.subarray(-margin);
  const mayReachOut = end.includes(beginning) || /l(hj?)?$/.test(end.subarray(-3).toString("latin1"));
  if (!mayReachOut) return nothing;
  const after = await read(address, next, margin);
  return after.from === next ? after.bytes : nothing;
}
