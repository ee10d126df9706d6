import { chmodSync, rmSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { readProfileSet, type Profile, type ProfileSet } from "../config/profiles.ts";
import { writeWholeFile } from "../config/whole-file.ts";
import { readHello } from "../faces/mcp/front/hello.ts";
import type { Caller } from "../faces/mcp/endpoint.ts";
import type { Snapshot } from "../faces/mcp/front/snapshot.ts";
import { messageOf } from "../job/failure.ts";
import type { ClientContext } from "../operations/client-context.ts";
import { makeFolder } from "../store/files/make-folder.ts";

interface FrontParts {
  /** Where each profile is served to fronts on this machine. */
  readonly sockets: Readonly<Partial<Record<Profile, string>>>;
  /** Where fronts find what this server answers first. */
  readonly snapshots: string;
  readonly version: string;
  /** Throws, with one sentence, for a client that cannot be served as it wants to. */
  readonly readCaller: (set: ProfileSet, client: ClientContext) => Caller;
  readonly takeSnapshot: (set: ProfileSet) => Promise<Snapshot>;
  readonly serve: (set: ProfileSet, socket: Socket, caller: Caller) => Promise<void>;
}

export interface FrontService {
  /** Has what this server answers first where fronts find it. */
  readonly publish: (set: ProfileSet) => Promise<Snapshot>;
  /** So that fronts know that the server was told to stop, and do not start the next one before somebody needs it. */
  readonly sayGoodbye: () => void;
  readonly stop: () => Promise<void>;
}

/** Serves the fronts of MCP clients, on a local socket per profile. */
export async function serveFronts(parts: FrontParts): Promise<FrontService> {
  const { sockets: paths, version } = parts;
  const open = new Set<Socket>();
  const snapshots = new Map<ProfileSet, Promise<Snapshot>>();
  const publish = (set: ProfileSet): Promise<Snapshot> => {
    const known = snapshots.get(set) ?? parts.takeSnapshot(set).then((taken) => keep(parts, set, taken));
    snapshots.set(set, known);
    return known;
  };
  const welcome = async (socket: Socket, profile: Profile): Promise<void> => {
    const { cwd, env, profiles } = await readHello(socket);
    const set = profiles === undefined ? profile : readProfileSet(profiles);
    const caller = parts.readCaller(set, { cwd, env });
    const { digest } = await publish(set);
    write(socket, { welcome: { version, pid: process.pid, snapshot: digest } });
    open.add(socket);
    socket.once("close", () => open.delete(socket));
    await parts.serve(set, socket, caller);
  };
  const servers: Server[] = [];
  for (const [profile, path] of Object.entries(paths)) {
    servers.push(await listen(path, (socket) => welcome(socket, profile as Profile)));
  }
  return {
    publish,
    sayGoodbye: () => {
      for (const socket of open) write(socket, { goodbye: true });
    },
    stop: async () => {
      await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
      for (const path of Object.values(paths)) rmSync(path, { force: true });
    },
  };
}

function write(socket: Socket, line: unknown): void {
  socket.write(`${JSON.stringify(line)}\n`);
}

/** A reader finds the old file or the new one, never a part of it. */
function keep({ snapshots: folder }: FrontParts, set: ProfileSet, snapshot: Snapshot): Snapshot {
  const path = join(folder, `${set}.json`);
  makeFolder(folder);
  writeWholeFile(path, JSON.stringify(snapshot));
  return snapshot;
}

/** Whoever owns the database is the server, so a socket that is there was left by one that died. */
async function listen(path: string, welcome: (socket: Socket) => Promise<void>): Promise<Server> {
  rmSync(path, { force: true });
  // What a front sends before it is served must wait.
  const server = createServer({ pauseOnConnect: true }, (socket) => {
    socket.on("error", () => socket.destroy());
    welcome(socket).then(
      () => socket.resume(),
      (error: unknown) => socket.end(`${JSON.stringify({ refused: messageOf(error) })}\n`),
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(path, resolve);
  });
  chmodSync(path, 0o600);
  return server;
}
