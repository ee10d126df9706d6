import { createHash } from "node:crypto";
import { InMemoryTransport, SUPPORTED_PROTOCOL_VERSIONS } from "@modelcontextprotocol/server";
import { messageOf } from "../../../job/failure.ts";
import type { McpEndpoint } from "../endpoint.ts";
import { modernRevision } from "./message.ts";
import type { Snapshot } from "./snapshot.ts";

/** What is offered first does not depend on who asks, but for the list of tasks: fronts are told apart. */
const anybodyHere = { actor: {}, isIdentified: true };
const clientInfo = { name: "longhaul", version: "0" };
const modernMeta = {
  "io.modelcontextprotocol/protocolVersion": modernRevision,
  "io.modelcontextprotocol/clientInfo": clientInfo,
  "io.modelcontextprotocol/clientCapabilities": {},
};

/** Asks a server what a client asks first, in every revision, for fronts to answer in its stead. */
export async function takeSnapshot(
  endpoint: McpEndpoint,
  facts: Pick<Snapshot, "version" | "onceOnly">,
): Promise<Snapshot> {
  const [defaultRevision = ""] = SUPPORTED_PROTOCOL_VERSIONS;
  const initialize: Record<string, unknown> = {};
  let legacyTools: unknown;
  for (const protocolVersion of SUPPORTED_PROTOCOL_VERSIONS) {
    const params = { protocolVersion, capabilities: {}, clientInfo };
    const isNewest = protocolVersion === defaultRevision;
    const requests: Ask[] = [["initialize", params], ...(isNewest ? [["tools/list", {}] satisfies Ask] : [])];
    const [first, tools] = await askAll(endpoint, requests);
    initialize[protocolVersion] = first;
    legacyTools = tools ?? legacyTools;
  }
  const modern = { _meta: modernMeta };
  const [discover, tools] = await askAll(endpoint, [
    ["server/discover", modern],
    ["tools/list", modern],
  ]);
  const said = { ...facts, discover, tools, initialize, defaultRevision, legacyTools };
  return { ...said, digest: createHash("sha256").update(JSON.stringify(said)).digest("hex").slice(0, 32) };
}

type Ask = [method: string, params: Record<string, unknown>];

interface Reply {
  readonly id?: unknown;
  readonly result?: unknown;
  readonly error?: unknown;
}

/** The results of requests on one connection, one after the other. */
async function askAll(endpoint: McpEndpoint, requests: readonly Ask[]): Promise<unknown[]> {
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  const connection = endpoint.connect(theirs, anybodyHere);
  await ours.start();
  try {
    const results: unknown[] = [];
    for (const [id, [method, params]] of requests.entries()) {
      const replied = new Promise<Reply>((resolve) => {
        const take = (message: object): void => {
          if ("id" in message && message.id === id && !("method" in message)) resolve(message);
        };
        Object.assign(ours, { onmessage: take });
      });
      await ours.send({ jsonrpc: "2.0", id, method, params });
      const { result, error } = await replied;
      if (error !== undefined) throw new Error(`${method} was answered with ${messageOf(error)}`);
      results.push(result);
    }
    return results;
  } finally {
    await connection.close();
  }
}
