import { readEnvironment } from "../config/environment.ts";
import type { LoadedConfig } from "../config/config.ts";
import type { ProfileSet } from "../config/profiles.ts";
import { serveStreams } from "../faces/mcp/protocol/stdio.ts";
import { createRedactor, secretValues } from "../text/redact.ts";
import { createClientReader } from "./client-reader.ts";
import { createLog } from "./log-file.ts";
import { createMcpEndpoints } from "./mcp-endpoints.ts";
import { makePrivateFolder, openEngineWithKinds } from "./serve.ts";

/**
 * `longhaul mcp --in-process`: the engine and one client on stdio in this process, for places that forbid a server in the background.
 * Resolves when the client has left; commands go on and are adopted by the next engine on the same folder.
 */
export async function serveMcpInProcess(config: LoadedConfig, set: ProfileSet = "core"): Promise<void> {
  const { paths } = config;
  makePrivateFolder(paths.home);
  const redactor = createRedactor([...config.redact, ...config.endpoints.secrets, ...secretValues(config.env)]);
  const log = createLog({ redact: redactor.text, file: paths.log });
  const { engine, server, close } = await openEngineWithKinds(config, { redactor, log });
  const endpoints = createMcpEndpoints({
    engine,
    server,
    backgroundJob: config.backgroundJob,
    onFault: (error) => log("warn", "an MCP request failed", { error }),
  });
  const client = createClientReader(config).defaults(readEnvironment().clientContext());
  const caller = { actor: { by: "local (mcp)", client }, isIdentified: true };
  try {
    await serveStreams(endpoints.get(set), { input: process.stdin, output: process.stdout }, caller).closed;
  } finally {
    await endpoints.close();
    await close();
  }
}
