import { connect } from "node:net";
import { LonghaulError, type ErrorCode } from "../../job/error.ts";

/** Calls operations of a server that listens on a local socket. */
export interface Client {
  readonly call: <Output>(operation: string, input?: unknown, signal?: AbortSignal) => Promise<Output>;
}

/** The version of the server that answered last travels with each answer. */
export const versionHeader = "x-longhaul-version";

/** Thrown when nobody listens on the socket. */
export class NotRunningError extends Error {
  override readonly name = "NotRunningError";
}

/** Thrown when the server ended before it had answered: nobody knows whether it did what it was asked. */
export class BrokenCallError extends Error {
  override readonly name = "BrokenCallError";
}

export function createClient(socketPath: string, onVersion?: (version: string) => void): Client {
  return {
    call: async <Output>(operation: string, input: unknown = {}, signal?: AbortSignal) => {
      const { status, body, version } = parseAnswer(
        await post(socketPath, `/call/${operation}`, JSON.stringify(input), signal),
      );
      if (version !== undefined) onVersion?.(version);
      if (status === 200) return body as Output;
      throw toError(body, status);
    },
  };
}

/**
 * HTTP by hand, in its simplest form: the answer ends with the connection. Loading and first using Node's HTTP client
 * takes longer than all the rest of a short command.
 */
function post(socketPath: string, path: string, body: string, signal: AbortSignal | undefined): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const socket = connect(socketPath);
    const abort = (): void => {
      socket.destroy();
      reject(signal?.reason);
    };
    signal?.addEventListener("abort", abort, { once: true });
    const chunks: Buffer[] = [];
    socket.on("data", (chunk: Buffer) => chunks.push(chunk));
    socket.once("close", () => {
      signal?.removeEventListener("abort", abort);
      resolve(Buffer.concat(chunks));
    });
    socket.once("error", (error: NodeJS.ErrnoException) => {
      if (isAbsence(error)) reject(new NotRunningError(`No server listens on ${socketPath}.`, { cause: error }));
      else
        reject(isBreak(error) ? new BrokenCallError("The connection to the server broke.", { cause: error }) : error);
    });
    const headers = `host: localhost\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}`;
    socket.write(`POST ${path} HTTP/1.0\r\n${headers}\r\n\r\n${body}`);
  });
}

function isAbsence({ code }: NodeJS.ErrnoException): boolean {
  return code === "ENOENT" || code === "ENOTDIR" || code === "ECONNREFUSED";
}

function isBreak({ code }: NodeJS.ErrnoException): boolean {
  return code === "ECONNRESET" || code === "EPIPE";
}

interface Answer {
  readonly status: number;
  readonly body: unknown;
  readonly version: string | undefined;
}

function parseAnswer(answer: Buffer): Answer {
  const headEnd = answer.indexOf("\r\n\r\n");
  const [first = "", ...headers] = answer.toString("latin1", 0, Math.max(0, headEnd)).split("\r\n");
  const version = headers.find((header) => header.toLowerCase().startsWith(`${versionHeader}:`));
  try {
    return {
      status: Number(first.split(" ")[1]),
      body: JSON.parse(answer.toString("utf8", headEnd + 4)),
      version: version?.slice(versionHeader.length + 1).trim(),
    };
  } catch (error) {
    // Every answer is a JSON document, so that a part of one is none.
    throw new BrokenCallError("The server ended in the middle of its answer.", { cause: error });
  }
}

function toError(body: unknown, status: number): Error {
  const error = (body as { error?: { code?: ErrorCode; message?: string } }).error;
  if (error?.code === undefined) return new Error(`The server answered with status ${status}.`);
  return new LonghaulError(error.code, error.message ?? "");
}
