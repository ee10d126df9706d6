import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { Actor } from "../engine/access.ts";
import type { Gatekeeper } from "../faces/access/gatekeeper.ts";
import type { Refusal } from "../faces/admission.ts";

/** Serves one request on behalf of somebody. */
export type ActorListener = (request: IncomingMessage, response: ServerResponse, actor: Actor) => void;

/** Lets the gatekeeper decide, and serves those who are let in. */
export function guard(gatekeeper: Gatekeeper, door: "http" | "mcp", serve: ActorListener): RequestListener {
  const unsure: Refusal = { status: 503, message: "Who asks cannot be found out now; try again later." };
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const admission = await gatekeeper.admit(request, door).catch(() => ({ refusal: unsure }));
    if ("actor" in admission) serve(request, response, admission.actor);
    else refuse(response, door, admission.refusal);
  };
  return (request, response) => void answer(request, response);
}

function refuse(response: ServerResponse, door: "http" | "mcp", refusal: Refusal): void {
  const { status, message, retryAfterSeconds } = refusal;
  const body =
    door === "mcp"
      ? { jsonrpc: "2.0", error: { code: -32_000, message }, id: null }
      : { error: { code: "not_allowed", message } };
  response.writeHead(status, {
    "content-type": "application/json",
    ...(status === 401 ? { "www-authenticate": "Bearer" } : {}),
    ...(retryAfterSeconds === undefined ? {} : { "retry-after": String(retryAfterSeconds) }),
  });
  response.end(JSON.stringify(body));
}
