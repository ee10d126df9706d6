import type { EventEmitter } from "node:events";
import type { Agent, Dispatcher } from "undici";
import { LonghaulError } from "../../job/error.ts";
import { messageOf } from "../../job/failure.ts";
import { errorCodeOf } from "./net-failure.ts";
import type { OutgoingRequest } from "./redirect.ts";

export interface ResponseStart {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

export interface CollectedResponse extends ResponseStart {
  /** As they came, still compressed. */
  readonly bytes: Uint8Array;
  readonly isTruncated: boolean;
}

interface CollectOptions {
  /** Emits "abort". */
  readonly signal: EventEmitter;
  /** How much of the body is wanted; throws for a response that is not. */
  readonly maxBytes: (start: ResponseStart, host: string) => number;
}

/** Sends a request and gathers the response as it comes: a stream between would cost as much as all the rest. */
export function collectResponse(
  agent: Agent,
  request: OutgoingRequest,
  { signal, maxBytes }: CollectOptions,
): Promise<CollectedResponse> {
  return new Promise<CollectedResponse>((resolve, reject) => {
    const chunks: Uint8Array[] = [];
    let start: ResponseStart = { status: 0, headers: {} };
    let length = 0;
    let max = 0;
    let cancel: (() => void) | undefined;
    let isSettled = false;
    const settle = (end: () => void): void => {
      if (isSettled) return;
      isSettled = true;
      signal.removeListener("abort", giveUp);
      end();
    };
    const fail = (error: Error): void => settle(() => reject(toRequestFailure(error)));
    const finish = (isTruncated: boolean): void =>
      settle(() => resolve({ ...start, bytes: join(chunks).subarray(0, max), isTruncated }));
    const giveUp = (): void => {
      fail(new Error("given up"));
      cancel?.();
    };
    signal.on("abort", giveUp);
    agent.dispatch(toDispatch(request), {
      onRequestStart: (controller) => {
        cancel = () => controller.abort(new Error("no more is wanted"));
        // Given up while it waited for a connection.
        if (isSettled) cancel();
      },
      onResponseStart: (_controller, status, headers) => {
        // Before the response itself there may be others that only say to wait.
        if (status < 200) return;
        start = { status, headers };
        try {
          max = maxBytes(start, request.url.hostname);
        } catch (error) {
          fail(error as Error);
          cancel?.();
        }
      },
      onResponseData: (_controller, chunk) => {
        if (isSettled) return;
        length += chunk.length;
        chunks.push(chunk);
        if (length <= max) return;
        finish(true);
        cancel?.();
      },
      onResponseEnd: () => finish(false),
      onResponseError: (_controller, error) => fail(error),
    });
  });
}

export function toDispatch({ url, method, headers, body }: OutgoingRequest): Dispatcher.DispatchOptions {
  const target = { origin: url.origin, path: url.pathname + url.search, method, headers };
  return body === undefined ? target : { ...target, body };
}

/** A request that undici refuses to send is its caller's mistake. */
export function toRequestFailure(error: unknown): unknown {
  if (errorCodeOf(error) !== "UND_ERR_INVALID_ARG") return error;
  return new LonghaulError("invalid_input", `The request is not valid: ${messageOf(error)}.`, { cause: error });
}

function join(chunks: readonly Uint8Array[]): Uint8Array {
  const [only] = chunks;
  return chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks);
}
