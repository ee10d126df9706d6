import { request } from "node:http";
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

export function createClient(socketPath: string, onVersion?: (version: string) => void): Client {
  return {
    call: async <Output>(operation: string, input: unknown = {}, signal?: AbortSignal) => {
      const { status, text, version } = await post(socketPath, `/call/${operation}`, JSON.stringify(input), signal);
      if (version !== undefined) onVersion?.(version);
      const body: unknown = text === "" ? {} : JSON.parse(text);
      if (status === 200) return body as Output;
      throw toError(body, status);
    },
  };
}

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly version: string | undefined;
}

function post(socketPath: string, path: string, body: string, signal: AbortSignal | undefined): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(body) };
    const call = request(
      { socketPath, path, method: "POST", headers, ...(signal === undefined ? {} : { signal }) },
      (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("error", reject);
        response.on("end", () => {
          const version = response.headers[versionHeader];
          resolve({
            status: response.statusCode ?? 0,
            text: Buffer.concat(chunks).toString(),
            version: typeof version === "string" ? version : undefined,
          });
        });
      },
    );
    call.on("error", (error: NodeJS.ErrnoException) => {
      const isAbsent = error.code === "ENOENT" || error.code === "ECONNREFUSED";
      reject(isAbsent ? new NotRunningError(`No server listens on ${socketPath}.`, { cause: error }) : error);
    });
    call.end(body);
  });
}

function toError(body: unknown, status: number): Error {
  const error = (body as { error?: { code?: ErrorCode; message?: string } }).error;
  if (error?.code === undefined) return new Error(`The server answered with status ${status}.`);
  return new LonghaulError(error.code, error.message ?? "");
}
