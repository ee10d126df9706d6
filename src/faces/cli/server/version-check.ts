import { readFileSync } from "node:fs";
import type { Paths } from "../../../config/paths.ts";
import { LonghaulError } from "../../../job/error.ts";
import { createClient, NotRunningError } from "../../door/local-client.ts";
import type { ConnectParts } from "./connect.ts";
import { VersionError } from "./server-error.ts";
import { compareVersions } from "./version-order.ts";

export interface VersionCheck {
  /** True if the server was older and a new one runs in its place; throws if it is newer. */
  readonly check: (serverVersion: string | undefined) => Promise<boolean>;
  /** The same, before anything is asked of the server; costs the reading of a file unless the versions may differ. */
  readonly checkBefore: () => Promise<void>;
}

export function createVersionCheck(parts: ConnectParts, start: () => Promise<void>): VersionCheck {
  const { version, screen, environment } = parts;
  let replacing: Promise<void> | undefined;
  let checking: Promise<void> | undefined;

  const replace = async (serverVersion: string): Promise<void> => {
    const { pid, program } = await createClient(environment.paths.socket).call("server_status", {});
    if (program !== undefined) {
      throw new VersionError(
        `The jobs here are run by the program "${program}" (process ${pid}) with Longhaul ${serverVersion}, older than this command (${version}): use that version, as in \`npx longhaul@${serverVersion} ps\`.`,
      );
    }
    screen.note(
      `The running server is version ${serverVersion}, older than this command (${version}): restarting it; running commands go on.`,
    );
    const { stopServer } = await import("./process-life.ts");
    await stopServer(pid);
    await start();
  };

  const check = async (serverVersion: string | undefined): Promise<boolean> => {
    const order = serverVersion === undefined ? 0 : compareVersions(serverVersion, version);
    if (serverVersion === undefined || order === 0) return false;
    if (order < 0) {
      // Calls at the same time may all have been answered by the old one.
      await (replacing ??= replace(serverVersion));
      return true;
    }
    throw new VersionError(
      `The running server is version ${serverVersion}, newer than this command (${version}): update this one with \`npm install -g longhaul@${serverVersion}\`.`,
    );
  };

  const checkFile = async (): Promise<void> => {
    const facts = readServerFile(environment.paths);
    if (facts !== undefined && facts.version !== version) await check(await askVersion(environment.paths.socket));
  };

  return { check, checkBefore: () => (checking ??= checkFile()) };
}

/** Undefined if nobody answers: the file was left by a server that died. */
async function askVersion(socket: string): Promise<string | undefined> {
  let serverVersion: string | undefined;
  const onVersion = (answered: string): void => {
    serverVersion = answered;
  };
  try {
    await createClient(socket, { onVersion }).call("server_status", {});
  } catch (error) {
    if (!(error instanceof NotRunningError || error instanceof LonghaulError)) throw error;
  }
  return serverVersion;
}

/** What a server wrote about itself when it started. It may be gone since: nothing here is sure. */
interface ServerFacts {
  readonly pid: number;
  readonly version: string;
  readonly url: string;
}

function readServerFile({ server }: Paths): ServerFacts | undefined {
  try {
    const facts = JSON.parse(readFileSync(server, "utf8")) as Partial<ServerFacts>;
    const { pid, version, url } = facts;
    return typeof pid === "number" && typeof version === "string" && typeof url === "string"
      ? { pid, version, url }
      : undefined;
  } catch {
    return undefined;
  }
}
