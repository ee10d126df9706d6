import { setTimeout as delay } from "node:timers/promises";
import { listByToken } from "../shell/process-tree.ts";

/** The variable that marks all processes of the workers of one server's folder. */
const workersVariable = "LONGHAUL_WORKERS_OF";
const patienceMs = 5_000;

export function workersEnv(home: string): Record<string, string> {
  return { [workersVariable]: home };
}

/** Ends what a server that was killed has left running. To be called before the first worker of this one. */
export async function endLeftoverWorkers(home: string): Promise<void> {
  const giveUpAt = performance.now() + patienceMs;
  for (;;) {
    const left = await listByToken(`${workersVariable}=${home}`);
    if (left.length === 0 || performance.now() > giveUpAt) return;
    for (const pid of left) kill(pid);
    await delay(20);
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended by itself.
  }
}
