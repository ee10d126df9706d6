import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createRequestStateCodec, McpServer } from "@modelcontextprotocol/server";
import { type Engine } from "../../src/index.ts";
import {
  createMcpEndpoint,
  guardMcp,
  serveJobs,
  toRequestListener,
  type JobsContext,
  type McpEndpoint,
} from "../../src/mcp.ts";
import { patience } from "../../src/faces/door/listen.ts";
import { registerAskingTools, registerOlderAskingTools } from "./asking-tools.ts";
import { registerJobTools } from "./job-tools.ts";
import { registerPlainTools } from "./plain-tools.ts";
import { registerPrompts, registerResources } from "./prompts-and-resources.ts";

/** The server that the conformance suite and the official clients are let loose on: the library, with the suite's fixtures. */
export function createFixtureEndpoint(engine: Engine): McpEndpoint {
  const codec = createRequestStateCodec({ key: "a key that only tests know, long enough" });
  const build = (context: JobsContext): McpServer => {
    const mcp = new McpServer(
      { name: "longhaul-conformance", version: "0.0.0" },
      { capabilities: { logging: {} }, requestState: { verify: (state, request) => codec.verify(state, request) } },
    );
    registerJobTools(serveJobs(mcp, context));
    if (context.isTaskRequest) return mcp;
    registerPlainTools(mcp);
    registerAskingTools(mcp, codec);
    registerOlderAskingTools(mcp);
    registerResources(mcp, context.era);
    registerPrompts(mcp);
    const trigger = (name: string, change: () => void): void => {
      mcp.registerTool(name, { description: "Says that something has changed" }, () => {
        change();
        return { content: [{ type: "text", text: "changed" }] };
      });
    };
    trigger("test_trigger_tool_change", () => endpoint.notify.toolsChanged());
    trigger("test_trigger_prompt_change", () => endpoint.notify.promptsChanged());
    return mcp;
  };
  const endpoint = createMcpEndpoint({ engine, build, onFault: () => undefined });
  return endpoint;
}

export interface FixtureServer {
  readonly url: string;
  readonly close: () => Promise<void>;
}

/** Listens on this machine; without tokens everybody is the same nobody. */
export async function listenForTests(
  endpoint: McpEndpoint,
  owners: ReadonlyMap<string, string> = new Map(),
): Promise<FixtureServer> {
  const fetch = guardMcp(endpoint, {
    authenticate: (token) => {
      if (owners.size === 0) return { actor: {}, isIdentified: false };
      const owner = owners.get(token ?? "");
      return owner === undefined ? undefined : { actor: { owner, by: owner }, isIdentified: true };
    },
  });
  const server = createServer(patience, toRequestListener(fetch));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const close = async (): Promise<void> => {
    await endpoint.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return { url: `http://127.0.0.1:${port}/mcp`, close };
}
