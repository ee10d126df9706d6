import { join } from "node:path";
import { readEnvironment } from "../config/environment.ts";
import type { Profile } from "../config/profiles.ts";
import { compareVersions } from "../faces/cli/server/version-order.ts";
import { runMcpFront } from "../faces/mcp/front/front.ts";
import { readVersion } from "./version.ts";

/** `longhaul mcp`, on this process's standard input and output. Resolves with the exit code. */
export async function serveFront(file: string, profile: Profile): Promise<number> {
  const environment = readEnvironment();
  const { paths, serverVariables } = environment;
  const version = readVersion();
  const starter = { environment, program: { executable: process.execPath, file } };
  await runMcpFront({
    socketPath: paths.mcpSockets[profile],
    snapshotFiles: {
      own: join(paths.snapshots, `${profile}.json`),
      shipped: join(import.meta.dirname, "..", "snapshots", `${profile}.json`),
    },
    hello: { version, cwd: process.cwd(), env: serverVariables },
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
