import { join } from "node:path";
import { readEnvironment } from "../config/environment.ts";
import { profilesIn, type ProfileSet } from "../config/profiles.ts";
import { compareVersions } from "../faces/cli/server/version-order.ts";
import { runMcpFront } from "../faces/mcp/front/front.ts";
import { readVersion } from "./version.ts";

/** `longhaul mcp`, on this process's standard input and output. Resolves with the exit code. */
export async function serveFront(file: string, set: ProfileSet): Promise<number> {
  const environment = readEnvironment();
  const { paths, serverVariables } = environment;
  const version = readVersion();
  const [profile = "core", ...others] = profilesIn(set);
  const isOne = others.length === 0;
  const starter = { environment, program: { executable: process.execPath, file } };
  await runMcpFront({
    socketPath: paths.mcpSockets[isOne ? profile : "core"],
    snapshotFiles: {
      own: join(paths.snapshots, `${set}.json`),
      shipped: join(import.meta.dirname, "..", "snapshots", `${set}.json`),
    },
    hello: { version, ...(isOne ? {} : { profiles: set }), cwd: process.cwd(), env: serverVariables },
    // Loaded only now: most fronts find a server, and none waits for it to answer a client's first questions.
    startServer: async () => (await import("../faces/cli/server/start-server.ts")).startServer(starter),
    retireServer: (welcome) =>
      compareVersions(welcome.version, version) < 0
        ? import("../faces/cli/server/process-life.ts").then(({ stopServer }) => stopServer(welcome.pid))
        : undefined,
    input: process.stdin,
    output: process.stdout,
    onFailure: (reason) => process.stderr.write(`longhaul: ${reason}\n`),
  });
  return 0;
}
