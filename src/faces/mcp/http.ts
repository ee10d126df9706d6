import type { RequestListener } from "node:http";
import { toNodeHandler } from "@modelcontextprotocol/node";
import {
  hostHeaderValidationResponse,
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  originValidationResponse,
} from "@modelcontextprotocol/server";
import type { Caller, McpEndpoint } from "./endpoint.ts";

export interface McpHttpOptions {
  /** Who a bearer token stands for, or a request without one; undefined refuses it. */
  readonly authenticate: (token: string | undefined) => Caller | undefined;
  /** Host names that requests may be meant for; those of this machine unless given. */
  readonly hosts?: readonly string[];
  /** Host names of the web pages that may ask; those of this machine unless given. */
  readonly origins?: readonly string[];
}

/** Lets in who was meant to come to this address, from no foreign web page, with a token that stands for somebody. */
export function guardMcp(endpoint: McpEndpoint, options: McpHttpOptions): (request: Request) => Promise<Response> {
  const hosts = [...(options.hosts ?? localhostAllowedHostnames())];
  const origins = [...(options.origins ?? localhostAllowedOrigins())];
  return async (request) => {
    const misled = hostHeaderValidationResponse(request, hosts) ?? originValidationResponse(request, origins);
    if (misled !== undefined) return misled;
    const [, token] = /^Bearer +(\S+)$/i.exec(request.headers.get("authorization") ?? "") ?? [];
    const caller = options.authenticate(token);
    return caller === undefined ? refuseToken(token) : endpoint.fetch(request, caller);
  };
}

/** For `node:http`. */
export function toRequestListener(fetch: (request: Request) => Promise<Response>): RequestListener {
  const handle = toNodeHandler({ fetch });
  type NodeRequest = Parameters<typeof handle>[0];
  return (request, response) => void handle(request as NodeRequest, response);
}

function refuseToken(token: string | undefined): Response {
  const message = token === undefined ? "Send a token: Authorization: Bearer …" : "The token is not known here.";
  const challenge = token === undefined ? "Bearer" : 'Bearer error="invalid_token"';
  return Response.json(
    { jsonrpc: "2.0", error: { code: -32_000, message }, id: null },
    { status: 401, headers: { "www-authenticate": challenge } },
  );
}
