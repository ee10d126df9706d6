import { pipeline, Readable } from "node:stream";
import { constants, createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from "node:zlib";
import { netFailure } from "./net-failure.ts";

/** What we can undo, and so all that we ask for. */
export const acceptedEncodings = "gzip, deflate, br";

const knownEncodings = new Set(["gzip", "x-gzip", "deflate", "br"]);
const mostEncodings = 2;
// What a cut-off stream held so far is of use, as in browsers.
const tolerant = { finishFlush: constants.Z_SYNC_FLUSH };

/** The body as it was before its content-encoding. Nothing is read ahead of the reader, so a bomb costs no memory. */
export function decompress(body: Readable, contentEncoding: string, host: string): Readable {
  const encodings = contentEncoding
    .toLowerCase()
    .split(",")
    .map((encoding) => encoding.trim())
    .filter((encoding) => encoding !== "" && encoding !== "identity");
  if (encodings.length > mostEncodings || encodings.some((encoding) => !knownEncodings.has(encoding))) {
    body.on("error", ignore).destroy();
    throw netFailure("bad_response", `${host} sent a body in an encoding that was not asked for.`, "content-encoding");
  }
  return encodings.reduceRight(undo, body);
}

function undo(source: Readable, encoding: string): Readable {
  if (encoding === "deflate") return Readable.from(inflate(source), { objectMode: false });
  const decoder =
    encoding === "br"
      ? createBrotliDecompress({ finishFlush: constants.BROTLI_OPERATION_FLUSH })
      : createGunzip(tolerant);
  return pipeline(source, decoder, ignore);
}

/** Some servers send the zlib format that the standard means by "deflate", some the bare one: the first byte tells. */
async function* inflate(source: Readable): AsyncGenerator<Uint8Array> {
  const chunks = source[Symbol.asyncIterator]() as AsyncIterator<Uint8Array, undefined>;
  const first = await chunks.next();
  if (first.done === true) return;
  const isZlib = ((first.value[0] ?? 0) & 0x0f) === 8;
  const joined = async function* (): AsyncGenerator<Uint8Array> {
    yield first.value;
    for (let next = await chunks.next(); next.done !== true; next = await chunks.next()) yield next.value;
  };
  const decoder = isZlib ? createInflate(tolerant) : createInflateRaw(tolerant);
  try {
    yield* pipeline(Readable.from(joined()), decoder, ignore) as AsyncIterable<Uint8Array>;
  } finally {
    source.destroy();
  }
}

// A failure reaches whoever reads the last stream; the callback only keeps Node from throwing it.
function ignore(): void {
  return undefined;
}

export interface ReadBody {
  readonly bytes: Uint8Array;
  readonly isTruncated: boolean;
}

/** Reads at most `maxBytes`, and gives up the rest. */
export function readBody(body: Readable, maxBytes: number): Promise<ReadBody> {
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
    body.once("error", reject);
    body.once("close", () => reject(netFailure("bad_response", "The response ended before it was complete.")));
  });
}
