import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, beforeEach } from "vitest";
import { openEngine, type Engine } from "../../../src/index.ts";
import { type McpEndpoint } from "../../../src/mcp.ts";
import { serveSocket } from "../../../src/faces/mcp/stdio.ts";
import { createFixtureEndpoint, listenForTests, type FixtureServer } from "../../conformance/fixture-server.ts";
import { kinds } from "../../conformance/job-tools.ts";

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

export function useMcpWorld(): () => McpWorld {
  let world: (McpWorld & { http: FixtureServer; socket: Server }) | undefined;
  beforeEach(async () => {
    const home = await mkdtemp(join(tmpdir(), "longhaul-mcp-"));
    const engine = await openEngine({ home, kinds });
    const endpoint = createFixtureEndpoint(engine);
    const http = await listenForTests(endpoint, owners);
    const socket = createServer((client) => {
      client.on("error", () => client.destroy());
      serveSocket(endpoint, client, { actor: { owner: "ada", by: "ada" }, isIdentified: true });
    });
    await new Promise<void>((listening) => socket.listen(join(home, "mcp.sock"), listening));
    const env = { ...(process.env as Record<string, string>), LONGHAUL_HOME: home };
    const front = { command: process.execPath, args: [program, "mcp"], env };
    world = { home, engine, endpoint, url: http.url, front, http, socket };
  });
  afterEach(async () => {
    const { http, socket, engine, home } = world ?? {};
    await http?.close();
    await new Promise((closed) => socket?.close(closed));
    await engine?.stop();
    await rm(home ?? "", { recursive: true, force: true });
    world = undefined;
  });
  return () => {
    if (world === undefined) throw new Error("there is no world outside of a test");
    return world;
  };
}
