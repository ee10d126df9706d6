import { join } from "node:path";
import { runInChild } from "../child.ts";
import { describeMachine } from "../machine.ts";
import { publishReport, type Row } from "../report.ts";
import { medians } from "../statistics.ts";
import { withTemporaryFolder } from "../temporary-folder.ts";
import { timeCommand } from "./command.ts";
import type { MeasureRequest } from "./measure.ts";
import { measurePs } from "./server-ps.ts";
import { concurrency } from "./shell-engine.ts";
import { requireTaskSpooler, timeTaskSpooler } from "./task-spooler.ts";

const rounds = 3;
const manyJobs = 1_000;
const captureBytes = 1_000_000_000;
const memoryBytes = 5_000_000_000;
const memoryAllowanceMb = 20;

/** One round: milliseconds, and megabytes for the memory. */
interface Round {
  readonly manyMs: number;
  readonly xargsMs: number;
  readonly taskSpoolerMs: number;
  readonly firstByteMs: number;
  readonly bareFirstByteMs: number;
  readonly captureMs: number;
  readonly redirectMs: number;
  readonly memoryMb: number;
}

async function main(): Promise<number> {
  const taskSpooler = requireTaskSpooler();
  const machine = await describeMachine();
  const taken: Round[] = [];
  for (let round = 0; round < rounds; round++) taken.push(await measureRound());
  const ps = await measurePs();
  const conditions = {
    ...machine,
    rounds: `${rounds}, contestants in turn, each in a fresh process with a fresh folder; medians of the rounds`,
    longhaul: `engine and shell kind in one process, default configuration, concurrency ${concurrency}; submitMany and wait; 50 jobs before to warm up`,
    xargs: `seq ${manyJobs} | xargs -P ${concurrency} -I{} bash -c true`,
    taskSpooler: `tsp ${taskSpooler}, -S ${concurrency}; server started before, a bash loop of ${manyJobs} × tsp -n bash -c true, then tsp -l every 20 ms until all have finished`,
    firstByte:
      "100 jobs `echo x` one by one, p50; engine.wait until readOutput has a byte, against the first data of a child process's pipe",
    capture:
      "head -c 1000000000 /dev/zero, cap 100 MB, submit to done, against bash -c with > file on the same filesystem",
    memory:
      "head -c 5000000000 /dev/zero, cap 100 MB; RSS every 100 ms, most minus that after a job of 200 MB and a garbage collection",
    ps: "node dist/server/main.js ps, 10 finished jobs, 20 times in turn with node -e 0; medians",
  };
  return publishReport({ name: "shell", conditions, rows: [...toRows(medians(taken)), ...ps] });
}

async function measureRound(): Promise<Round> {
  return {
    manyMs: await runInFolder((home) => ({ type: "many", home, jobs: manyJobs })),
    xargsMs: await timeCommand("bash", ["-c", `seq ${manyJobs} | xargs -P ${concurrency} -I{} bash -c true`]),
    taskSpoolerMs: await withTemporaryFolder((folder) => timeTaskSpooler(folder, manyJobs, concurrency)),
    firstByteMs: await runInFolder((home) => ({ type: "first-byte", home })),
    bareFirstByteMs: await run({ type: "bare-first-byte" }),
    captureMs: await runInFolder((home) => ({ type: "capture", home, bytes: captureBytes })),
    redirectMs: await withTemporaryFolder(timeRedirect),
    memoryMb: await runInFolder((home) => ({ type: "memory", home, bytes: memoryBytes })),
  };
}

function timeRedirect(folder: string): Promise<number> {
  return timeCommand("bash", ["-c", `head -c ${captureBytes} /dev/zero > "$0"`, join(folder, "zeros")]);
}

function runInFolder(request: (home: string) => MeasureRequest): Promise<number> {
  return withTemporaryFolder((home) => run(request(home)));
}

function run(request: MeasureRequest): Promise<number> {
  return runInChild(new URL("./measure.js", import.meta.url), request);
}

function toRows(round: Round): Row[] {
  const many = "1,000 × true, 8 at once, ms";
  return [
    { figure: `${many}, vs xargs`, ours: round.manyMs, peer: round.xargsMs, goal: { atMost: 1.5 } },
    { figure: `${many}, vs task-spooler`, ours: round.manyMs, peer: round.taskSpoolerMs, goal: { atMost: 0.5 } },
    { figure: "start→first byte p50, ms, vs bare spawn", ours: round.firstByteMs, peer: round.bareFirstByteMs },
    {
      figure: "output of a fast writer, MB/s, vs > file",
      ours: toMbPerSecond(round.captureMs),
      peer: toMbPerSecond(round.redirectMs),
      goal: { atLeast: 0.8 },
    },
    {
      figure: `growth of RSS, MB, job writes 5 GB, vs allowance of ${memoryAllowanceMb} MB`,
      ours: round.memoryMb,
      peer: memoryAllowanceMb,
      goal: { atMost: 1 },
    },
  ];
}

function toMbPerSecond(elapsedMs: number): number {
  return captureBytes / 1_000 / elapsedMs;
}

try {
  process.exitCode = await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 2;
}
