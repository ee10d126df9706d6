import type { InputOf } from "../../src/operations/registry.ts";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { loadConfig, type ConfigFlags } from "../../src/config/config.ts";
import type { Kind } from "../../src/job/kind.ts";
import { createClient, type Client } from "../../src/faces/door/local-client.ts";
import { serve, type RunningServer } from "../../src/server/serve.ts";

export interface ServerHere extends RunningServer {
  readonly home: string;
  /** The command line's way in. */
  readonly local: Client;
  /** The token in the file. */
  readonly token: string;
  /** Makes a token as the command line does. */
  readonly give: (request: InputOf<"token_create">) => Promise<string>;
  readonly log: () => string;
}

export function makeHome(config: object = {}): string {
  const home = mkdtempSync(join(tmpdir(), "longhaul-server-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  writeFileSync(join(home, "config.json"), JSON.stringify(config));
  return home;
}

/** The server as `longhaul serve` runs it, in the process of the test. */
export async function serveHere(
  home: string,
  flags: ConfigFlags = {},
  moreKinds: readonly Kind[] = [],
): Promise<ServerHere> {
  const config = loadConfig({ port: 0, ...flags }, { PATH: process.env["PATH"], LONGHAUL_HOME: home });
  const server = await serve(config, { isBackground: true, moreKinds });
  let isStopped = false;
  const stop = async (): Promise<void> => {
    if (!isStopped) await server.stop();
    isStopped = true;
  };
  onTestFinished(stop);
  const local = createClient(config.paths.socket);
  return {
    ...server,
    stop,
    home,
    local,
    token: readFileSync(config.paths.token, "utf8").trim(),
    give: async (request) => (await local.call("token_create", request)).token,
    log: () => readFileSync(config.paths.log, "utf8"),
  };
}
