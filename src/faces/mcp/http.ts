import type { RequestListener } from "node:http";
import { toNodeHandler } from "@modelcontextprotocol/node";
import { createHostRules, type HostRules } from "../access/host-rules.ts";
import type { Caller, McpEndpoint } from "./endpoint.ts";

export interface McpHttpOptions extends HostRules {
  /** Who a bearer token stands for, or a request without one; undefined refuses it. */
  readonly authenticate: (token: string | undefined) => Caller | undefined | Promise<Caller | undefined>;
}

/** Lets in who was meant to come to this address, from no foreign web page, with a token that stands for somebody. */
export function guardMcp(endpoint: McpEndpoint, options: McpHttpOptions): (request: Request) => Promise<Response> {
  const misled = createHostRules(options);
  return async (request) => {
    const { headers } = request;
    const message = misled({
      host: headers.get("host") ?? undefined,
      origin: headers.get("origin") ?? undefined,
      protocol: "http",
    });
    if (message !== undefined) return refuse(403, message);
    const [, token] = /^Bearer +(\S+) *$/i.exec(headers.get("authorization") ?? "") ?? [];
    const caller = await options.authenticate(token);
    if (caller !== undefined) return endpoint.fetch(request, caller);
    return token === undefined
      ? refuse(401, "Send a token: Authorization: Bearer …", { "www-authenticate": "Bearer" })
      : refuse(401, "The token is not known here.", { "www-authenticate": 'Bearer error="invalid_token"' });
  };
}

/** For `node:http`. */
export function toRequestListener(fetch: (request: Request) => Promise<Response>): RequestListener {
  const handle = toNodeHandler({ fetch });
  type NodeRequest = Parameters<typeof handle>[0];
  return (request, response) => void handle(request as NodeRequest, response);
}

function refuse(status: number, message: string, headers: Record<string, string> = {}): Response {
  return Response.json({ jsonrpc: "2.0", error: { code: -32_000, message }, id: null }, { status, headers });
}
