import { setTimeout as delay } from "node:timers/promises";
import { jobToken } from "./main-process.ts";
import { isCommandAlive, listByToken } from "./process-tree.ts";

const pollMs = 40;
const killPatienceMs = 5_000;

/**
 * Ends all processes of a job, its group and whatever has left the group but carries the job's token: asks them to
 * terminate, and after the grace time kills those that are left. Resolves when none is.
 */
export async function terminate(group: number | undefined, id: string, graceMs: number): Promise<void> {
  await signalAll(group, id, "SIGTERM");
  await untilGone(group, id, graceMs);
  await signalAll(group, id, "SIGKILL");
  await untilGone(group, id, killPatienceMs);
}

async function signalAll(group: number | undefined, id: string, signal: NodeJS.Signals): Promise<void> {
  if (group !== undefined && (await isCommandAlive(group))) {
    signalProcess(-group, signal);
    signalProcess(group, signal);
  }
  for (const pid of await listByToken(jobToken(id))) signalProcess(pid, signal);
}

async function untilGone(group: number | undefined, id: string, patienceMs: number): Promise<void> {
  const giveUpAt = performance.now() + patienceMs;
  while (performance.now() < giveUpAt) {
    const isAlive = group !== undefined && (await isCommandAlive(group));
    if (!isAlive && (await listByToken(jobToken(id))).length === 0) return;
    await delay(pollMs);
  }
}

function signalProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended by itself in the meantime, which is what was wanted.
  }
}
