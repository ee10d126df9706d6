import type { McpServer } from "@modelcontextprotocol/server";
import type { BackgroundJobSettings } from "../config/background-job.ts";
import { buildBackgroundJobServer } from "../faces/mcp/background-job/background-job-server.ts";
import { buildCoreServer } from "../faces/mcp/core/core-server.ts";
import type { JobsContext } from "../faces/mcp/connection.ts";
import { createMcpEndpoint, type McpEndpoint } from "../faces/mcp/endpoint.ts";
import { buildMcpTaskServer } from "../faces/mcp/mcp-task/mcp-task-server.ts";
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
  const open = (build: (context: JobsContext) => McpServer): McpEndpoint =>
    createMcpEndpoint({ engine, onFault, build });
  return {
    core: open((context) => buildCoreServer(context, server)),
    "background-job": open((context) => buildBackgroundJobServer(context, server, backgroundJob)),
    "mcp-task": open((context) => buildMcpTaskServer(context, server)),
  };
}
