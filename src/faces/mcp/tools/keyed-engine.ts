import type { ServerContext } from "@modelcontextprotocol/server";
import type { Engine } from "../../../engine/engine.ts";
import type { SubmitRequest } from "../../../engine/submit.ts";
import { callKeyName } from "../front/pending-requests.ts";

/**
 * The engine for one tool call. If the front has named the call, whatever it starts is started once, also when the front makes it
 * again because the server died in the middle of it. A call starts its jobs in the same order each time.
 */
export function engineForCall(engine: Engine, { mcpReq }: ServerContext): Engine {
  const callKey = mcpReq._meta?.[callKeyName];
  if (typeof callKey !== "string" || callKey.length > 150) return engine;
  let count = 0;
  const withKey = (request: SubmitRequest): SubmitRequest => {
    const idempotencyKey = request.idempotencyKey ?? `call/${callKey}/${++count}`;
    return { ...request, idempotencyKey };
  };
  return {
    ...engine,
    submit: (request, actor) => engine.submit(withKey(request), actor),
    submitMany: (requests, actor) => engine.submitMany(requests.map(withKey), actor),
    submitKeyed: (requests, actor) => engine.submitKeyed(requests.map(withKey), actor),
  };
}
