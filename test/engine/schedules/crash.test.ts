import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterEach, expect, onTestFailed, test } from "vitest";
import { openEngine, type Engine } from "../../../src/index.ts";
import { plans, quick } from "../../fixtures/schedule-worker.ts";
import { seededRandom } from "../../seeded-random.ts";
import { makeTempFolder } from "../../temp-folder.ts";
import { until } from "../../until.ts";

const rounds = Math.min(Number(process.env["LONGHAUL_CRASH_ROUNDS"] ?? 12), 50);
const seed = Number(process.env["LONGHAUL_CRASH_SEED"] ?? Date.now() % 1_000_000);
const workerFile = fileURLToPath(new URL("../../../.build/test/fixtures/schedule-worker.js", import.meta.url));
const periodMs = 1_000;

let worker: ChildProcess | undefined;

afterEach(() => {
  worker?.kill("SIGKILL");
});

/** Lets an engine live until about the moment at which a planned time comes, and kills it. */
async function liveUntilPlannedTime(home: string, random: () => number): Promise<void> {
  worker = fork(workerFile, [home], { stdio: ["ignore", "inherit", "inherit", "ipc"] });
  const exited = once(worker, "exit");
  const [{ from }] = (await Promise.race([once(worker, "message"), exited])) as [{ from: number }];
  const toNextMs = periodMs - ((Date.now() - from) % periodMs);
  // Just before it, while its jobs are made and started, or just after.
  await sleep(Math.max(0, toNextMs - 5 + random() * 40));
  worker.kill("SIGKILL");
  await exited;
}

async function plannedTimes(engine: Engine, name: string): Promise<number[]> {
  const { id } = await engine.schedules.get(name);
  const times: number[] = [];
  let cursor: string | undefined;
  do {
    const page = await engine.list({ schedule: id }, { limit: 1_000, cursor });
    times.push(...page.jobs.map((job) => job.schedule?.plannedAt ?? 0));
    cursor = page.cursor;
  } while (cursor !== undefined);
  return times.toReversed();
}

test(
  "killed around its planned times, an engine runs none of them twice and loses none",
  async () => {
    onTestFailed(() => console.error(`seed ${seed} (set LONGHAUL_CRASH_SEED)`));
    const random = seededRandom(seed);
    const home = makeTempFolder();
    for (let round = 0; round < rounds; round++) await liveUntilPlannedTime(home, random);
    const engine = await openEngine({ home, kinds: [quick] });
    try {
      const isSeenTo = async (): Promise<boolean> =>
        (await engine.schedules.list()).every(({ nextAt = 0 }) => nextAt > Date.now());
      await until(isSeenTo);
      for (const { name } of plans) await engine.schedules.pause(name);
      for (const { name, missed } of plans) {
        const schedule = await engine.schedules.get(name);
        const times = await plannedTimes(engine, name);
        expect(new Set(times).size, `${name}: no time twice`).toBe(times.length);
        expect(times.length).toBe(schedule.counts.runs);
        expect(times.length).toBeGreaterThan(0);
        const [newest] = await engine.schedules.runs(name, 1);
        const last = newest?.plannedAt ?? 0;
        const count = (last - schedule.createdAt) / periodMs;
        const all = Array.from({ length: count }, (_, index) => schedule.createdAt + (index + 1) * periodMs);
        if (missed === "all") expect(times, `${name}: none is lost`).toEqual(all);
        else
          expect(times.length + schedule.counts.missed + schedule.counts.overlap, `${name}: each is told of`).toBe(
            count,
          );
      }
    } finally {
      await engine.stop();
    }
  },
  120_000 + rounds * 10_000,
);
