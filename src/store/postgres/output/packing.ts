import { promisify } from "node:util";
import { deflateRaw, inflateRaw } from "node:zlib";

export interface Packed {
  readonly packed: boolean;
  readonly bytes: Uint8Array;
}

const [deflate, inflate] = [promisify(deflateRaw), promisify(inflateRaw)];
/** Smaller ones are not worth a thread. */
const minBytes = 512;

/** Compressed, where that makes it smaller. */
export async function pack(bytes: Uint8Array): Promise<Packed> {
  if (bytes.length < minBytes) return { packed: false, bytes };
  const smaller = await deflate(bytes, { level: 1 });
  return smaller.length < bytes.length ? { packed: true, bytes: smaller } : { packed: false, bytes };
}

export async function unpack({ packed, bytes }: Packed): Promise<Uint8Array> {
  return packed ? inflate(bytes) : bytes;
}
