import { z } from "zod";
import { messageOf } from "../../job/failure.ts";
import type { Json } from "../../job/json.ts";
import { tryParseJson } from "../../text/parse-json.ts";
import { parseRetryAfter } from "../../text/retry-after.ts";
import { RemoteError, type RemoteEndpoint, type RemoteStatus } from "./remote-endpoint.ts";

/** As the global `fetch`; passed in so that it can be guarded. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

export interface RunpodSettings {
  /** Up to and without the endpoint's id: https://api.runpod.ai/v2 */
  readonly baseUrl: string;
  readonly endpointId: string;
  readonly apiKey: string;
  readonly fetch: Fetch;
  /** Longest time for one request, from the connection to the end of the answer. */
  readonly requestMs?: number;
}

const defaultRequestMs = 30_000;
const healthMs = 5_000;
const streamMs = 15_000;
/** Of what the platform says to a refusal; the rest is a gateway's page. */
const longestBody = 2_000;
const maxReplyBytes = 25_000_000;
const longestShown = 500;

const statuses: Readonly<Record<string, RemoteStatus>> = {
  IN_QUEUE: "IN_QUEUE",
  IN_PROGRESS: "IN_PROGRESS",
  RUNNING: "IN_PROGRESS",
  COMPLETED: "COMPLETED",
  FAILED: "FAILED",
  CANCELLED: "CANCELLED",
  TIMED_OUT: "TIMED_OUT",
};

const status = z.string().transform((text, context): RemoteStatus => {
  const known = Object.hasOwn(statuses, text) ? statuses[text] : undefined;
  if (known !== undefined) return known;
  context.addIssue(`an unknown status "${text.slice(0, 40)}"`);
  return z.NEVER;
});
/** It was read from JSON, so it is some: a look at all of it would take long where it is large. */
const json = z.custom<Json>();
const count = z.number().nullish();
const count0 = count.transform((value) => value ?? 0);

const startedSchema = z.object({ id: z.string().regex(/^[A-Za-z0-9_-]{1,200}$/) });
const statusSchema = z.object({
  status,
  output: json.optional(),
  error: json.optional(),
  delayTime: count,
  executionTime: count,
  workerId: z.string().nullish(),
});
const streamSchema = z.union([
  // Longhaul's own /v2 says by `have` that it has heeded it.
  z
    .object({ stream: z.array(json).nullish(), have: z.number().optional() })
    .transform(({ stream, have }) => ({ chunks: stream ?? [], isSequel: have !== undefined })),
  z.array(json).transform((chunks) => ({ chunks, isSequel: false })),
]);
const countsOf = <Key extends string>(...keys: Key[]): z.ZodObject<Record<Key, typeof count0>> =>
  z.object(Object.fromEntries(keys.map((key) => [key, count0])) as Record<Key, typeof count0>);
const healthSchema = z.object({
  jobs: countsOf("completed", "failed", "inProgress", "inQueue", "retried"),
  workers: countsOf("idle", "initializing", "ready", "running", "throttled", "unhealthy"),
});
const anySchema = z.record(z.string(), json);
const purgedSchema = z.object({ removed: count0 });

/** An endpoint on RunPod, or on a server that speaks as RunPod does. */
export function openRunpod(settings: RunpodSettings): RemoteEndpoint {
  const ask = <Schema extends z.ZodType>(request: Omit<Call, "settings">, schema: Schema): Promise<z.output<Schema>> =>
    call({ ...request, settings }, schema);
  return {
    submit: async (body) => (await ask({ method: "POST", path: "run", body }, startedSchema)).id,
    status: async (id, signal) => {
      const reply = await ask({ method: "GET", path: jobPath("status", id), signal }, statusSchema);
      const { output, error, delayTime, executionTime, workerId } = reply;
      return {
        status: reply.status,
        output,
        error,
        delayMs: delayTime ?? undefined,
        executionMs: executionTime ?? undefined,
        worker: workerId ?? undefined,
      };
    },
    takeChunks: (id, have, signal) => {
      const path = jobPath("stream", id, `?wait=1000${have === undefined ? "" : `&have=${have}`}`);
      return ask({ method: "GET", path, signal, deadlineMs: streamMs }, streamSchema);
    },
    cancel: async (id) =>
      (await ask({ method: "POST", path: jobPath("cancel", id), body: {} }, z.object({ status }))).status,
    retry: async (id) => {
      await ask({ method: "POST", path: jobPath("retry", id), body: {} }, z.unknown());
    },
    relay: (verb, id, signal) => {
      const isStep = verb === "cancel" || verb === "retry";
      const request = isStep ? { method: "POST" as const, body: {} } : { method: "GET" as const };
      return ask({ ...request, path: jobPath(verb, id), signal }, anySchema);
    },
    health: () => ask({ method: "GET", path: "health", deadlineMs: healthMs }, healthSchema),
    purge: async () => (await ask({ method: "POST", path: "purge-queue", body: {} }, purgedSchema)).removed,
  };
}

