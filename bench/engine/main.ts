import { runInChild } from "../child.ts";
import { describeMachine } from "../machine.ts";
import { publishReport, type Goal, type Row } from "../report.ts";
import { medians } from "../statistics.ts";
import { withTemporaryFolder } from "../temporary-folder.ts";
import type { ContestRequest, ContestResult } from "./contest.ts";
import { measureGrowth } from "./growth.ts";
import { requireRedisServer, withRedisServer, type AppendFsync } from "./redis-server.ts";

const rounds = 3;

type Contestant = "longhaul" | "everysec" | "always" | "bare";

const peers = [
  ["everysec", "BullMQ everysec"],
  ["always", "BullMQ always"],
  ["bare", "bare SQLite loop"],
] as const satisfies [Contestant, string][];

const figures: readonly { name: string; result: keyof ContestResult; goals?: Partial<Record<Contestant, Goal>> }[] = [
  { name: "submit→done one by one, jobs/s", result: "oneByOnePerSecond" },
  {
    name: "submit→done 50 in flight, jobs/s",
    result: "inFlightPerSecond",
    goals: { everysec: { atLeast: 1.5 }, always: { atLeast: 2 }, bare: { atLeast: 0.4 } },
  },
  { name: "submit→done bulk, jobs/s", result: "bulkPerSecond" },
  { name: "idle submit→start p50, ms", result: "idleStartP50Ms", goals: { everysec: { atMost: 0.6 } } },
  { name: "idle submit→start p99, ms", result: "idleStartP99Ms" },
];

async function main(): Promise<number> {
  const redis = requireRedisServer();
  const machine = await describeMachine();
  const contest = await measureContest();
  const growth = await measureGrowth(rounds);
  const conditions = {
    ...machine,
    rounds: `${rounds}, contestants in turn, each in a fresh process with a fresh store; medians of the rounds`,
    longhaul: "SQLite, synchronous=FULL; submit and wait; kind with concurrency 50",
    bullmq: `Redis ${redis}, appendonly, appendfsync everysec or always, no snapshots, Unix socket; queue.add and job.waitUntilFinished, bulk by addBulk of 1,000 and the worker's completed events; one worker with concurrency 50 in the same process; queue, worker and events with a connection each`,
    bare: "Longhaul's driver and pragmas; per job 1 insert, 2 updates and 3 events in two transactions, 50 jobs in each for 50 in flight",
    bulk: "5,000 jobs, 1,000 per call",
    stored: "finished no-op jobs; RSS after 400 lists, 200 submits and a garbage collection in a fresh process",
  };
  return publishReport({ name: "engine", conditions, rows: [...toRows(contest), ...growth] });
}

async function measureContest(): Promise<Record<Contestant, ContestResult>> {
  const results: Record<Contestant, ContestResult[]> = { longhaul: [], everysec: [], always: [], bare: [] };
  for (let round = 0; round < rounds; round++) {
    results.longhaul.push(await runInFolder("longhaul"));
    results.everysec.push(await runOnRedis("everysec"));
    results.always.push(await runOnRedis("always"));
    results.bare.push(await runInFolder("bare-sqlite"));
  }
  return {
    longhaul: medians(results.longhaul),
    everysec: medians(results.everysec),
    always: medians(results.always),
    bare: medians(results.bare),
  };
}

function runInFolder(contestant: "longhaul" | "bare-sqlite"): Promise<ContestResult> {
  return withTemporaryFolder((folder) => run({ contestant, folder }));
}

function runOnRedis(appendFsync: AppendFsync): Promise<ContestResult> {
  return withTemporaryFolder((folder) =>
    withRedisServer(folder, appendFsync, (socket) => run({ contestant: "bullmq", socket })),
  );
}

function run(request: ContestRequest): Promise<ContestResult> {
  return runInChild(new URL("./contest.js", import.meta.url), request);
}

function toRows(contest: Record<Contestant, ContestResult>): Row[] {
  return figures.flatMap(({ name, result, goals }) =>
    peers.map(([peer, peerName]) => ({
      figure: `${name}, vs ${peerName}`,
      ours: contest.longhaul[result],
      peer: contest[peer][result],
      goal: goals?.[peer],
    })),
  );
}

try {
  process.exitCode = await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 2;
}
