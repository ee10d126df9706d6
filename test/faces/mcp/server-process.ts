import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fixture, program } from "./world.ts";

/** `longhaul serve` in a process of its own. */
export interface ServerProcess {
  readonly url: string;
  readonly token: string;
  readonly front: { readonly command: string; readonly args: string[]; readonly env: Record<string, string> };
  readonly kill: (signal: NodeJS.Signals) => Promise<void>;
}

export function frontIn(home: string): ServerProcess["front"] {
  const env = { ...(process.env as Record<string, string>), LONGHAUL_HOME: home };
  return { command: process.execPath, args: [program, "mcp"], env };
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
  const token = (await readFile(join(home, "token"), "utf8")).trim();
  const kill = async (signal: NodeJS.Signals): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, "exit");
    child.kill(signal);
    await ended;
  };
  return { url: `${url}/mcp`, token, front: frontIn(home), kill };
}
