import { pipeline, Readable } from "node:stream";
import { constants, createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from "node:zlib";

export type Encoding = "gzip" | "deflate" | "br";

/** What we can undo, and so all that we ask for. */
export const acceptedEncodings = "gzip, deflate, br";

const maxEncodings = 2;

/** What a cut-off body held so far is of use, as in browsers. */
export const tolerant = { finishFlush: constants.Z_SYNC_FLUSH };

/** The encodings of a Content-Encoding header, in the order in which they were applied; undefined where we cannot undo them. */
export function readEncodings(header: string | string[] | undefined): readonly Encoding[] | undefined {
  if (header === undefined) return [];
  const names = String(header)
    .toLowerCase()
    .split(",")
    .map((name) => name.trim().replace("x-gzip", "gzip"))
    .filter((name) => name !== "" && name !== "identity");
  return names.length <= maxEncodings && names.every(isEncoding) ? names : undefined;
}

function isEncoding(name: string): name is Encoding {
  return name === "gzip" || name === "deflate" || name === "br";
}

/** The body as it was before its encodings. Nothing is read ahead of the reader, so a bomb costs no memory. */
export function createDecompressor(body: Readable, encodings: readonly Encoding[]): Readable {
  return encodings.reduceRight(undo, body);
}

function undo(source: Readable, encoding: Encoding): Readable {
  if (encoding === "deflate") return Readable.from(inflatePieces(source), { objectMode: false });
  const decoder =
    encoding === "br"
      ? createBrotliDecompress({ finishFlush: constants.BROTLI_OPERATION_FLUSH })
      : createGunzip(tolerant);
  return pipeline(source, decoder, ignore);
}

/** Some servers send the zlib format that the standard means by "deflate", some the bare one: the first byte tells. */
export function isZlib(bytes: Uint8Array): boolean {
  return ((bytes[0] ?? 0) & 0x0f) === 8;
}

async function* inflatePieces(source: Readable): AsyncGenerator<Uint8Array> {
  const pieces = source[Symbol.asyncIterator]() as AsyncIterator<Uint8Array, undefined>;
  const first = await pieces.next();
  if (first.done === true) return;
  const all = async function* (): AsyncGenerator<Uint8Array> {
    yield first.value;
    for (let next = await pieces.next(); next.done !== true; next = await pieces.next()) yield next.value;
  };
  const decoder = isZlib(first.value) ? createInflate(tolerant) : createInflateRaw(tolerant);
  try {
    yield* pipeline(Readable.from(all()), decoder, ignore) as AsyncIterable<Uint8Array>;
  } finally {
    source.destroy();
  }
}

// A failure reaches whoever reads the last stream; the callback only keeps Node from throwing it.
function ignore(): void {
  return undefined;
}
