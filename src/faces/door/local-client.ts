import { connect } from "node:net";
import { dirname } from "node:path";
import { checkFolder } from "../../config/private-files.ts";
import type { ClientContext } from "../../operations/client-context.ts";
import type { JobView } from "../../operations/job-view.ts";
import type { AnswerOf, InputOf, OperationName } from "../../operations/registry.ts";
import { parseUrl } from "../../job/parse-url.ts";
import { LonghaulError, type ErrorCode, type ErrorFacts } from "../../job/error.ts";

/** Calls operations of a server that listens on this machine. */
export interface Client {
  readonly call: TypedCall;
  /** As `call`, and tells the server where the caller stands: for what starts a job, or needs a key. */
  readonly callWithContext: TypedCall;
  /** Starts a job by a verb that only the server knows. */
  readonly start: (verb: string, input: object) => Promise<JobView>;
}

type TypedCall = <Name extends OperationName>(
  operation: Name,
  input: InputOf<Name>,
  signal?: AbortSignal,
) => Promise<AnswerOf<Name>>;

interface ClientOptions {
  /** Asked only when it is needed: an environment is large. */
  readonly context?: () => Partial<ClientContext>;
  readonly onVersion?: (version: string) => void;
  /** Acts as whom it stands for, instead of as this machine's user. */
  readonly token?: string;
}

/** The version of the server that answered last travels with each answer. */
export const versionHeader = "x-longhaul-version";

/** Marks a call whose body is the input beside the client's context. */
export const clientQuery = "?client";

/** Thrown when nobody listens on the socket. */
export class NotRunningError extends Error {
  override readonly name = "NotRunningError";
}

/** Thrown when the server ended before it had answered: nobody knows whether it did what it was asked. */
export class BrokenCallError extends Error {
  override readonly name = "BrokenCallError";
}

/** At the path of a local socket, or at an address such as `http://127.0.0.1:7467`. */
export function createClient(address: string, { context, ...options }: ClientOptions = {}): Client {
  const send = createPoster(address, options);
  const sendWithContext = <Output>(operation: string, input: unknown, signal?: AbortSignal): Promise<Output> =>
    send(`/call/${operation}${clientQuery}`, { input, client: context?.() ?? {} }, signal);
  return {
    call: (operation, input, signal) => send(`/call/${operation}`, input, signal),
    callWithContext: sendWithContext,
    start: sendWithContext,
  };
}

type Poster = <Output>(path: string, given: unknown, signal?: AbortSignal) => Promise<Output>;

/** Posts JSON to a path and returns the JSON of the answer; what went wrong there is thrown here. */
export function createPoster(
  address: string,
  { onVersion, token }: Pick<ClientOptions, "onVersion" | "token"> = {},
): Poster {
  const place = toPlace(address, token);
  return async <Output>(path: string, given: unknown, signal?: AbortSignal): Promise<Output> => {
    const { status, body, version } = parseAnswer(await post(place, path, JSON.stringify(given), signal));
    if (version !== undefined) onVersion?.(version);
    if (status === 200) return body as Output;
    throw toError(body, status);
  };
}

interface Place {
  readonly name: string;
  readonly where: { readonly path: string } | { readonly host: string; readonly port: number };
  /** The headers that every call has. */
  readonly headers: string;
}

function toPlace(name: string, token: string | undefined): Place {
  const url = name.startsWith("http:") ? parseUrl(name) : undefined;
  const authorization = token === undefined ? "" : `\r\nauthorization: Bearer ${token}`;
  const headers = `host: ${url?.host ?? "localhost"}${authorization}`;
  if (url === undefined) return { name, where: { path: name }, headers };
  return { name, where: { host: url.hostname.replace(/^\[|\]$/g, ""), port: Number(url.port || 80) }, headers };
}

/**
 * HTTP by hand, in its simplest form: the answer ends with the connection. Loading and first using Node's HTTP client
 * takes longer than all the rest of a short command.
 */
function post(
  { name, where, headers }: Place,
  path: string,
  body: string,
  signal: AbortSignal | undefined,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    // Where others could put a socket of their own, nobody knows who listens.
    if ("path" in where) checkFolder(dirname(where.path));
    const socket = connect(where);
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
      if (isAbsence(error)) reject(new NotRunningError(`No server listens on ${name}.`, { cause: error }));
      else
        reject(isBreak(error) ? new BrokenCallError("The connection to the server broke.", { cause: error }) : error);
    });
    const content = `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}`;
    socket.write(`POST ${path} HTTP/1.0\r\n${headers}\r\n${content}\r\n\r\n${body}`);
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

/** Errors come as problem details. */
function toError(body: unknown, status: number): Error {
  const { code, detail = "", details } = body as { code?: ErrorCode; detail?: string; details?: ErrorFacts["details"] };
  if (code === undefined) return new Error(`The server answered with status ${status}.`);
  return new LonghaulError(code, detail, { details });
}
