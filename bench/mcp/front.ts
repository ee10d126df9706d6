import { spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { cpus } from "node:os";
import { join } from "node:path";
import { median } from "../statistics.ts";
import { withTemporaryFolder } from "../temporary-folder.ts";
import { StdioSession } from "./stdio-session.ts";

const program = new URL("../../src/server/main.js", import.meta.url);
const hello = new URL("./hello-stdio.js", import.meta.url);
const coldRounds = 15;
export const loadedRounds = 20;
const calls = 200;
const reconnects = 10;

/** From the start of a process to its answer to `tools/list`, with no server and an empty folder; and that of a hello-world server. */
export async function measureColdStart(): Promise<{ ours: number; peer: number }> {
  const ours: number[] = [];
  const peer: number[] = [];
  for (let round = 0; round < coldRounds; round++) {
    ours.push(await timeCold("tools/list"));
    peer.push(await timeFirst(new StdioSession(hello), performance.now(), "tools/list"));
  }
  return { ours: median(ours), peer: median(peer) };
}

/** The slowest of cold starts to the answer to `server/discover`, while two busy loops run on each core. */
export async function measureColdUnderLoad(): Promise<number> {
  const loops = Array.from({ length: cpus().length * 2 }, () =>
    spawn(process.execPath, ["-e", "for (;;);"], { stdio: "ignore" }),
  );
  try {
    const times: number[] = [];
    for (let round = 0; round < loadedRounds; round++) times.push(await timeCold("server/discover"));
    return Math.max(...times);
  } finally {
    for (const loop of loops) loop.kill("SIGKILL");
  }
}

function timeCold(method: string): Promise<number> {
  return withTemporaryFolder(async (home) => {
    const startedAt = performance.now();
    const session = new StdioSession(program, ["mcp"], { ...process.env, LONGHAUL_HOME: home });
    const ms = await timeFirst(session, startedAt, method);
    await stopServer(home);
    return ms;
  });
}

async function timeFirst(session: StdioSession, startedAt: number, method: string): Promise<number> {
  await session.time(method);
  const ms = performance.now() - startedAt;
  await session.end();
  return ms;
}

/** The median of a tool call over stdio: `true` as a durable command, and a hello-world tool. */
export async function measureCall(home: string): Promise<{ ours: number; peer: number }> {
  const [session, peer] = [openFront(home), new StdioSession(hello)];
  const [ourTimes, peerTimes]: [number[], number[]] = [[], []];
  for (let round = 0; round < calls; round++) {
    ourTimes.push((await session.call("run_command", { command: "true" })).ms);
    peerTimes.push((await peer.call("hello", { name: "Ada" })).ms);
  }
  await Promise.all([session.end(), peer.end()]);
  return { ours: median(ourTimes), peer: median(peerTimes) };
}

/** The slowest of several: from kill -9 of the server to the answer to a call that is made right then. */
export function measureReconnect(): Promise<number> {
  return withTemporaryFolder(async (home) => {
    const session = openFront(home);
    const times: number[] = [];
    await session.call("job_list", {});
    for (let round = 0; round < reconnects; round++) {
      process.kill(await readPid(home), "SIGKILL");
      times.push((await session.call("job_list", {})).ms);
    }
    await session.end();
    await stopServer(home);
    return Math.max(...times);
  });
}

function openFront(home: string): StdioSession {
  return new StdioSession(program, ["mcp"], { ...process.env, LONGHAUL_HOME: home });
}

async function readPid(home: string): Promise<number> {
  return (JSON.parse(await readFile(join(home, "server.json"), "utf8")) as { pid: number }).pid;
}

/** The front starts a server in the background, which must not disturb the next round. */
async function stopServer(home: string): Promise<void> {
  const giveUpAt = performance.now() + 30_000;
  for (;;) {
    try {
      const pid = await readPid(home);
      process.kill(pid, "SIGKILL");
      return;
    } catch (error) {
      if (performance.now() > giveUpAt) throw error;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}
