import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { openEngine, type Engine } from "../../../src/index.ts";
import { type McpEndpoint } from "../../../src/mcp.ts";
import { serveSocket } from "../../../src/faces/mcp/protocol/stdio.ts";
import { takeSnapshot } from "../../../src/faces/mcp/front/take-snapshot.ts";
import { serveFronts, type FrontService } from "../../../src/server/serve-fronts.ts";
import { readVersion } from "../../../src/server/version.ts";
import { createFixtureEndpoint, listenForTests, type FixtureServer } from "../../conformance/fixture-server.ts";
import { kinds } from "../../conformance/job-tools.ts";
import { useEach, useOnce } from "../../use-each.ts";

const built = resolve(import.meta.dirname, "../../../.build/test/fixtures");

/** A built file of test/fixtures: tests that start processes need it. */
export function fixture(name: string): string {
  const file = join(built, `${name}.js`);
  if (!existsSync(file)) throw new Error(`${file} is missing: run npm run build:dev first.`);
  return file;
}

/** The built program: `longhaul`. */
export const program = resolve(import.meta.dirname, "../../../.build/src/server/main.js");

/** Ada's and Bob's tokens. */
export const owners = new Map([
  ["ada-token", "ada"],
  ["bob-token", "bob"],
]);

/** The conformance server with two owners, over HTTP and, as Ada, behind a socket that fronts connect to. */
export interface McpWorld {
  readonly home: string;
  readonly engine: Engine;
  readonly endpoint: McpEndpoint;
  readonly url: string;
  readonly front: { readonly command: string; readonly args: string[]; readonly env: Record<string, string> };
}

interface OpenMcpWorld extends McpWorld {
  readonly http: FixtureServer;
  readonly fronts: FrontService;
}

/** A world of its own for each test. */
export function useMcpWorld(): () => McpWorld {
  return useEach(openMcpWorld, closeMcpWorld);
}

/** One world for all tests of a file, which may then run at once. */
export function useSharedMcpWorld(): () => McpWorld {
  return useOnce(openMcpWorld, closeMcpWorld);
}

async function openMcpWorld(): Promise<OpenMcpWorld> {
  const home = await mkdtemp(join(tmpdir(), "longhaul-mcp-"));
  const engine = await openEngine({ home, kinds });
  const endpoint = createFixtureEndpoint(engine);
  const http = await listenForTests(endpoint, owners);
  const version = readVersion();
  const fronts = await serveFronts({
    sockets: { core: join(home, "mcp.sock") },
    snapshots: join(home, "snapshots"),
    version,
    readCaller: () => ({ actor: {}, isIdentified: true }),
    takeSnapshot: () => takeSnapshot(endpoint, { version, onceOnly: [] }),
    serve: async (_profile, client) => {
      serveSocket(endpoint, client, { actor: { owner: "ada", by: "ada" }, isIdentified: true });
    },
  });
  await fronts.publish("core");
  const env = { ...(process.env as Record<string, string>), LONGHAUL_HOME: home };
  const front = { command: process.execPath, args: [program, "mcp"], env };
  return { home, engine, endpoint, url: http.url, front, http, fronts };
}

async function closeMcpWorld({ http, fronts, engine, home }: OpenMcpWorld): Promise<void> {
  await http.close();
  await fronts.stop();
  await engine.stop();
  await rm(home, { recursive: true, force: true });
}
