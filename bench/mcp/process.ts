import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

interface Running {
  readonly url: string;
  readonly stop: () => Promise<void>;
}

/** Starts a built file of this folder that prints its address when it listens. */
export async function startServer(
  file: URL,
  env: NodeJS.ProcessEnv = process.env,
  args: readonly string[] = [],
): Promise<Running> {
  const child = spawn(process.execPath, [fileURLToPath(file), ...args], { env, stdio: ["ignore", "pipe", "inherit"] });
  const [chunk] = (await once(child.stdout, "data")) as [Buffer];
  return { url: chunk.toString().trim(), stop: () => end(child) };
}

const request = {
  jsonrpc: "2.0",
  id: 1,
  method: "tools/list",
  params: {
    _meta: {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientInfo": { name: "bench", version: "0.0.0" },
      "io.modelcontextprotocol/clientCapabilities": {},
    },
  },
};

/** Milliseconds from the start of a process to its answer to `tools/list`, and the answer. */
export async function timeFirstAnswer(
  file: URL,
  args: readonly string[] = [],
  env: NodeJS.ProcessEnv = process.env,
): Promise<{ ms: number; answer: string }> {
  const startedAt = performance.now();
  const child = spawn(process.execPath, [fileURLToPath(file), ...args], { env, stdio: ["pipe", "pipe", "inherit"] });
  child.stdin.write(`${JSON.stringify(request)}\n`);
  const [answer] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
  const ms = performance.now() - startedAt;
  child.stdin.end();
  await end(child);
  return { ms, answer };
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, "exit");
  child.kill("SIGTERM");
  await exited;
}
