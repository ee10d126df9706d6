import { existsSync, readdirSync } from "node:fs";
import type { BackgroundJobSettings } from "../config/background-job.ts";
import { readProfileSet, type Profile, type ProfileSet } from "../config/profiles.ts";
import type { Actor } from "../engine/access.ts";
import type { Engine } from "../engine/engine.ts";
import type { Entrance, Exchange, Target } from "../faces/door/door.ts";
import type { Snapshot } from "../faces/mcp/front/snapshot.ts";
import type { serveSocket as ServeSocket } from "../faces/mcp/protocol/stdio.ts";
import { LonghaulError } from "../job/error.ts";
import { messageOf } from "../job/failure.ts";
import type { ServerFacts } from "../operations/operation.ts";
import type { ClientReader } from "./client-reader.ts";
import type { McpEndpoints } from "./mcp-endpoints.ts";
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
  /** Tells this server from others behind the same address. */
  readonly serverName?: string;
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
    readCaller: (set, client) => ({
      actor: { ...localUser, client: parts.clients.defaults(client) },
      isIdentified: true,
      settings: parts.clients.settings(set, client),
    }),
    takeSnapshot: async (set) => (await faces()).takeSnapshot(set),
    serve: async (set, socket, caller) => {
      const { endpoints, serveSocket } = await faces();
      serveSocket(endpoints.get(set), socket, caller);
    },
  });
  setImmediate(() => void publishUsed(parts, fronts).catch(parts.onFault));
  const toTarget = (set: ProfileSet): Target => ({
    route: `/mcp/${set}`,
    scope: "read",
    answer: async (exchange) => (await faces()).answer(set, exchange),
  });
  return {
    entrance: {
      name: "mcp",
      errorForm: "jsonRpc",
      find: (_request, path) => {
        const [isOurs, names = "core"] = /^\/mcp(?:\/([^/]+))?\/?$/.exec(path) ?? [];
        return isOurs === undefined ? undefined : findSet(names, toTarget);
      },
    },
    stop: async () => {
      fronts.sayGoodbye();
      const { endpoints } = await faces();
      await endpoints.close();
      await fronts.stop();
    },
  };
}

/** What `/mcp/NAMES` leads to. */
function findSet(names: string, toTarget: (set: ProfileSet) => Target): Target {
  try {
    return toTarget(readProfileSet(names.replaceAll(/%2c/gi, ",")));
  } catch (error) {
    const refuse = (): never => {
      throw new LonghaulError("not_found", messageOf(error), { cause: error });
    };
    return { route: "/mcp", scope: "read", answer: async () => refuse() };
  }
}

/** A configuration may have changed since the last server: clients that come must not hear what that one had to offer. */
async function publishUsed({ snapshots }: McpParts, fronts: FrontService): Promise<void> {
  const used = new Set<ProfileSet>(["core", ...readUsed(snapshots)]);
  for (const set of used) await fronts.publish(set);
}

/** Those of profiles that are no more, and of other versions' sets, are nobody's. */
function readUsed(folder: string): ProfileSet[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder).flatMap((file) => {
    try {
      return file.endsWith(".json") ? [readProfileSet(file.slice(0, -".json".length))] : [];
    } catch {
      return [];
    }
  });
}

interface Faces {
  readonly endpoints: McpEndpoints;
  readonly answer: (set: ProfileSet, exchange: Exchange) => Promise<undefined>;
  readonly serveSocket: typeof ServeSocket;
  readonly takeSnapshot: (set: ProfileSet) => Promise<Snapshot>;
}

function loadFaces(parts: McpParts): () => Promise<Faces> {
  const load = async (): Promise<Faces> => {
    const [{ createMcpEndpoints }, { answerMcp }, { serveSocket }, { takeSnapshot }] = await Promise.all([
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
      answer: (set, exchange) => answerMcp(endpoints.get(set), exchange),
      takeSnapshot: async (set) =>
        takeSnapshot(endpoints.get(set), { version, onceOnly: endpoints.onceOnlyTools(set) }),
    };
  };
  let faces: Promise<Faces> | undefined;
  return () => (faces ??= load());
}
