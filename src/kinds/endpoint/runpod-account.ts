import { createParser } from "eventsource-parser";
import { z } from "zod";
import { messageOf } from "../../job/failure.ts";
import type { Json } from "../../job/json.ts";
import type { FetchHead, FetchRequest, FetchStream, GuardedFetch } from "../../net/fetch/guarded-fetch.ts";
import { tryParseJson } from "../../text/parse-json.ts";
import { parseRetryAfter } from "../../text/retry-after.ts";
import type { CountedWorkers } from "./queue-hint.ts";
import { RemoteError } from "./remote-endpoint.ts";

/** Whose endpoints are listed, and where: RunPod's REST API is another than that of its jobs. */
export interface RunpodAccount {
  /** https://api.runpod.io */
  readonly restUrl: string;
  readonly apiKey: string;
}

export interface LogQuery {
  readonly workerId: string;
  readonly source?: "container" | "system";
  /** Lines from before, newest last. */
  readonly tail?: number;
  /** An RFC 3339 time to begin at. */
  readonly since?: string;
  /** How long to read: the platform keeps the stream open for what is to come. */
  readonly maxWaitMs: number;
}

export interface LogLines {
  readonly items: readonly Json[];
  /** There was more than is read at once. */
  readonly truncated: boolean;
}

const json = z.custom<Json>();
const record = z.record(z.string(), json);
const endpointsSchema = z.object({ endpoints: z.array(record) });
const count = z.number().default(0);
const summarySchema = z.object({
  summary: z.object({
    idle: count,
    initializing: count,
    running: count,
    throttled: count,
    unhealthy: count,
    total: z.number().optional(),
  }),
  workers: z.array(z.object({ id: z.string(), status: z.string().nullish() })).default([]),
});
const publicSchema = z.object({
  data: z.object({
    allAiApiPublicConfigs: z.array(
      z.object({
        aiApiId: z.string(),
        modelName: z.string().nullish(),
        displayName: z.string().nullish(),
        description: z.string().nullish(),
        /** JSON. */
        metadata: z.string().nullish(),
        isLive: z.boolean().nullish(),
        createdAt: z.string().nullish(),
        updatedAt: z.string().nullish(),
      }),
    ),
  }),
});

/** An endpoint that RunPod runs for everybody. */
export type PublicEndpoint = z.output<typeof publicSchema>["data"]["allAiApiPublicConfigs"][number];

const publicQuery =
  "query { allAiApiPublicConfigs { aiApiId modelName displayName description metadata isLive createdAt updatedAt } }";
const requestMs = 30_000;
const countMs = 5_000;
const maxReplyBytes = 10_000_000;
const maxLogBytes = 256 * 1024;
const longestBody = 2_000;
const longestRetryAfterMs = 600_000;

/** What RunPod tells of an account's endpoints and workers. Throws a RemoteError, as everything that asks a platform. */
export class AccountReader {
  readonly #web: GuardedFetch;
  readonly #publicUrl: string;

  constructor(web: GuardedFetch, publicUrl: string) {
    this.#web = web;
    this.#publicUrl = publicUrl;
  }

