import { readdirSync, readFileSync } from "node:fs";

export interface Process {
  readonly pid: number;
  readonly words: readonly string[];
}

/** Every process whose environment names this home: the clients, fronts, servers, launchers and commands of one sandbox, and no other's. */
export function processesOf(home: string): Process[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .flatMap((name) => {
      const environment = readOrNothing(`/proc/${name}/environ`);
      if (!environment.split("\0").includes(`HOME=${home}`)) return [];
      const words = readOrNothing(`/proc/${name}/cmdline`).split("\0").slice(0, -1);
      return words.length === 0 ? [] : [{ pid: Number(name), words }];
    });
}

/** Until none is left: whoever is killed may just have started another. */
export function killAll(home: string): void {
  for (let rounds = 0; rounds < 20; rounds++) {
    const alive = processesOf(home);
    if (alive.length === 0) return;
    for (const { pid } of alive) kill(pid);
  }
}

export function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended by itself.
  }
}

function readOrNothing(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
