import type { Profile } from "../config/profiles.ts";
import type { Engine } from "../engine/engine.ts";
import type { JobsContext } from "../faces/mcp/connection.ts";
import { createMcpEndpoint, type McpEndpoint } from "../faces/mcp/endpoint.ts";
import { backgroundJobProfile } from "../faces/profiles/background-job/background-job-profile.ts";
import { coreProfile } from "../faces/profiles/core/core-profile.ts";
import { mcpTaskProfile } from "../faces/profiles/mcp-task/mcp-task-profile.ts";
import type { McpProfile, ProfileParts } from "../faces/profiles/profile.ts";
import { reftrixProfile } from "../faces/profiles/reftrix/reftrix-profile.ts";
import { runpodProfile } from "../faces/profiles/runpod/runpod-profile.ts";
import { scheduleProfile } from "../faces/profiles/schedule/schedule-profile.ts";
import { searchclawProfile } from "../faces/profiles/searchclaw/searchclaw-profile.ts";
import { asSeenBy } from "./client-reader.ts";

interface EndpointParts extends ProfileParts {
  readonly engine: Engine;
  readonly onFault: (error: Error) => void;
}

export const mcpProfiles: Readonly<Record<Profile, McpProfile>> = {
  core: coreProfile,
  "background-job": backgroundJobProfile,
  "mcp-task": mcpTaskProfile,
  runpod: runpodProfile,
  searchclaw: searchclawProfile,
  reftrix: reftrixProfile,
  schedule: scheduleProfile,
};

/** One endpoint per profile: the same jobs, under the names that its clients know. */
export function createMcpEndpoints({ engine, onFault, ...parts }: EndpointParts): Record<Profile, McpEndpoint> {
  const endpoints = Object.entries(mcpProfiles).map(([name, profile]) => [
    name,
    createMcpEndpoint({ engine, onFault, build: (context) => profile.build(context, partsFor(context, parts)) }),
  ]);
  return Object.fromEntries(endpoints) as Record<Profile, McpEndpoint>;
}

/** A client that brings settings and keys sees a server that has them. */
function partsFor({ actor, settings }: JobsContext, parts: ProfileParts): ProfileParts {
  if (settings === undefined) return parts;
  return { server: asSeenBy(parts.server, actor.client, settings), backgroundJob: settings.backgroundJob };
}
