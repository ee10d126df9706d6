import type { Readable } from "node:stream";
import type { Agent, Dispatcher } from "undici";
import { LonghaulError } from "../job/error.ts";
import { messageOf } from "../job/failure.ts";
import type { SocketOptions } from "./checked-socket.ts";
import { startDeadline, type Deadline } from "./deadline.ts";
import { createGuardedAgent } from "./guarded-agent.ts";
import { errorCodeOf, netFailure } from "./net-failure.ts";
import { createRedirectTrail, followRedirect, locationOf, type OutgoingRequest, type Redirect } from "./redirect.ts";
import { acceptedEncodings, createDecompressor, readEncodings, type Encoding } from "./content-encoding.ts";
import { readBody } from "./response-body.ts";

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
  readonly headers: ResponseHeaders;
  readonly redirects: readonly Redirect[];
  /** Where the response redirects to, as it was sent; only when redirects were not to be followed. */
  readonly location?: string;
  readonly firstByteMs: number;
}

export type ResponseHeaders = Readonly<Record<string, string | string[] | undefined>>;

export interface FetchResult extends FetchHead {
  readonly body: Uint8Array;
  readonly isTruncated: boolean;
  readonly totalMs: number;
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

interface Opened extends FetchHead {
  readonly source: Readable;
  readonly encodings: readonly Encoding[];
  readonly host: string;
}

export function createGuardedFetch({ limits: given, userAgent, ...options }: GuardedFetchOptions): GuardedFetch {
  const limits = { ...defaultFetchLimits, ...given };
  let agent: Promise<Agent> | undefined;

  const open = async (url: URL, request: FetchRequest, deadline: Deadline): Promise<Opened> => {
    agent ??= createGuardedAgent({ ...options, ...limits });
    const startedAt = performance.now();
    const trail = createRedirectTrail(request.maxRedirects ?? limits.maxRedirects);
    let next = firstRequest(url, request, userAgent);
    for (;;) {
      const response = await send(await agent, next, deadline);
      const { statusCode: status, headers } = response;
      const host = next.url.hostname;
      const location = locationOf(status, headers["location"]);
      if (location === undefined || request.maxRedirects === 0) {
        const encodings = encodingsOf(response, host);
        const firstByteMs = performance.now() - startedAt;
        const head = { url: next.url.href, status, headers, redirects: trail.redirects, firstByteMs };
        return { ...head, ...(location === undefined ? {} : { location }), source: response.body, encodings, host };
      }
      const following = await follow(response, next, { status, location });
      trail.add(next.url, status, following.url);
      next = following;
    }
  };
  const follow = async (
    { body }: Dispatcher.ResponseData,
    request: OutgoingRequest,
    redirect: { status: number; location: string },
  ): Promise<OutgoingRequest> => {
    // Read so that the connection can be used again; more than a little is not worth it.
    await body.dump({ limit: 16_384 }).catch(() => undefined);
    return followRedirect(request, redirect, options.rules);
  };
  const start = async (text: string | URL, request: FetchRequest): Promise<{ opened: Opened; deadline: Deadline }> => {
    const url = options.rules.checkUrl(text);
    request.signal?.throwIfAborted();
    const deadline = startDeadline(request.timeoutMs ?? limits.timeoutMs, request.signal);
    try {
      return { opened: await open(url, request, deadline), deadline };
    } catch (error) {
      deadline.stop();
      throw deadline.explain(error, url.hostname);
    }
  };

  return {
    fetch: async (url, request = {}) => {
      const startedAt = performance.now();
      const { opened, deadline } = await start(url, request);
      const { source, encodings, host, ...head } = opened;
      const maxBytes = request.maxBodyBytes ?? limits.maxBodyBytes;
      try {
        const { bytes, isTruncated } = await readBody(source, encodings, maxBytes);
        if (isTruncated && request.whenTooLarge !== "truncate") throw bodyTooLarge(host, maxBytes);
        return { ...head, body: bytes, isTruncated, totalMs: performance.now() - startedAt };
      } catch (error) {
        throw deadline.explain(error, host);
      } finally {
        deadline.stop();
      }
    },
    stream: async (url, request = {}) => {
      const { opened, deadline } = await start(url, request);
      const { source: raw, encodings, host, ...head } = opened;
      const source = createDecompressor(raw, encodings);
      // A stream that nobody reads ends with its time, and nobody is there to hear of it.
      source.once("close", deadline.stop).on("error", () => undefined);
      return { ...head, body: readPieces({ source, host }, deadline, request.maxBodyBytes ?? limits.maxBodyBytes) };
    },
    close: async () => {
      await (await agent)?.destroy();
    },
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
    ...(body === undefined ? {} : { body }),
  };
}

async function send(
  agent: Agent,
  { url, method, headers, body }: OutgoingRequest,
  { signal }: Deadline,
): Promise<Dispatcher.ResponseData> {
  try {
    return await agent.request({
      origin: url.origin,
      path: url.pathname + url.search,
      method,
      headers,
      signal,
      ...(body === undefined ? {} : { body }),
    });
  } catch (error) {
    if (errorCodeOf(error) !== "UND_ERR_INVALID_ARG") throw error;
    throw new LonghaulError("invalid_input", `The request does not fit: ${messageOf(error)}.`, { cause: error });
  }
}

async function* readPieces(
  { source, host }: Pick<Opened, "source" | "host">,
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

function encodingsOf({ headers, body }: Dispatcher.ResponseData, host: string): readonly Encoding[] {
  const encodings = readEncodings(headers["content-encoding"]);
  if (encodings !== undefined) return encodings;
  body.on("error", () => undefined).destroy();
  throw netFailure("bad_response", `${host} sent a body in an encoding that was not asked for.`, "content-encoding");
}

function bodyTooLarge(host: string, maxBytes: number): Error {
  return netFailure("body_too_large", `${host} sent more than the ${maxBytes} bytes that are read.`);
}
