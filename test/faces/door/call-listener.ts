import type { RequestListener } from "node:http";
import { createCallEntrance } from "../../../src/faces/door/call-entrance.ts";
import { Door } from "../../../src/faces/door/door.ts";
import { createOwnGatekeeper } from "../../../src/faces/door/gatekeeper.ts";
import type { OperationContext } from "../../../src/operations/operation.ts";
import { operations } from "../../../src/operations/registry.ts";

/** The local socket's side of a server: everybody who comes may do everything. */
export function listenToCalls(context: Pick<OperationContext, "engine" | "server">): RequestListener {
  const entrances = [createCallEntrance({ operations, context })];
  const onFault = (error: unknown): void => console.error(error);
  return new Door({ gatekeeper: createOwnGatekeeper({}, () => ({ actor: {} })), entrances, onFault }).listener;
}
