import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import type * as ConfigModule from "../../../src/config/config.ts";
import type * as ServeModule from "../../../src/server/serve.ts";
import { fixture, program } from "./world.ts";

export interface TestServer {
  readonly url: string;
  readonly token: string;
  readonly front: { readonly command: string; readonly args: string[]; readonly env: Record<string, string> };
  readonly stop: () => Promise<void>;
}

/** `longhaul serve` in a process of its own. */
export interface ServerProcess extends TestServer {
  readonly kill: (signal: NodeJS.Signals) => Promise<void>;
}

export function frontIn(home: string): TestServer["front"] {
  const env = { ...(process.env as Record<string, string>), LONGHAUL_HOME: home };
  return { command: process.execPath, args: [program, "mcp"], env };
}

/**
 * The same server in the process of the test. It is the built one, whose threads have their files, and starts in a
 * fraction of the time; tests that kill it or stop it short need `startServer`.
 */
export async function serveBuilt(home: string, variables: Record<string, string> = {}): Promise<TestServer> {
  const [{ loadConfig }, { serve }] = await Promise.all([
    importBuilt<typeof ConfigModule>("config/config"),
    importBuilt<typeof ServeModule>("server/serve"),
  ]);
  const server = await serve(loadConfig({ port: 0 }, { ...frontIn(home).env, ...variables }), { isBackground: true });
  let stopped: Promise<void> | undefined;
  return { ...(await reach(home, server.url)), stop: () => (stopped ??= server.stop()) };
}

function importBuilt<Module>(name: string): Promise<Module> {
  return import(pathToFileURL(join(dirname(program), "..", `${name}.js`)).href) as Promise<Module>;
}

export async function startServer(home: string, variables: Record<string, string> = {}): Promise<ServerProcess> {
  const env = { ...frontIn(home).env, ...variables };
  const child: ChildProcess = spawn(process.execPath, [fixture("mcp-server")], {
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const errors: Buffer[] = [];
  child.stderr?.on("data", (chunk: Buffer) => errors.push(chunk));
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout?.once("data", (chunk: Buffer) => resolve(chunk.toString().trim()));
    child.once("exit", () => reject(new Error(`the server ended: ${Buffer.concat(errors).toString()}`)));
  });
  const kill = async (signal: NodeJS.Signals): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, "exit");
    child.kill(signal);
    await ended;
  };
  return { ...(await reach(home, url)), kill, stop: () => kill("SIGTERM") };
}

async function reach(home: string, url: string): Promise<Omit<TestServer, "stop">> {
  const token = (await readFile(join(home, "token"), "utf8")).trim();
  return { url: `${url}/mcp`, token, front: frontIn(home) };
}
