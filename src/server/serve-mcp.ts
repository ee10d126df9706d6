import { chmodSync, rmSync } from "node:fs";
import type { RequestListener } from "node:http";
import { createServer, type Server, type Socket } from "node:net";
import type { BackgroundJobSettings } from "../config/background-job.ts";
import type { Profile } from "../config/profiles.ts";
import type { Engine } from "../engine/engine.ts";
import type { Gatekeeper } from "../faces/access/gatekeeper.ts";
import type { Caller, McpEndpoint } from "../faces/mcp/endpoint.ts";
import type { serveSocket as ServeSocket } from "../faces/mcp/stdio.ts";
import type { ServerFacts } from "../operations/operation.ts";
import { guard, type ActorListener } from "./guard.ts";

interface McpParts {
  readonly engine: Engine;
  readonly server: ServerFacts;
  /** Where each profile is served to fronts on this machine. */
  readonly sockets: Readonly<Record<Profile, string>>;
  /** Decides who is served over HTTP. */
  readonly gatekeeper: Gatekeeper;
  readonly backgroundJob: BackgroundJobSettings;
  readonly onFault: (error: Error) => void;
}

export interface McpService {
  /** Serves /mcp and hands on everything else. */
  readonly route: (others: RequestListener) => RequestListener;
  readonly stop: () => Promise<void>;
}

/** The user of this machine, who sees all jobs: the sockets are theirs alone. */
const localUser: Caller = { actor: { by: "local (mcp)" }, isIdentified: true };

/**
 * Serves MCP: to fronts on a local socket per profile, and over HTTP under /mcp. The protocol's code is loaded after the server has
 * begun to listen, because commands that start a server wait for it.
 */
export async function serveMcp(parts: McpParts): Promise<McpService> {
  const faces = loadFaces(parts);
  const servers: Server[] = [];
  for (const [profile, path] of Object.entries(parts.sockets)) {
    servers.push(
      await listenForFronts(path, async (socket) => {
        const { endpoints, serveSocket } = await faces();
        serveSocket(endpoints[profile as Profile], socket, localUser);
      }),
    );
  }
  setImmediate(() => void faces().catch(parts.onFault));
  const serve = guard(parts.gatekeeper, "mcp", (request, response, actor) => {
    void faces().then(({ listeners }) => listeners[profileOf(request.url) as Profile](request, response, actor));
  });
  return {
    route: (others) => (request, response) => {
      if (Object.hasOwn(parts.sockets, profileOf(request.url))) serve(request, response);
      else others(request, response);
    },
    stop: async () => {
      const { endpoints } = await faces();
      await Promise.all(Object.values(endpoints).map((endpoint) => endpoint.close()));
      await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
      for (const path of Object.values(parts.sockets)) rmSync(path, { force: true });
    },
  };
}

interface Faces {
  readonly endpoints: Record<Profile, McpEndpoint>;
  readonly listeners: Record<Profile, ActorListener>;
  readonly serveSocket: typeof ServeSocket;
}

/** The profile that an address names; empty if it names none. */
function profileOf(url = ""): string {
  const [, profile = "core"] = /^\/mcp(?:\/([\w-]+))?\/?(?:\?.*)?$/.exec(url) ?? ["", ""];
  return profile;
}

function loadFaces(parts: McpParts): () => Promise<Faces> {
  const load = async (): Promise<Faces> => {
    const [{ createMcpEndpoints }, { toRequestListener }, { serveSocket }] = await Promise.all([
      import("./mcp-endpoints.ts"),
      import("../faces/mcp/http.ts"),
      import("../faces/mcp/stdio.ts"),
    ]);
    const endpoints = createMcpEndpoints(parts);
    const listeners = Object.entries(endpoints).map(([profile, endpoint]): [string, ActorListener] => [
      profile,
      (request, response, actor) =>
        toRequestListener((fetched) => endpoint.fetch(fetched, { actor, isIdentified: true }))(request, response),
    ]);
    return { endpoints, serveSocket, listeners: Object.fromEntries(listeners) as Faces["listeners"] };
  };
  let faces: Promise<Faces> | undefined;
  return () => (faces ??= load());
}

/** Whoever owns the database is the server, so a socket that is there was left by one that died. */
async function listenForFronts(path: string, serve: (socket: Socket) => Promise<void>): Promise<Server> {
  rmSync(path, { force: true });
  // What a front sends before it is served must wait.
  const server = createServer({ pauseOnConnect: true }, (socket) => {
    socket.on("error", () => socket.destroy());
    serve(socket).then(
      () => socket.resume(),
      () => socket.destroy(),
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(path, resolve);
  });
  chmodSync(path, 0o600);
  return server;
}
