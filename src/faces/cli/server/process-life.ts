import { readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { ServerError } from "./server-error.ts";

/** Whether a process runs. One that has ended counts as ended, even if nobody has taken note of it yet. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !isZombie(pid);
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

/** In containers it can take long until an orphan's end is noted, or for ever. */
function isZombie(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    return stat.slice(stat.lastIndexOf(")") + 2).startsWith("Z");
  } catch {
    return false;
  }
}

const patienceMs = 30_000;
const pollMs = 20;

/** Asks the server's process to stop and waits until it has. Running commands go on. */
export async function stopServer(pid: number): Promise<void> {
  try {
    process.kill(pid, "SIGTERM");
  } catch (error) {
    if (!isAlive(pid)) return;
    throw new ServerError(`The server (process ${pid}) belongs to somebody else and cannot be stopped from here.`, {
      cause: error,
    });
  }
  const giveUpAt = performance.now() + patienceMs;
  while (isAlive(pid)) {
    if (performance.now() > giveUpAt) {
      throw new ServerError(`The server (process ${pid}) has not stopped within ${patienceMs / 1_000} s.`);
    }
    await delay(pollMs);
  }
}
