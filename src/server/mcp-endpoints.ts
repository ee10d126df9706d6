import { buildCoreServer } from "../faces/mcp/core/core-server.ts";
import { createMcpEndpoint, type McpEndpoint } from "../faces/mcp/endpoint.ts";
import type { Engine } from "../engine/engine.ts";
import type { ServerFacts } from "../operations/operation.ts";

interface EndpointParts {
  readonly engine: Engine;
  readonly server: ServerFacts;
  readonly onFault: (error: Error) => void;
}

/** One endpoint per profile: the same jobs, under the names that its clients know. */
export function createMcpEndpoints({ engine, server, onFault }: EndpointParts): Record<"core", McpEndpoint> {
  return {
    core: createMcpEndpoint({ engine, onFault, build: (context) => buildCoreServer(context, server) }),
  };
}

export type McpProfile = keyof ReturnType<typeof createMcpEndpoints>;
