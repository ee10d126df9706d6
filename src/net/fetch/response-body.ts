import { Readable } from "node:stream";
import { promisify } from "node:util";
import { brotliDecompress, constants, gunzip, inflate, inflateRaw } from "node:zlib";
import type { BrotliOptions, ZlibOptions } from "node:zlib";
import { createDecompressor, isZlib, tolerant, type Encoding } from "./content-encoding.ts";
import { errorCodeOf, netFailure } from "./net-failure.ts";

export interface ReadBody {
  readonly bytes: Uint8Array;
  readonly isTruncated: boolean;
}

const decompressors = {
  gzip: promisify<Uint8Array, ZlibOptions, Buffer>(gunzip),
  zlib: promisify<Uint8Array, ZlibOptions, Buffer>(inflate),
  raw: promisify<Uint8Array, ZlibOptions, Buffer>(inflateRaw),
  br: promisify<Uint8Array, BrotliOptions, Buffer>(brotliDecompress),
};

/** What a body was before its encodings, at most `maxBytes` of it. */
export async function decompressBody(
  body: ReadBody,
  encodings: readonly Encoding[],
  maxBytes: number,
): Promise<ReadBody> {
  if (encodings.length === 0 || body.bytes.length === 0) return body;
  try {
    let { bytes } = body;
    for (const encoding of encodings.toReversed()) bytes = await decompressWhole(bytes, encoding, maxBytes);
    return { bytes, isTruncated: body.isTruncated };
  } catch (error) {
    if (errorCodeOf(error) !== "ERR_BUFFER_TOO_LARGE") throw error;
    // In one piece it does not fit, so what fits is taken from the beginning.
    return readBytes(createDecompressor(Readable.from([body.bytes]), encodings), maxBytes);
  }
}

/** In one piece, which costs a third of what a stream does, and ends at the bound as well. */
function decompressWhole(bytes: Uint8Array, encoding: Encoding, maxOutputLength: number): Promise<Uint8Array> {
  const options = { ...tolerant, maxOutputLength };
  if (encoding === "gzip") return decompressors.gzip(bytes, options);
  if (encoding === "deflate") return decompressors[isZlib(bytes) ? "zlib" : "raw"](bytes, options);
  return decompressors.br(bytes, { finishFlush: constants.BROTLI_OPERATION_FLUSH, maxOutputLength });
}

function readBytes(body: Readable, maxBytes: number): Promise<ReadBody> {
  return new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = [];
    let length = 0;
    const finish = (isTruncated: boolean): void => {
      const [only] = chunks;
      const bytes = chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks);
      resolve({ bytes: bytes.subarray(0, maxBytes), isTruncated });
    };
    body.on("data", (chunk: Uint8Array) => {
      if (length > maxBytes) return;
      length += chunk.length;
      chunks.push(chunk);
      if (length <= maxBytes) return;
      finish(true);
      body.destroy();
    });
    body.once("end", () => finish(false));
    body.on("error", reject);
    body.once("close", () => reject(netFailure("bad_response", "The response ended before it was complete.")));
  });
}
