import type { McpServer } from "@modelcontextprotocol/server";
import type { BackgroundJobSettings } from "../config/background-job.ts";
import type { Profile } from "../config/profiles.ts";
import type { Engine } from "../engine/engine.ts";
import { buildBackgroundJobServer } from "../faces/mcp/background-job/background-job-server.ts";
import type { JobsContext } from "../faces/mcp/connection.ts";
import { buildCoreServer } from "../faces/mcp/core/core-server.ts";
import { createMcpEndpoint, type McpEndpoint } from "../faces/mcp/endpoint.ts";
import { buildMcpTaskServer } from "../faces/mcp/mcp-task/mcp-task-server.ts";
import { buildReftrixServer } from "../faces/mcp/reftrix/reftrix-server.ts";
import { buildRunpodServer } from "../faces/mcp/runpod/runpod-server.ts";
import { buildSearchclawServer } from "../faces/mcp/searchclaw/searchclaw-server.ts";
import type { ServerFacts } from "../operations/operation.ts";

interface EndpointParts {
  readonly backgroundJob: BackgroundJobSettings;
  readonly engine: Engine;
  readonly server: ServerFacts;
  readonly onFault: (error: Error) => void;
}

/** How each profile builds a server. */
const builders: Readonly<Record<Profile, (context: JobsContext, parts: EndpointParts) => McpServer>> = {
  core: (context, { server }) => buildCoreServer(context, server),
  "background-job": (context, { server, backgroundJob }) => buildBackgroundJobServer(context, server, backgroundJob),
  "mcp-task": (context, { server }) => buildMcpTaskServer(context, server),
  runpod: (context, { server }) => buildRunpodServer(context, server),
  searchclaw: (context, { server }) => buildSearchclawServer(context, server),
  reftrix: (context, { server }) => buildReftrixServer(context, server),
};

/** One endpoint per profile: the same jobs, under the names that its clients know. */
export function createMcpEndpoints(parts: EndpointParts): Record<Profile, McpEndpoint> {
  const { engine, onFault } = parts;
  const endpoints = Object.entries(builders).map(([profile, build]) => [
    profile,
    createMcpEndpoint({ engine, onFault, build: (context) => build(context, parts) }),
  ]);
  return Object.fromEntries(endpoints) as Record<Profile, McpEndpoint>;
}
