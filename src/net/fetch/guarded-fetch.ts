import type { EventEmitter } from "node:events";
import type { Readable } from "node:stream";
import type { Agent, Dispatcher } from "undici";
import type { SocketOptions } from "./checked-socket.ts";
import { startDeadline, type Deadline } from "./deadline.ts";
import { createGuardedAgent } from "./guarded-agent.ts";
import { netFailure } from "./net-failure.ts";
import { createRedirectTrail, followRedirect, locationOf, type OutgoingRequest, type Redirect } from "./redirect.ts";
import { acceptedEncodings, createDecompressor, readEncodings, type Encoding } from "./content-encoding.ts";
import { collectResponse, toDispatch, toRequestFailure, type ResponseStart } from "./collect-response.ts";
import { decompressBody } from "./response-body.ts";

export interface FetchLimits {
  /** After decompression. */
  readonly maxBodyBytes: number;
  readonly maxHeaderBytes: number;
  /** For the whole request, redirects and body included. */
  readonly timeoutMs: number;
  /** For resolving the name and making the connection; once more for TLS. */
  readonly connectTimeoutMs: number;
  /** Between two pieces of the response. */
  readonly idleTimeoutMs: number;
  readonly maxRedirects: number;
}

export const defaultFetchLimits: FetchLimits = {
  maxBodyBytes: 10_000_000,
  maxHeaderBytes: 65_536,
  timeoutMs: 30_000,
  connectTimeoutMs: 10_000,
  idleTimeoutMs: 15_000,
  maxRedirects: 10,
};

export interface GuardedFetchOptions extends Omit<SocketOptions, "connectTimeoutMs"> {
  readonly userAgent: string;
  readonly limits?: Partial<FetchLimits>;
  /** Certificates to trust in place of the system's. */
  readonly ca?: string;
}

export interface FetchRequest {
  readonly method?: "GET" | "HEAD" | "POST";
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  readonly signal?: AbortSignal;
  readonly timeoutMs?: number;
  readonly maxBodyBytes?: number;
  /** A body over its bound is an error, unless its beginning is wanted. */
  readonly whenTooLarge?: "fail" | "truncate";
  /** Zero gives the redirect itself to the caller, with its `location`. */
  readonly maxRedirects?: number;
}

export interface FetchHead {
  /** After redirects. */
  readonly url: string;
  readonly status: number;
  readonly headers: ResponseStart["headers"];
  readonly redirects: readonly Redirect[];
  /** Where the response redirects to, as it was sent; only when redirects were not to be followed. */
  readonly location?: string;
}

export interface FetchResult extends FetchHead {
  readonly body: Uint8Array;
  readonly isTruncated: boolean;
}

export interface FetchStream extends FetchHead {
  /** To be read to its end or given up: the time limit runs until then. */
  readonly body: AsyncIterable<Uint8Array>;
}

/** HTTP to where the rules allow it, within limits. Every failure is a `JobFailure` with a `NetErrorCode`. */
export interface GuardedFetch {
  readonly fetch: (url: string | URL, request?: FetchRequest) => Promise<FetchResult>;
  readonly stream: (url: string | URL, request?: FetchRequest) => Promise<FetchStream>;
  /** Ends every connection; requests under way fail. */
  readonly close: () => Promise<void>;
}

interface Reached<Sent extends ResponseStart> {
  readonly head: FetchHead;
  readonly sent: Sent;
  readonly host: string;
}

/** How a request is sent, and how the body of a redirect is got rid of. */
interface Sender<Sent extends ResponseStart> {
  readonly send: (agent: Agent, request: OutgoingRequest) => Promise<Sent>;
  readonly discard?: (sent: Sent) => Promise<void>;
}

/** Of a redirect that is followed: read so that the connection can be used again; more than a little is not worth it. */
const maxRedirectBytes = 16_384;

