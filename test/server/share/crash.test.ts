import { spawn, type ChildProcess } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterEach, expect, onTestFailed, test } from "vitest";
import { z } from "zod";
import { defineKind, openEngine } from "../../../src/index.ts";
import type { SharedFact } from "../../fixtures/shared-worker.ts";
import { seededRandom } from "../../seeded-random.ts";
import { until } from "../../until.ts";

const kills = Number(process.env["LONGHAUL_CRASH_ROUNDS"] ?? 16);
const firstSeed = Number(process.env["LONGHAUL_CRASH_SEED"] ?? Date.now() % 1_000_000);
const workerFile = fileURLToPath(new URL("../../../.build/test/fixtures/shared-worker.js", import.meta.url));
const workerCount = 5;

interface Worker {
  readonly process: ChildProcess;
  readonly exited: Promise<unknown>;
  isReady: boolean;
}

const running = new Set<Worker>();

afterEach(() => {
  for (const { process: child } of running) child.kill("SIGKILL");
});

test(
  "five processes on one home, killed at any moment, lose no job, make and end none twice, and have one owner at a time",
  async () => {
    const base = mkdtempSync(join(tmpdir(), "longhaul-shared-"));
    onTestFailed(() => console.error(`seed ${firstSeed} (set LONGHAUL_CRASH_SEED); the folder is kept: ${base}`));
    const random = seededRandom(firstSeed);
    const facts: SharedFact[] = [];
    const workers = Array.from({ length: workerCount }, (_, index) => startWorker(base, `w${index}`, facts));
    await until(() => workers.every(({ isReady }) => isReady), { timeoutMs: 60_000 });
    let killedOwners = 0;
    for (let kill = 0; kill < kills; kill++) {
      await sleep(random() * 250);
      const findOwner = (): number => workers.findIndex(({ process: { pid } }) => String(pid) === lastOwner(base));
      // Every other time it is the owner: the others would hardly notice the loss of one of them.
      const isOwners = kill % 2 === 0;
      const known = facts.length;
      if (isOwners) await until(() => findOwner() >= 0 && facts.length > known + 2, { timeoutMs: 60_000 });
      const index = isOwners ? findOwner() : Math.floor(random() * workerCount);
      if (isOwners) killedOwners += 1;
      workers[index]?.process.kill("SIGKILL");
      await workers[index]?.exited;
      workers[index] = startWorker(base, `w${index}-${kill}`, facts);
    }
    const known = facts.length;
    await until(() => facts.length > known + 10, { timeoutMs: 60_000 });
    for (const { process: child } of workers) child.kill("SIGKILL");
    await Promise.all(workers.map(({ exited }) => exited));
    await startWorker(base, "last", facts, "drain").exited;
    expect(facts.filter(({ saw }) => saw === "violation")).toEqual([]);
    expect(killedOwners).toBeGreaterThanOrEqual(kills / 2);
    await checkJobs(base, facts);
    rmSync(base, { recursive: true });
  },
  120_000 + kills * 5_000,
);

function startWorker(base: string, label: string, facts: SharedFact[], mode = "load"): Worker {
  const child = spawn(process.execPath, [workerFile, base, label, mode], { stdio: ["ignore", "pipe", "inherit"] });
  const exited = new Promise((resolve) => child.once("close", resolve));
  const worker: Worker = { process: child, exited, isReady: false };
  running.add(worker);
  void exited.then(() => running.delete(worker));
  let rest = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      const fact = JSON.parse(line) as SharedFact;
      if (fact.saw === "ready") worker.isReady = true;
      facts.push(fact);
    }
  });
  return worker;
}

function lastOwner(base: string): string | undefined {
  try {
    return readFileSync(join(base, "owners"), "utf8").trim().split("\n").at(-1);
  } catch {
    return undefined;
  }
}

async function checkJobs(base: string, facts: readonly SharedFact[]): Promise<void> {
  const kind = defineKind({ name: "reader", onInterrupt: "restart", input: z.object({}), run: async () => null });
  const engine = await openEngine({ home: join(base, "home"), kinds: [kind] });
  try {
    const names: (string | undefined)[] = [];
    for (let cursor: string | undefined, isFirst = true; isFirst || cursor !== undefined; isFirst = false) {
      const page = await engine.list({}, { limit: 500, ...(cursor === undefined ? {} : { cursor }) });
      for (const { id, name, state } of page.jobs) {
        names.push(name);
        expect([name, state.status]).toEqual([name, "succeeded"]);
        const events = await engine.events(id, 0, 1_000);
        expect(events.filter(({ type }) => type === "job-finished")).toHaveLength(1);
      }
      ({ cursor } = page);
    }
    expect(new Set(names).size).toBe(names.length);
    const submitted = facts.flatMap((fact) => (fact.saw === "submitted" ? [fact.name] : []));
    expect(submitted.length).toBeGreaterThan(kills);
    expect(submitted.filter((name) => !names.includes(name))).toEqual([]);
    for (const fact of facts) if (fact.saw === "ended") expect(fact.result).toMatchObject({ answer: 7 });
  } finally {
    await engine.stop();
  }
}
