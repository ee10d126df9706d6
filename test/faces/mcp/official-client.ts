import {
  Client,
  StreamableHTTPClientTransport,
  type JSONRPCMessage,
  type Transport,
} from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import {
  createTaskSessionFromClient,
  type JsonRpcResponse,
  type RawClientDispatch,
  type TaskEnabledSession,
} from "@modelcontextprotocol/ext-tasks/client";
import type { McpWorld } from "./world.ts";

export type Era = "modern" | "legacy";
export type Wire = "http" | "stdio";

export const combinations = (["http", "stdio"] as const).flatMap((wire) =>
  (["modern", "legacy"] as const).map((era) => ({ wire, era })),
);

const clientInfo = { name: "longhaul-tests", version: "0.0.0" };
const capabilities = { elicitation: { form: {} }, extensions: { "io.modelcontextprotocol/tasks": {} } };

export type Answers = (message: string) => Record<string, string | boolean>;

export interface OfficialClient {
  readonly client: Client;
  readonly session: TaskEnabledSession;
  /** Sends a request as it stands and gives back the answer as it came. */
  readonly raw: (method: string, params: Record<string, string>) => Promise<JsonRpcResponse>;
  readonly close: () => Promise<void>;
}

/** The official client with the official support for tasks. */
export async function connectOfficial(
  world: Pick<McpWorld, "url" | "front">,
  { wire, era, answers = () => ({}), token = "ada-token" }: { wire: Wire; era: Era; answers?: Answers; token?: string },
): Promise<OfficialClient> {
  const declared = era === "modern" ? capabilities : { elicitation: { form: {} } };
  const options = era === "modern" ? ({ versionNegotiation: { mode: "auto" } } as const) : {};
  const client = new Client(clientInfo, { capabilities: declared, ...options });
  const transport = openTransport(world, wire, token);
  await client.connect(transport);
  const dispatch = takeOver(transport);
  const framing = { protocolVersion: "2026-07-28", clientInfo, clientCapabilities: capabilities };
  const session = createTaskSessionFromClient(client, {
    endpointId: "longhaul-tests",
    onInputRequest: async (request: { params?: { message?: string } }) => ({
      action: "accept" as const,
      content: answers(request.params?.message ?? ""),
    }),
    ...(era === "modern" ? { rawDispatch: dispatch, v2RequestFraming: framing } : {}),
  } as Parameters<typeof createTaskSessionFromClient<void>>[1]);
  const meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": clientInfo,
    "io.modelcontextprotocol/clientCapabilities": capabilities,
  };
  return {
    client,
    session,
    raw: (method, params) => dispatch({ method, params: { _meta: era === "modern" ? meta : {}, ...params } }),
    close: async () => {
      await session.close();
      await client.close();
    },
  };
}

export function openTransport(world: Pick<McpWorld, "url" | "front">, wire: Wire, token: string): Transport {
  if (wire === "stdio") return new StdioClientTransport({ ...world.front, stderr: "pipe" });
  const headers = { authorization: `Bearer ${token}` };
  return new StreamableHTTPClientTransport(new URL(world.url), { requestInit: { headers } });
}

/** Requests with ids of our own, whose answers we take before the client sees them. */
function takeOver(transport: Transport): RawClientDispatch {
  const pending = new Map<unknown, (response: JsonRpcResponse) => void>();
  const inner = transport.onmessage?.bind(transport);
  Object.assign(transport, {
    onmessage: (message: JSONRPCMessage, extra: never) => {
      const answer = message as { id?: unknown; result?: never; error?: never; method?: string };
      const resolve = answer.method === undefined ? pending.get(answer.id) : undefined;
      if (resolve === undefined) return inner?.(message, extra);
      pending.delete(answer.id);
      return resolve(
        answer.error === undefined
          ? { kind: "result", result: answer.result ?? {} }
          : { kind: "error", error: answer.error },
      );
    },
  });
  let last = 0;
  return (request) =>
    new Promise((resolve, reject) => {
      last += 1;
      const id = `raw-${last}`;
      pending.set(id, resolve);
      transport.send({ jsonrpc: "2.0", id, ...(request as object) } as JSONRPCMessage).catch((error: Error) => {
        pending.delete(id);
        reject(error);
      });
    });
}
