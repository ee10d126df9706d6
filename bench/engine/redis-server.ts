import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const longestStartMs = 10_000;

export type AppendFsync = "everysec" | "always";

/** Finds redis-server on the PATH, or installs it where that is possible; returns its version. */
export function requireRedisServer(): string {
  return findVersion() ?? install();
}

function findVersion(): string | undefined {
  const { stdout, error } = spawnSync("redis-server", ["--version"], { encoding: "utf8" });
  return error === undefined ? (/v=([\d.]+)/.exec(stdout)?.[1] ?? "unknown") : undefined;
}

function install(): string {
  const isDebianRoot = process.getuid?.() === 0 && existsSync("/usr/bin/apt-get");
  if (isDebianRoot) {
    console.error("redis-server is not installed: installing Debian's package redis-server.");
    execFileSync("apt-get", ["install", "-y", "redis-server"], { stdio: "ignore" });
  }
  const version = findVersion();
  if (version !== undefined) return version;
  throw new Error("This benchmark needs redis-server on the PATH: install it (Debian: apt-get install redis-server).");
}

/** A Redis server of our own in this folder, reachable only through a socket there, for the length of the work. */
export async function withRedisServer<T>(
  folder: string,
  appendFsync: AppendFsync,
  work: (socket: string) => Promise<T>,
): Promise<T> {
  const socket = join(folder, "redis.sock");
  const persistence = ["--appendonly", "yes", "--appendfsync", appendFsync, "--save", ""];
  const server = spawn("redis-server", ["--port", "0", "--unixsocket", socket, "--dir", folder, ...persistence], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const stop = (): boolean => server.kill();
  process.once("exit", stop);
  const exited = once(server, "exit");
  try {
    const isReady = await Promise.race([hasSaid(server.stdout, "ready to accept connections"), exited, tooLate()]);
    if (isReady !== true) throw new Error("redis-server did not start.");
    return await work(socket);
  } finally {
    stop();
    await exited;
    process.off("exit", stop);
  }
}

function tooLate(): Promise<false> {
  return sleep(longestStartMs, false, { ref: false });
}

/** Goes on reading afterwards, because a full pipe would block the server. */
function hasSaid(stream: NodeJS.ReadableStream, words: string): Promise<true> {
  return new Promise((resolve) => {
    let said = "";
    stream.on("data", (chunk: Buffer) => {
      said = (said + chunk.toString()).slice(-4_000);
      if (said.toLowerCase().includes(words)) resolve(true);
    });
  });
}