  async endpoints(account: RunpodAccount): Promise<readonly Record<string, Json>[]> {
    return (await this.#ask(`${account.restUrl}/v2/serverless`, endpointsSchema, { headers: withKey(account) }))
      .endpoints;
  }

  workers(account: RunpodAccount, endpointId: string, timeoutMs = requestMs): Promise<Record<string, Json>> {
    return this.#ask(workersUrl(account, endpointId), record, { headers: withKey(account), timeoutMs });
  }

  /** Within the time that a status can wait for them. */
  async countWorkers(account: RunpodAccount, endpointId: string): Promise<CountedWorkers> {
    const { summary, workers } = summarySchema.parse(await this.workers(account, endpointId, countMs));
    const unhealthyIds = workers.flatMap(({ id, status }) => (status === "UNHEALTHY" ? [id] : []));
    return { ready: summary.idle, ...summary, unhealthyIds };
  }

  /** What a worker has written, and what it writes for as long as it is read. */
  async workerLogs(account: RunpodAccount, endpointId: string, query: LogQuery): Promise<LogLines> {
    const { workerId, source, tail, since, maxWaitMs } = query;
    const search = new URLSearchParams(
      Object.entries({ source, tail, since }).flatMap(([name, value]) =>
        value === undefined ? [] : [[name, String(value)]],
      ),
    );
    const url = `${workersUrl(account, endpointId)}/${encodeURIComponent(workerId)}/logs?${search}`;
    const over = new AbortController();
    const timer = setTimeout(() => over.abort(), maxWaitMs);
    try {
      const headers = { ...withKey(account), accept: "text/event-stream" };
      const response = await this.#open(url, { headers, signal: over.signal, timeoutMs: maxWaitMs + requestMs });
      return await readEvents(response.body, over.signal);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Needs no account. */
  async publicEndpoints(): Promise<readonly PublicEndpoint[]> {
    const request = {
      method: "POST" as const,
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ query: publicQuery }),
    };
    return (await this.#ask(this.#publicUrl, publicSchema, request)).data.allAiApiPublicConfigs;
  }

  async #ask<Schema extends z.ZodType>(url: string, schema: Schema, request: FetchRequest): Promise<z.output<Schema>> {
    const limits = { timeoutMs: requestMs, maxBodyBytes: maxReplyBytes, maxRedirects: 0 };
    const { status, headers, body } = await this.#web.fetch(url, { ...limits, ...request }).catch(unreachable(url));
    const text = Buffer.from(body).toString();
    if (status < 200 || status > 299) throw refused(url, status, text, headers);
    const parsed = schema.safeParse(tryParseJson(text));
    if (parsed.success) return parsed.data;
    const message = `RunPod answered ${pathOf(url)} with something that Longhaul does not understand: ${text.slice(0, 500)}`;
    throw new RemoteError(message, { effect: "nothing", status: 502, body: text.slice(0, longestBody) });
  }

  async #open(url: string, request: FetchRequest): Promise<FetchStream> {
    const response = await this.#web.stream(url, { maxRedirects: 0, ...request }).catch(unreachable(url));
    const { status, headers } = response;
    if (status >= 200 && status <= 299) return response;
    const { text } = await readUpTo(response.body, longestBody, request.signal);
    throw refused(url, status, text, headers);
  }
}

async function readEvents(body: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<LogLines> {
  const { text, isCut } = await readUpTo(body, maxLogBytes, signal);
  const items: Json[] = [];
  // An event that is not whole is none.
  const parser = createParser({
    onEvent: ({ data }) => {
      const line = tryParseJson(data);
      if (line !== undefined) items.push(line);
    },
  });
  parser.feed(text);
  return { items, truncated: isCut };
}

/** So much of a body as comes before the signal: a stream that stays open ends by it. */
async function readUpTo(
  body: AsyncIterable<Uint8Array>,
  maxBytes: number,
  signal: AbortSignal | undefined,
): Promise<{ text: string; isCut: boolean }> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const piece of body) {
      pieces.push(piece.subarray(0, maxBytes - bytes));
      bytes += piece.length;
      if (bytes >= maxBytes) break;
    }
  } catch (error) {
    if (signal?.aborted !== true) throw error;
  }
  return { text: Buffer.concat(pieces).toString(), isCut: bytes >= maxBytes };
}

function refused(url: string, status: number, text: string, headers: FetchHead["headers"]): RemoteError {
  const retryAfter = [headers["retry-after"]].flat()[0] ?? null;
  return new RemoteError(`RunPod answered ${pathOf(url)} with ${status}: ${text.slice(0, 500) || "nothing"}`, {
    status,
    effect: "nothing",
    body: text.slice(0, longestBody),
    retryAfterMs: parseRetryAfter(retryAfter, Date.now(), longestRetryAfterMs),
  });
}

function unreachable(url: string): (error: unknown) => never {
  return (error) => {
    const message = `RunPod could not be asked (${pathOf(url)}): ${messageOf(error)}`;
    throw new RemoteError(message, { effect: "nothing", cause: error });
  };
}

function withKey({ apiKey }: RunpodAccount): { authorization: string } {
  return { authorization: `Bearer ${apiKey}` };
}

function workersUrl({ restUrl }: RunpodAccount, endpointId: string): string {
  return `${restUrl}/v2/serverless/${encodeURIComponent(endpointId)}/workers`;
}

function pathOf(url: string): string {
  return new URL(url).pathname;
}
