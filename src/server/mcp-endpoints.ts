import type { McpServer } from "@modelcontextprotocol/server";
import { profilesIn, type Profile, type ProfileSet } from "../config/profiles.ts";
import type { Engine } from "../engine/engine.ts";
import type { JobsContext } from "../faces/mcp/connection.ts";
import { createMcpEndpoint, type McpEndpoint } from "../faces/mcp/endpoint.ts";
import { backgroundJobProfile } from "../faces/profiles/background-job/background-job-profile.ts";
import { combineProfiles } from "../faces/profiles/combine-profiles.ts";
import { coreProfile } from "../faces/profiles/core/core-profile.ts";
import { mcpTaskProfile } from "../faces/profiles/mcp-task/mcp-task-profile.ts";
import type { McpProfile, ProfileParts } from "../faces/profiles/profile.ts";
import { reftrixProfile } from "../faces/profiles/reftrix/reftrix-profile.ts";
import { runpodProfile } from "../faces/profiles/runpod/runpod-profile.ts";
import { scheduleProfile } from "../faces/profiles/schedule/schedule-profile.ts";
import { searchclawProfile } from "../faces/profiles/searchclaw/searchclaw-profile.ts";
import { defined } from "../job/defined.ts";
import type { ServerFacts } from "../operations/operation.ts";
import { asSeenBy } from "./client-reader.ts";

interface EndpointParts extends ProfileParts {
  readonly engine: Engine;
  readonly onFault: (error: Error) => void;
  /** Tells this server from others behind the same address. */
  readonly serverName?: string;
}

const mcpProfiles: Readonly<Record<Profile, McpProfile>> = {
  core: coreProfile,
  "background-job": backgroundJobProfile,
  "mcp-task": mcpTaskProfile,
  runpod: runpodProfile,
  searchclaw: searchclawProfile,
  reftrix: reftrixProfile,
  schedule: scheduleProfile,
};

/** The same jobs, under the names that clients know: an endpoint for each profile, or for several at once, that is asked for. */
export interface McpEndpoints {
  /** Refuses profiles that cannot be served together. */
  readonly get: (set: ProfileSet) => McpEndpoint;
  readonly onceOnlyTools: (set: ProfileSet) => readonly string[];
  readonly close: () => Promise<void>;
}

export function createMcpEndpoints({ engine, onFault, serverName, ...parts }: EndpointParts): McpEndpoints {
  const endpoints = new Map<ProfileSet, { endpoint: McpEndpoint; profile: McpProfile }>();
  const open = (set: ProfileSet): { endpoint: McpEndpoint; profile: McpProfile } => {
    const profile = toProfile(set, parts.server, engine.kinds);
    const build = (context: JobsContext): McpServer => profile.build(context, partsFor(context, parts));
    return { endpoint: createMcpEndpoint({ engine, onFault, build, ...defined({ serverName }) }), profile };
  };
  const find = (set: ProfileSet): { endpoint: McpEndpoint; profile: McpProfile } => {
    const found = endpoints.get(set) ?? open(set);
    endpoints.set(set, found);
    return found;
  };
  return {
    get: (set) => find(set).endpoint,
    onceOnlyTools: (set) => find(set).profile.onceOnlyTools,
    close: async () => {
      await Promise.all([...endpoints.values()].map(({ endpoint }) => endpoint.close()));
    },
  };
}

function toProfile(set: ProfileSet, server: ServerFacts, kinds: Engine["kinds"]): McpProfile {
  const names = profilesIn(set);
  const [only = "core"] = names;
  if (names.length === 1) return mcpProfiles[only];
  return combineProfiles(
    names.map((name) => [name, mcpProfiles[name]]),
    (profile) => profile.startTools?.(server, kinds) ?? [],
  );
}

/** A client that brings settings and keys sees a server that has them. */
function partsFor({ actor, settings }: JobsContext, parts: ProfileParts): ProfileParts {
  if (settings === undefined) return parts;
  return { server: asSeenBy(parts.server, actor.client, settings), backgroundJob: settings.backgroundJob };
}
