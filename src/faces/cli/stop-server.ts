import { setTimeout as delay } from "node:timers/promises";
import { ServerError } from "./server-error.ts";
import { isAlive } from "./process-life.ts";

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
