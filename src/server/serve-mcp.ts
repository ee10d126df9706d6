import { createHash, timingSafeEqual } from "node:crypto";
import { chmodSync, rmSync } from "node:fs";
import type { RequestListener } from "node:http";
import { createServer, type Server, type Socket } from "node:net";
import type { BackgroundJobSettings } from "../config/background-job.ts";
import type { Profile } from "../config/profiles.ts";
import type { Engine } from "../engine/engine.ts";
import type { Caller, McpEndpoint } from "../faces/mcp/endpoint.ts";
import type { serveSocket as ServeSocket } from "../faces/mcp/stdio.ts";
import type { ServerFacts } from "../operations/operation.ts";

interface McpParts {
  readonly engine: Engine;
  readonly server: ServerFacts;
  /** Where each profile is served to fronts on this machine. */
  readonly sockets: Readonly<Record<Profile, string>>;
  readonly token: string;
  readonly backgroundJob: BackgroundJobSettings;
  readonly onFault: (error: Error) => void;
}

export interface McpService {
  /** Serves /mcp and hands on everything else. */
  readonly route: (others: RequestListener) => RequestListener;
  readonly stop: () => Promise<void>;
}

/** The user of this machine, who sees all jobs: the sockets and the token are theirs alone. */
const localUser: Caller = { actor: { by: "mcp" }, isIdentified: true };

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
  return {
    route: (others) => (request, response) => {
      const [, profile = "core"] = /^\/mcp(?:\/([\w-]+))?\/?(?:\?.*)?$/.exec(request.url ?? "") ?? ["", ""];
      if (!Object.hasOwn(parts.sockets, profile)) others(request, response);
      else void faces().then(({ listeners }) => listeners[profile as Profile](request, response));
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
  readonly listeners: Record<Profile, RequestListener>;
  readonly serveSocket: typeof ServeSocket;
}

function loadFaces({ token, ...parts }: McpParts): () => Promise<Faces> {
  const isToken = tokenCheck(token);
  const authenticate = (given: string | undefined): Caller | undefined =>
    given !== undefined && isToken(given) ? localUser : undefined;
  const load = async (): Promise<Faces> => {
    const [{ createMcpEndpoints }, { guardMcp, toRequestListener }, { serveSocket }] = await Promise.all([
      import("./mcp-endpoints.ts"),
      import("../faces/mcp/http.ts"),
      import("../faces/mcp/stdio.ts"),
    ]);
    const endpoints = createMcpEndpoints(parts);
    const listeners = Object.entries(endpoints).map(([profile, endpoint]) => [
      profile,
      toRequestListener(guardMcp(endpoint, { authenticate })),
    ]);
    return { endpoints, serveSocket, listeners: Object.fromEntries(listeners) as Faces["listeners"] };
  };
  let faces: Promise<Faces> | undefined;
  return () => (faces ??= load());
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

/** Digests have one length, so comparing them tells nothing about the token's. */
function tokenCheck(token: string): (given: string) => boolean {
  const expected = digest(token);
  return (given) => timingSafeEqual(digest(given), expected);
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
