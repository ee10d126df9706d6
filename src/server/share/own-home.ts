import { createServer } from "node:http";
import { chmodSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import type { Paths } from "../../config/paths.ts";
import { checkFolder } from "../../config/private-files.ts";
import { writeWholeFile } from "../../config/whole-file.ts";
import type { Engine } from "../../engine/engine.ts";
import { admitAttempt } from "../../faces/door/admit.ts";
import { createCallEntrance } from "../../faces/door/call-entrance.ts";
import { Door } from "../../faces/door/door.ts";
import { createOwnGatekeeper } from "../../faces/door/gatekeeper.ts";
import { createCloser, listenLocally, patience } from "../../faces/door/listen.ts";
import { createEngineEntrance, shareProtocol } from "../../faces/share/engine-entrance.ts";
import type { LogEntry } from "../../engine/settings.ts";
import { operationsFor } from "../../operations/registry.ts";
import { makeFolder } from "../../store/files/make-folder.ts";
import { readVersion } from "../version.ts";

interface HomeDoorParts {
  readonly engine: Engine;
  readonly paths: Paths;
  readonly program: string;
  readonly log?: ((entry: LogEntry) => void) | undefined;
}

/** Whoever can open the socket: its file is for this machine's user alone. */
const localUser = { by: "local (cli)" };

/**
 * Lets other processes of this machine's user work through the engine that owns a home: those of the same program, and `longhaul ps`
 * and its like. Returns how to stop; what is under way is answered first.
 */
export async function openHomeDoor({ engine, paths, program, log }: HomeDoorParts): Promise<() => Promise<void>> {
  const folder = dirname(paths.socket);
  makeFolder(folder);
  if (folder === paths.home) chmodSync(folder, 0o700);
  checkFolder(folder);
  const version = readVersion();
  const facts = { version, startedAt: Date.now(), home: paths.home, url: undefined, program };
  const shared = createEngineEntrance(engine, { protocol: shareProtocol, version, pid: process.pid, program });
  const context = { engine, server: facts };
  const readClient = (): { actor: typeof localUser; server: typeof facts } => ({ actor: localUser, server: facts });
  const calls = createCallEntrance({ operations: operationsFor(engine.kinds), context, readClient });
  const door = new Door({
    gatekeeper: createOwnGatekeeper(localUser, (token) => admitAttempt(engine.inside, token)),
    entrances: [shared.entrance, calls],
    onFault: (error, route) => log?.({ level: "error", message: `a request failed: ${route}`, error }),
  });
  const server = createServer(patience, door.listener).once("close", () => door.close());
  const close = createCloser(server);
  await listenLocally(server, paths.socket);
  // Stays when this process ends: whoever finds the folder unowned then knows whose it is.
  writeWholeFile(paths.program, JSON.stringify({ program, version, pid: process.pid }));
  return async () => {
    // Before the engine lets go of the home: from then on it may be the next owner's.
    rmSync(paths.socket, { force: true });
    shared.close();
    await close();
  };
}
