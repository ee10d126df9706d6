import { randomBytes } from "node:crypto";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { LoadedConfig } from "../config/config.ts";
import { checkFile } from "../config/private-files.ts";
import { readOrMakeFile } from "../config/whole-file.ts";
import type { Engine } from "../engine/engine.ts";
import { admitAttempt } from "../faces/door/admit.ts";
import { createCallEntrance, type ReadClient } from "../faces/door/call-entrance.ts";
import { Door, type DoorParts, type Entrance } from "../faces/door/door.ts";
import { createOwnGatekeeper } from "../faces/door/gatekeeper.ts";
import { createCloser, listenForHttp, listenLocally, patience } from "../faces/door/listen.ts";
import type { HttpFace, HttpFaceParts } from "../faces/http/face.ts";
import { createMetrics } from "../faces/http/metrics/metrics.ts";
import { createRunpodEntrance } from "../faces/profiles/runpod/v2-entrance.ts";
import { createWebFace } from "../faces/web/web-face.ts";
import { defined } from "../job/defined.ts";
import type { ServerFacts } from "../operations/operation.ts";
import { operationsFor } from "../operations/registry.ts";
import { asSeenBy, createClientReader } from "./client-reader.ts";
import type { Log } from "./log-file.ts";
import { openGatekeeper } from "./open-gatekeeper.ts";
import { serveMcp } from "./serve-mcp.ts";

/** Its address is known from when the server listens on. */
export type ListeningFacts = ServerFacts & { url: string | undefined };

interface DoorsParts {
  readonly config: LoadedConfig;
  readonly engine: Engine;
  readonly server: ListeningFacts;
  readonly log: Log;
  /** The token of this machine's user. */
  readonly token: string;
}

export interface Doors {
  readonly url: string;
  readonly close: () => Promise<void>;
}

/** Closed in turn; it is run too when not all could be opened. */
type Closers = (() => Promise<unknown>)[];

/** Whoever can open the local socket: its file is for this machine's user alone. */
const localUser = { by: "local (cli)" };

/** Opens the door to the network, the one for programs on this machine, and the sockets for MCP clients. */
export async function openDoors(parts: DoorsParts): Promise<Doors> {
  const closers: Closers = [];
  const close = async (): Promise<void> => {
    for (const closeNext of closers) await closeNext();
  };
  try {
    return { url: await openAll(parts, closers), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function openAll({ config, engine, server, log, token }: DoorsParts, closers: Closers): Promise<string> {
  const { paths } = config;
  const clients = createClientReader(config);
  const context = { engine, server };
  const metrics = createMetrics(engine);
  const http = openHttp({ ...context, metrics, limits: { readers: config.server.max_stream_readers } });
  closers.push(http.close, async () => metrics.close());
  const mcp = await serveMcp({
    ...context,
    sockets: paths.mcpSockets,
    snapshots: paths.snapshots,
    backgroundJob: config.backgroundJob,
    clients,
    ...defined({ serverName: config.server.name }),
    onFault: (error) => log("warn", "an MCP request failed", { error }),
  });
  const listeners: Closers = [];
  closers.push(mcp.stop, () => Promise.all(listeners.map((closeListener) => closeListener())));
  const onFault = (error: unknown, route: string): void => log("error", "a request failed", { route, error });
  const operations = operationsFor(engine.kinds);
  const calls = createCallEntrance({ operations, context });
  const network = open({
    gatekeeper: await openGatekeeper(config, engine, token),
    entrances: [calls, mcp.entrance, createRunpodEntrance(context), createWebFace(engine.sessions), http.entrance],
    onFault,
    onAnswered: metrics.countRequest,
  });
  await listenForHttp(network, config, (message) => log("warn", message));
  listeners.push(createCloser(network));
  server.url = toUrl(network);
  const readClient: ReadClient = (given) => {
    const client = clients.defaults(given);
    return { actor: { ...localUser, client }, server: asSeenBy(server, client) };
  };
  const ownCalls = createCallEntrance({ operations, context, readClient });
  const gatekeeper = createOwnGatekeeper(localUser, (shown) => admitAttempt(engine.inside, shown));
  const local = open({ gatekeeper, entrances: [ownCalls], onFault });
  await listenLocally(local, paths.socket);
  listeners.push(createCloser(local));
  return server.url;
}

function open(parts: DoorParts): Server {
  const door = new Door(parts);
  return createServer(patience, door.listener).once("close", () => door.close());
}

/** The REST interface. Its code is loaded after the server has begun to listen, because commands that start a server wait for it. */
function openHttp(parts: HttpFaceParts): { entrance: Entrance; close: () => Promise<void> } {
  const load = async (): Promise<HttpFace> => {
    const [{ createHttpFace }, { loadTracing }] = await Promise.all([
      import("../faces/http/face.ts"),
      import("../faces/http/metrics/tracing.ts"),
    ]);
    return createHttpFace({ ...parts, tracing: await loadTracing() });
  };
  let loading: Promise<HttpFace> | undefined;
  let face: HttpFace | undefined;
  const faceOf = async (): Promise<HttpFace> => (face = await (loading ??= load()));
  // If it fails, whoever asks is told what went wrong.
  setImmediate(() => void faceOf().catch(() => undefined));
  return {
    entrance: {
      name: "http",
      errorForm: "problem",
      find: (request, path) => face?.find(request, path) ?? faceOf().then((loaded) => loaded.find(request, path)),
    },
    close: async () => (await faceOf()).close(),
  };
}

export function readToken(path: string): string {
  checkFile(path, { isSecret: true });
  return readOrMakeFile(path, () => randomBytes(24).toString("base64url"));
}

function toUrl(server: Server): string {
  const { address, port } = server.address() as AddressInfo;
  return `http://${address.includes(":") ? `[${address}]` : address}:${port}`;
}
