import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadConfig } from "../config/config.ts";
import { allProfiles, profiles, readProfileSet } from "../config/profiles.ts";
import { takeSnapshot } from "../faces/mcp/front/take-snapshot.ts";
import { createRedactor } from "../text/redact.ts";
import { programFolder } from "./inside-variables.ts";
import { createMcpEndpoints } from "./mcp-endpoints.ts";
import { openEngineWithKinds } from "./serve.ts";

/**
 * Part of the build: writes, beside the code that is shipped, what a server with no configuration answers to a client's first questions,
 * and the program that commands find on their PATH.
 */
async function main(): Promise<void> {
  writeProgram();
  const folder = join(import.meta.dirname, "..", "snapshots");
  const home = mkdtempSync(join(tmpdir(), "longhaul-build-"));
  const config = loadConfig({}, { LONGHAUL_HOME: home });
  const parts = { redactor: createRedactor([]), log: () => undefined };
  const { engine, server, close } = await openEngineWithKinds(config, parts);
  const endpoints = createMcpEndpoints({ engine, server, backgroundJob: config.backgroundJob, onFault });
  mkdirSync(folder, { recursive: true });
  try {
    // Of other combinations a server tells when one is first asked for.
    for (const set of [...profiles, readProfileSet(allProfiles)]) {
      const { version } = server;
      const snapshot = await takeSnapshot(endpoints.get(set), { version, onceOnly: endpoints.onceOnlyTools(set) });
      writeFileSync(join(folder, `${set}.json`), JSON.stringify(snapshot));
    }
  } finally {
    await endpoints.close();
    await close();
    rmSync(home, { recursive: true, force: true });
  }
}

function writeProgram(): void {
  mkdirSync(programFolder, { recursive: true });
  const script = '#!/bin/sh\nexec "${LONGHAUL_NODE:-node}" "$(dirname "$0")/../server/main.js" "$@"\n';
  writeFileSync(join(programFolder, "longhaul"), script, { mode: 0o755 });
}

function onFault(error: Error): never {
  throw error;
}

await main();
