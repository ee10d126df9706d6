import type { BackgroundJobSettings } from "../config/background-job.ts";
import { buildBackgroundJobServer } from "../faces/mcp/background-job/background-job-server.ts";
import { buildCoreServer } from "../faces/mcp/core/core-server.ts";
import { createMcpEndpoint, type McpEndpoint } from "../faces/mcp/endpoint.ts";
import type { McpProfile } from "../faces/mcp/profiles.ts";
import type { Engine } from "../engine/engine.ts";
import type { ServerFacts } from "../operations/operation.ts";

interface EndpointParts {
  readonly backgroundJob: BackgroundJobSettings;
  readonly engine: Engine;
  readonly server: ServerFacts;
  readonly onFault: (error: Error) => void;
}

/** One endpoint per profile: the same jobs, under the names that its clients know. */
export function createMcpEndpoints(parts: EndpointParts): Record<McpProfile, McpEndpoint> {
  const { engine, server, onFault, backgroundJob } = parts;
  return {
    core: createMcpEndpoint({ engine, onFault, build: (context) => buildCoreServer(context, server) }),
    "background-job": createMcpEndpoint({
      engine,
      onFault,
      build: (context) => buildBackgroundJobServer(context, server, backgroundJob),
    }),
  };
}
