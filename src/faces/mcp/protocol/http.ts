import type { RequestListener } from "node:http";
import { toNodeHandler } from "@modelcontextprotocol/node";
import { createHostRules, findAmbiguity, type HostRules } from "../../door/host-rules.ts";
import type { Exchange } from "../../door/door.ts";
import type { Caller, McpEndpoint } from "../endpoint.ts";
import { refuse } from "./refuse.ts";

export interface McpHttpOptions extends HostRules {
  /** Who a bearer token stands for, or a request without one; undefined refuses it. */
  readonly authenticate: (token: string | undefined) => Caller | undefined | Promise<Caller | undefined>;
}

/** Lets in who was meant to come to this address, from no foreign web page, with a token that stands for somebody. */
export function guardMcp(endpoint: McpEndpoint, options: McpHttpOptions): (request: Request) => Promise<Response> {
  const findFault = createHostRules(options);
  return async (request) => {
    const { headers } = request;
    const message = findFault({
      host: headers.get("host") ?? undefined,
      origin: headers.get("origin") ?? undefined,
      protocol: "http",
    });
    if (message !== undefined) return refuse(403, -32_000, message);
    const [, token] = /^Bearer +(\S+) *$/i.exec(headers.get("authorization") ?? "") ?? [];
    const caller = await options.authenticate(token);
    if (caller !== undefined) return endpoint.fetch(request, caller);
    return token === undefined
      ? refuse(401, -32_000, "Send a token: Authorization: Bearer …", { "www-authenticate": "Bearer" })
      : refuse(401, -32_000, "The token is not known to this server.", {
          "www-authenticate": 'Bearer error="invalid_token"',
        });
  };
}

/** For `node:http`, and for Express: a body that was parsed before is taken from the request. */
export function toRequestListener(fetch: (request: Request) => Promise<Response>): RequestListener {
  const handle = toNodeHandler({ fetch: (request, options) => fetch(withBody(request, options?.parsedBody)) });
  return (request, response) => {
    const ambiguity = findAmbiguity(request.url, request.rawHeaders);
    const { body } = request as { body?: unknown };
    if (ambiguity === undefined) void handle(request, response, body);
    else response.writeHead(400, { "content-type": "text/plain" }).end(ambiguity);
  };
}

/** Whoever has parsed a body has read it, too. */
function withBody(request: Request, parsed: unknown): Request {
  if (parsed === undefined) return request;
  const { method, headers, signal } = request;
  const own = new Headers(headers);
  own.delete("content-length");
  return new Request(request.url, { method, headers: own, signal, body: JSON.stringify(parsed) });
}

/** Answers a request of somebody who was let in already. */
export async function answerMcp(endpoint: McpEndpoint, { request, response, actor }: Exchange): Promise<undefined> {
  const fetch = (fetched: Request): Promise<Response> => endpoint.fetch(fetched, { actor, isIdentified: true });
  await toNodeHandler({ fetch })(request, response);
}
