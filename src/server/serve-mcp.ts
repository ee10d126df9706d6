import { existsSync } from "node:fs";
import { join } from "node:path";
import type { BackgroundJobSettings } from "../config/background-job.ts";
import { profiles, type Profile } from "../config/profiles.ts";
import type { Actor } from "../engine/access.ts";
import type { Engine } from "../engine/engine.ts";
import type { Entrance, Exchange, Target } from "../faces/door/door.ts";
import type { McpEndpoint } from "../faces/mcp/endpoint.ts";
import type { Snapshot } from "../faces/mcp/front/snapshot.ts";
import type { serveSocket as ServeSocket } from "../faces/mcp/protocol/stdio.ts";
import type { ServerFacts } from "../operations/operation.ts";
import type { ClientReader } from "./client-reader.ts";
import { serveFronts, type FrontService } from "./serve-fronts.ts";

interface McpParts {
  readonly engine: Engine;
  readonly server: ServerFacts;
  /** Where each profile is served to fronts on this machine. */
  readonly sockets: Readonly<Record<Profile, string>>;
  /** Where fronts find what the server answers to a client's first questions. */
  readonly snapshots: string;
  readonly backgroundJob: BackgroundJobSettings;
  /** Reads what fronts tell of their clients. */
  readonly clients: ClientReader;
  readonly onFault: (error: Error) => void;
}

export interface McpService {
  readonly entrance: Entrance;
  readonly stop: () => Promise<void>;
}

/** The user of this machine, who sees all jobs: the sockets are theirs alone. */
const localUser: Actor = { by: "local (mcp)" };

/**
 * Serves MCP: to fronts on a local socket per profile, and over HTTP under /mcp. The protocol's code is loaded after the server has
 * begun to listen, because commands that start a server wait for it.
 */
export async function serveMcp(parts: McpParts): Promise<McpService> {
  const faces = loadFaces(parts);
  const { version } = parts.server;
  const fronts = await serveFronts({
    sockets: parts.sockets,
    snapshots: parts.snapshots,
    version,
    readCaller: (profile, client) => ({
      actor: { ...localUser, client: parts.clients.defaults(client) },
      isIdentified: true,
      settings: parts.clients.settings(profile, client),
    }),
    takeSnapshot: async (profile) => (await faces()).takeSnapshot(profile),
    serve: async (profile, socket, caller) => {
      const { endpoints, serveSocket } = await faces();
      serveSocket(endpoints[profile], socket, caller);
    },
  });
  setImmediate(() => void publishUsed(parts, fronts).catch(parts.onFault));
  const toTarget = (profile: Profile): Target => ({
    route: `/mcp/${profile}`,
    scope: "read",
    answer: async (exchange) => (await faces()).answer(profile, exchange),
  });
  const targets = new Map(profiles.map((profile) => [`/mcp/${profile}`, toTarget(profile)]));
  const find = (path: string): Target | undefined => targets.get(path === "/mcp" ? "/mcp/core" : path);
  return {
    entrance: {
      name: "mcp",
      errorForm: "jsonRpc",
      find: (_request, path) => (path.startsWith("/mcp") ? find(path.replace(/\/$/, "")) : undefined),
    },
    stop: async () => {
      fronts.sayGoodbye();
      const { endpoints } = await faces();
      await Promise.all(Object.values(endpoints).map((endpoint) => endpoint.close()));
      await fronts.stop();
    },
  };
}

/** A configuration may have changed since the last server: clients that come must not hear what that one had to offer. */
async function publishUsed({ snapshots }: McpParts, fronts: FrontService): Promise<void> {
  const used = profiles.filter((profile) => profile === "core" || existsSync(join(snapshots, `${profile}.json`)));
  for (const profile of used) await fronts.publish(profile);
}

interface Faces {
  readonly endpoints: Record<Profile, McpEndpoint>;
  readonly answer: (profile: Profile, exchange: Exchange) => Promise<undefined>;
  readonly serveSocket: typeof ServeSocket;
  readonly takeSnapshot: (profile: Profile) => Promise<Snapshot>;
}

function loadFaces(parts: McpParts): () => Promise<Faces> {
  const load = async (): Promise<Faces> => {
    const [{ createMcpEndpoints, mcpProfiles }, { answerMcp }, { serveSocket }, { takeSnapshot }] = await Promise.all([
      import("./mcp-endpoints.ts"),
      import("../faces/mcp/protocol/http.ts"),
      import("../faces/mcp/protocol/stdio.ts"),
      import("../faces/mcp/front/take-snapshot.ts"),
    ]);
    const endpoints = createMcpEndpoints(parts);
    const { version } = parts.server;
    return {
      endpoints,
      serveSocket,
      answer: (profile, exchange) => answerMcp(endpoints[profile], exchange),
      takeSnapshot: (profile) =>
        takeSnapshot(endpoints[profile], { version, onceOnly: mcpProfiles[profile].onceOnlyTools }),
    };
  };
  let faces: Promise<Faces> | undefined;
  return () => (faces ??= load());
}
