import type { McpServer, ServerContext } from "@modelcontextprotocol/server";
import { fileURLToPath } from "node:url";
import type { Actor } from "../../../engine/access.ts";
import type { JobsContext } from "../connection.ts";

/** Who calls, with the folder that the client works in. */
export type ActorFor = (request: ServerContext) => Promise<Actor>;

const patienceMs = 2_000;

/**
 * Finds the folder of a client that is not on a local socket, where it would have said so by itself: the first of its roots. It is
 * asked once in a session; only revisions before 2026-07-28 let a server ask without involving a person or a model.
 */
export function createActorFor(mcp: McpServer, { actor, era }: JobsContext): ActorFor {
  let asking: Promise<string | undefined> | undefined;
  return async (request) => {
    const canAsk = era === "legacy" && mcp.server.getClientCapabilities()?.roots !== undefined;
    if (actor.client !== undefined || !canAsk) return actor;
    const cwd = await (asking ??= askForRoot(request));
    return cwd === undefined ? actor : { ...actor, client: { cwd } };
  };
}

/** Undefined if the client does not answer in time, or has no folder. */
async function askForRoot({ mcpReq }: ServerContext): Promise<string | undefined> {
  try {
    const { roots } = await mcpReq.send({ method: "roots/list" }, { timeout: patienceMs });
    const folder = roots.find(({ uri }) => uri.startsWith("file:"));
    return folder === undefined ? undefined : fileURLToPath(folder.uri);
  } catch {
    return undefined;
  }
}
