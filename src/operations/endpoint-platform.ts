import { demand, demandAllOwners, demandKind } from "../engine/access.ts";
import type { Json } from "../job/json.ts";
import { requireEndpoints } from "./endpoint.ts";
import type { Endpoints, PublicEndpointFacts, WorkerLogQuery } from "./endpoints.ts";
import type { OperationContext } from "./operation.ts";

/**
 * Asks an endpoint's platform about a job that was submitted elsewhere, or tells it what to do with it. Such jobs have no
 * owner here, so it is for those who see the jobs of all.
 */
export async function relayJob(
  context: OperationContext,
  { endpoint, verb, id }: { endpoint: string; verb: Parameters<Endpoints["relay"]>[1]; id: string },
): Promise<Record<string, Json>> {
  demand(context.actor, verb === "cancel" || verb === "retry" ? "run" : "read");
  demandAllOwners(context.actor);
  return requireEndpoints(context).relay(endpoint, verb, id);
}

export async function listRemoteEndpoints(context: OperationContext): Promise<readonly Record<string, Json>[]> {
  demand(context.actor, "read");
  return requireEndpoints(context).listRemote();
}

export async function listEndpointWorkers(context: OperationContext, endpoint: string): Promise<Record<string, Json>> {
  demand(context.actor, "read");
  return requireEndpoints(context).listWorkers(endpoint);
}

/** Workers write of everybody's jobs. */
export async function readWorkerLogs(
  context: OperationContext,
  endpoint: string,
  query: WorkerLogQuery,
): ReturnType<Endpoints["workerLogs"]> {
  demand(context.actor, "read");
  demandAllOwners(context.actor);
  return requireEndpoints(context).workerLogs(endpoint, query);
}

export async function listPublicEndpoints(context: OperationContext): Promise<readonly PublicEndpointFacts[]> {
  demandKind(context.actor, "endpoint");
  return requireEndpoints(context).publicEndpoints();
}