export function createGuardedFetch({ limits: given, userAgent, ...options }: GuardedFetchOptions): GuardedFetch {
  const limits = { ...defaultFetchLimits, ...given };
  let agent: Promise<Agent> | undefined;

  const walk = async <Sent extends ResponseStart>(
    url: URL,
    request: FetchRequest,
    { send, discard }: Sender<Sent>,
  ): Promise<Reached<Sent>> => {
    agent ??= createGuardedAgent({ ...options, ...limits });
    const trail = createRedirectTrail(request.maxRedirects ?? limits.maxRedirects);
    let next = firstRequest(url, request, userAgent);
    for (;;) {
      const sent = await send(await agent, next);
      const { status, headers } = sent;
      const location = locationOf(status, headers["location"]);
      if (location === undefined || request.maxRedirects === 0) {
        const head = { url: next.url.href, status, headers, redirects: trail.redirects };
        return { head: location === undefined ? head : { ...head, location }, sent, host: next.url.hostname };
      }
      await discard?.(sent);
      const following = followRedirect(next, { status, location }, options.rules);
      trail.add(next.url, status, following.url);
      next = following;
    }
  };
  const start = async <Sent extends ResponseStart>(
    text: string | URL,
    request: FetchRequest,
    sender: (deadline: Deadline) => Sender<Sent>,
  ): Promise<{ reached: Reached<Sent>; deadline: Deadline }> => {
    const url = options.rules.checkUrl(text);
    request.signal?.throwIfAborted();
    const deadline = startDeadline(request.timeoutMs ?? limits.timeoutMs, request.signal);
    try {
      return { reached: await walk(url, request, sender(deadline)), deadline };
    } catch (error) {
      deadline.stop();
      throw deadline.explain(error, url.hostname);
    }
  };

  return {
    fetch: async (url, request = {}) => {
      const maxBytes = request.maxBodyBytes ?? limits.maxBodyBytes;
      const bodyLimit = boundBody(maxBytes, request.maxRedirects !== 0);
      const { reached, deadline } = await start(url, request, ({ signal }) => ({
        send: (connected, next) => collectResponse(connected, next, { signal, maxBytes: bodyLimit }),
      }));
      const { head, sent, host } = reached;
      try {
        const { bytes, isTruncated } = await decompressBody(sent, encodingsOf(sent, host), maxBytes);
        if (isTruncated && request.whenTooLarge !== "truncate") throw bodyTooLarge(host, maxBytes);
        return { ...head, body: bytes, isTruncated };
      } catch (error) {
        throw deadline.explain(error, host);
      } finally {
        deadline.stop();
      }
    },
    stream: async (url, request = {}) => {
      const { reached, deadline } = await start(url, request, ({ signal }) => ({
        send: (connected, next) => openStream(connected, next, signal),
        discard: async ({ body }) => body.dump({ limit: maxRedirectBytes }).catch(() => undefined),
      }));
      const { head, sent, host } = reached;
      const source = createDecompressor(sent.body, streamEncodings(sent, host, deadline));
      // A stream that nobody reads ends with its time, and nobody is there to hear of it.
      source.once("close", deadline.stop).on("error", () => undefined);
      return { ...head, body: readPieces({ source, host }, deadline, request.maxBodyBytes ?? limits.maxBodyBytes) };
    },
    close: async () => {
      await (await agent)?.destroy();
    },
  };
}

/** How much of a response is read. Whatever is not followed must be in an encoding that we can undo. */
function boundBody(maxBytes: number, isFollowing: boolean): (response: ResponseStart, host: string) => number {
  return (response, host) => {
    const isFollowed = isFollowing && locationOf(response.status, response.headers["location"]) !== undefined;
    if (isFollowed) return maxRedirectBytes;
    encodingsOf(response, host);
    return maxBytes;
  };
}

function firstRequest(url: URL, { method, headers, body }: FetchRequest, userAgent: string): OutgoingRequest {
  const own = Object.entries(headers ?? {}).map(([name, value]) => [name.toLowerCase(), value] as const);
  return {
    url,
    method: method ?? "GET",
    headers: {
      "user-agent": userAgent,
      accept: "*/*",
      "accept-encoding": acceptedEncodings,
      ...Object.fromEntries(own),
    },
    body,
  };
}

interface OpenStream extends ResponseStart {
  readonly body: Dispatcher.ResponseData["body"];
}

async function openStream(agent: Agent, request: OutgoingRequest, signal: EventEmitter): Promise<OpenStream> {
  try {
    const { statusCode: status, headers, body } = await agent.request({ ...toDispatch(request), signal });
    return { status, headers, body };
  } catch (error) {
    throw toRequestFailure(error);
  }
}

async function* readPieces(
  { source, host }: { readonly source: Readable; readonly host: string },
  deadline: Deadline,
  maxBytes: number,
): AsyncGenerator<Uint8Array> {
  let length = 0;
  try {
    for await (const piece of source as AsyncIterable<Uint8Array>) {
      length += piece.length;
      if (length > maxBytes) throw bodyTooLarge(host, maxBytes);
      yield piece;
    }
  } catch (error) {
    throw deadline.explain(error, host);
  } finally {
    source.destroy();
    deadline.stop();
  }
}

function streamEncodings(sent: OpenStream, host: string, deadline: Deadline): readonly Encoding[] {
  try {
    return encodingsOf(sent, host);
  } catch (error) {
    deadline.stop();
    sent.body.on("error", () => undefined).destroy();
    throw error;
  }
}

function encodingsOf({ headers }: ResponseStart, host: string): readonly Encoding[] {
  const encodings = readEncodings(headers["content-encoding"]);
  if (encodings !== undefined) return encodings;
  throw netFailure("bad_response", `${host} sent a body in an encoding that was not asked for.`, "content-encoding");
}

function bodyTooLarge(host: string, maxBytes: number): Error {
  return netFailure("body_too_large", `${host} sent more than the allowed ${maxBytes} bytes.`);
}