function jobPath(verb: string, id: string, query = ""): string {
  return `${verb}/${encodeURIComponent(id)}${query}`;
}

interface Call {
  readonly settings: RunpodSettings;
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly body?: unknown;
  readonly signal?: AbortSignal;
  readonly deadlineMs?: number;
}

async function call<Schema extends z.ZodType>(request: Call, schema: Schema): Promise<z.output<Schema>> {
  const { status: code, text, retryAfterMs } = await send(request);
  const what = `${request.method} ${request.path.split("?")[0]}`;
  if (code < 200 || code > 299) {
    const message = `RunPod answered ${what} with ${code}: ${text.slice(0, longestShown) || "nothing"}`;
    // What the platform itself refuses it has not done; a gateway's word says nothing of what was done behind it.
    const effect = code < 500 || code === 503 ? "nothing" : "unknown";
    throw new RemoteError(message, { status: code, effect, retryAfterMs, body: text.slice(0, longestBody) });
  }
  const parsed = schema.safeParse(tryParseJson(text));
  if (parsed.success) return parsed.data;
  const message = `RunPod answered ${what} with something that Longhaul does not understand: ${text.slice(0, longestShown)}`;
  throw new RemoteError(message, { effect: "unknown" });
}

interface Reply {
  readonly status: number;
  readonly text: string;
  readonly retryAfterMs: number | undefined;
}

/** One deadline for all of it: a socket that falls silent in the middle of an answer counts too. */
async function send({ settings, method, path, body, signal, deadlineMs }: Call): Promise<Reply> {
  const limitMs = Math.min(deadlineMs ?? Infinity, settings.requestMs ?? defaultRequestMs);
  const ended = new AbortController();
  const abort = (): void => ended.abort(signal?.reason);
  const timer = setTimeout(() => ended.abort(new Error(`no answer within ${limitMs} ms`)), limitMs);
  signal?.addEventListener("abort", abort, { once: true });
  if (signal?.aborted === true) abort();
  try {
    const response = await settings.fetch(`${settings.baseUrl}/${settings.endpointId}/${path}`, {
      method,
      // The key is for this address alone.
      redirect: "error",
      headers: { authorization: `Bearer ${settings.apiKey}`, "content-type": "application/json" },
      signal: ended.signal,
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    const retryAfterMs = parseRetryAfter(response.headers.get("retry-after"), Date.now(), longestRetryAfterMs);
    return { status: response.status, text: await readText(response), retryAfterMs };
  } catch (error) {
    signal?.throwIfAborted();
    const why = ended.signal.aborted ? messageOf(ended.signal.reason) : describe(error);
    throw new RemoteError(`RunPod could not be asked (${method} ${path.split("?")[0]}): ${why}`, {
      effect: isUnsent(error) ? "nothing" : "unknown",
      isTooLarge: error instanceof TooLarge,
      cause: error,
    });
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", abort);
  }
}

class TooLarge extends Error {}

async function readText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += chunk.length;
    if (bytes > maxReplyBytes) throw new TooLarge(`the answer has more than ${maxReplyBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

const longestRetryAfterMs = 600_000;

/** Errors that come before the first byte is sent. */
const unsentCodes: ReadonlySet<string> = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "UND_ERR_CONNECT_TIMEOUT",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "CERT_HAS_EXPIRED",
  "ERR_TLS_CERT_ALTNAME_INVALID",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
]);

function isUnsent(error: unknown): boolean {
  return unsentCodes.has(codeOf(error) ?? "");
}

/** `fetch failed` alone says nothing: its cause does. */
function describe(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  return [messageOf(error), codeOf(error) ?? (cause === undefined ? "" : messageOf(cause))]
    .filter((part) => part !== "")
    .join(": ");
}

function codeOf(error: unknown): string | undefined {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  const errors = cause instanceof AggregateError ? (cause.errors as unknown[]) : [cause];
  const [first] = errors;
  return first instanceof Error && "code" in first ? String(first.code) : undefined;
}
