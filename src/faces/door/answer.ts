import type { ServerResponse } from "node:http";

/** Nothing here is to be stored, sniffed, framed, or to load anything. */
export const safetyHeaders: Readonly<Record<string, string>> = {
  "cache-control": "no-store",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "cross-origin-resource-policy": "same-origin",
  "x-content-type-options": "nosniff",
};

const jsonHeaders = { ...safetyHeaders, "content-type": "application/json" };

export interface HttpAnswer {
  readonly status: number;
  readonly body: string | null;
  readonly headers: Readonly<Record<string, string>>;
}

export function toJsonAnswer(value: unknown, status = 200, headers?: HttpAnswer["headers"]): HttpAnswer {
  const body = JSON.stringify(value);
  return { status, body, headers: headers === undefined ? jsonHeaders : { ...jsonHeaders, ...headers } };
}

export function send(response: ServerResponse, { status, body, headers }: HttpAnswer): void {
  if (body === null) response.writeHead(status, headers).end();
  else response.writeHead(status, { ...headers, "content-length": Buffer.byteLength(body) }).end(body);
}

/** Aborted when the caller has got the answer, or has left without it. */
export function untilGone(response: ServerResponse): AbortSignal {
  const gone = new AbortController();
  if (response.destroyed) gone.abort();
  else response.once("close", () => gone.abort());
  return gone.signal;
}
