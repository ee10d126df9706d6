import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Row } from "../report.ts";
import { median } from "../statistics.ts";
import { withTemporaryFolder } from "../temporary-folder.ts";
import { timeCommand } from "./command.ts";

const samples = 20;
const shownJobs = 10;
const longestStartMs = 10_000;
const lookMs = 20;
const program = resolve("dist", "server", "main.js");

/** `longhaul ps` with a running server against what it may take: somewhat more than Node itself needs to start. */
export function measurePs(): Promise<Row[]> {
  return withTemporaryFolder(async (home) => {
    const env = { ...process.env, LONGHAUL_HOME: home, LONGHAUL_CONFIG: join(home, "config.json"), LONGHAUL_PORT: "0" };
    return withServer(home, env, async () => {
      for (let job = 0; job < shownJobs; job++)
        await timeCommand(process.execPath, [program, "run", "--", "true"], { env });
      const taken: { ps: number[]; bare: number[] } = { ps: [], bare: [] };
      for (let sample = 0; sample < samples; sample++) {
        taken.ps.push(await timeCommand(process.execPath, [program, "ps"], { env }));
        taken.bare.push(await timeCommand(process.execPath, ["-e", "0"], { env }));
      }
      return toRows(median(taken.ps), median(taken.bare));
    });
  });
}

function toRows(ps: number, bare: number): Row[] {
  return [
    { figure: "longhaul ps, ms, vs node -e 0", ours: ps, peer: bare },
    {
      figure: "longhaul ps, ms, vs allowance of 1.5 × node -e 0 + 60 ms",
      ours: ps,
      peer: 1.5 * bare + 60,
      goal: { atMost: 1 },
    },
  ];
}

/** A server of our own on this home, for the length of the work. */
async function withServer<T>(home: string, env: NodeJS.ProcessEnv, work: () => Promise<T>): Promise<T> {
  const server = spawn(process.execPath, [program, "serve"], { env, stdio: "ignore" });
  const stop = (): boolean => server.kill();
  process.once("exit", stop);
  const exited = once(server, "exit");
  try {
    const startsUntil = performance.now() + longestStartMs;
    while (!existsSync(join(home, "server.json"))) {
      const isLost = server.exitCode !== null || performance.now() > startsUntil;
      if (isLost) throw new Error("The server did not start.");
      await sleep(lookMs);
    }
    return await work();
  } finally {
    stop();
    await exited;
    process.off("exit", stop);
  }
}
