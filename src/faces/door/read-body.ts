import type { IncomingMessage } from "node:http";
import { LonghaulError } from "../../job/error.ts";
import { parseJson } from "../../text/parse-json.ts";
import { HttpError } from "./http-error.ts";

type JsonObject = Readonly<Record<string, unknown>>;

/** Takes the bytes of a body as they come, and says what is wrong with it. How long a client may take to send it is `patience`'s to say. */
export class JsonBody {
  readonly #maxBytes: number;
  readonly #chunks: Uint8Array[] = [];
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  add(chunk: Uint8Array): void {
    this.expect(this.#bytes + chunk.length);
    this.#bytes += chunk.length;
    this.#chunks.push(chunk);
  }

  /** Throws if so many bytes are too many. */
  expect(bytes: number): void {
    if (bytes <= this.#maxBytes) return;
    // The rest of the body is not worth reading: the connection ends with the answer.
    throw new HttpError(413, "too_large", `The body has more than ${this.#maxBytes} bytes.`, { connection: "close" });
  }

  /** Undefined if nothing was sent. */
  parse(): unknown {
    return this.#bytes === 0 ? undefined : parseJson(Buffer.concat(this.#chunks).toString(), "The body");
  }
}

/** The body of a request, which must be a JSON object; an empty one if there is none. */
export async function readBody(request: IncomingMessage, maxBytes: number): Promise<JsonObject> {
  const { "content-type": type, "content-length": length, "transfer-encoding": coding } = request.headers;
  if (coding === undefined && (length === undefined || length === "0")) return {};
  if (!/^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i.test(type ?? "")) {
    const message = `The body must be application/json, got ${type ?? "no content type"}.`;
    throw new HttpError(415, "unsupported_media_type", message, { "accept-post": "application/json" });
  }
  const body = new JsonBody(maxBytes);
  body.expect(Number(length ?? 0));
  await collect(request, body);
  const value = body.parse();
  if (value === undefined) return {};
  if (isObject(value)) return value;
  throw new LonghaulError("invalid_input", "The body must be a JSON object.");
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function collect(request: IncomingMessage, body: JsonBody): Promise<void> {
  return new Promise((resolve, reject) => {
    request.on("data", (chunk: Buffer) => {
      try {
        body.add(chunk);
      } catch (error) {
        reject(error);
      }
    });
    request.once("end", () => resolve());
    request.once("error", reject);
    request.once("close", () => {
      if (!request.readableEnded) reject(new HttpError(400, "invalid_input", "The body ended too early."));
    });
  });
}
