import { execFileSync, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { timeCommand } from "./command.ts";

const lookMs = 20;
const longestDrainMs = 120_000;

/** Finds Debian's task-spooler on the PATH, or installs it where that is possible; returns its version. */
export function requireTaskSpooler(): string {
  return findVersion() ?? install();
}

function findVersion(): string | undefined {
  const { stdout, error } = spawnSync("tsp", ["-V"], { encoding: "utf8" });
  return error === undefined ? (/Task Spooler v([\d.]+)/.exec(stdout)?.[1] ?? "unknown") : undefined;
}

function install(): string {
  const isDebianRoot = process.getuid?.() === 0 && existsSync("/usr/bin/apt-get");
  if (isDebianRoot) {
    console.error("tsp is not installed: installing Debian's package task-spooler.");
    execFileSync("apt-get", ["install", "-y", "task-spooler"], { stdio: "ignore" });
  }
  const version = findVersion();
  if (version !== undefined) return version;
  throw new Error("This benchmark needs tsp on the PATH: install it (Debian: apt-get install task-spooler).");
}

/** Milliseconds from handing over the first job `bash -c true` to the end of the last, with a server in this folder. */
export async function timeTaskSpooler(folder: string, jobs: number, width: number): Promise<number> {
  const env = { ...process.env, TS_SOCKET: join(folder, "tsp.sock"), TMPDIR: folder, TS_MAXFINISHED: String(jobs) };
  try {
    execFileSync("tsp", ["-S", String(width)], { env });
    const startedAt = performance.now();
    await timeCommand("bash", ["-c", `for ((n = 0; n < ${jobs}; n++)); do tsp -n bash -c true; done`], { env });
    await untilDrained(env, jobs);
    return performance.now() - startedAt;
  } finally {
    spawnSync("tsp", ["-K"], { env });
  }
}

async function untilDrained(env: NodeJS.ProcessEnv, jobs: number): Promise<void> {
  const endsAt = performance.now() + longestDrainMs;
  while (countFinished(env) < jobs) {
    if (performance.now() > endsAt) throw new Error("tsp did not finish its jobs.");
    await sleep(lookMs);
  }
}

/** Those that ended well: others are never counted, and so end the benchmark. */
function countFinished(env: NodeJS.ProcessEnv): number {
  const list = execFileSync("tsp", ["-l"], { env, encoding: "utf8" });
  return list.match(/^\d+\s+finished\s+\S+\s+0\s/gm)?.length ?? 0;
}
