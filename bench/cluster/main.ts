import { resolve } from "node:path";
import { Client } from "pg";
import { installPackage } from "../../test/install-package.ts";
import { startPostgres, type PostgresServer } from "../../test/postgres/server.ts";
import { runInChild } from "../child.ts";
import { requireRedisServer, withRedisServer } from "../engine/redis-server.ts";
import { describeMachine } from "../machine.ts";
import { publishReport, type Row } from "../report.ts";
import { median, medians } from "../statistics.ts";
import { withTemporaryFolder } from "../temporary-folder.ts";
import { measureFollow, measureFullKey, measureIdleStart, measureNaps, measureRecovery, type Place } from "./across.ts";
import type { ContestRequest, ContestResult } from "./contest.ts";
import type { QueueName } from "./queue.ts";

const rounds = 3;
const maxRecoveryS = 9;
const maxFollowMs = 250;

async function main(): Promise<number> {
  const redis = requireRedisServer();
  await installPackage(resolve("bench/cluster/peer"));
  const machine = await describeMachine();
  const postgres = await startPostgres({ isDurable: true });
  try {
    const version = await askVersion(postgres);
    const rows = [...(await measureContest(postgres)), ...(await measureAcross(postgres))];
    const conditions = {
      ...machine,
      rounds: `${rounds}, contestants in turn, each in a fresh process with a fresh database; medians of the rounds`,
      postgres: `${version}, fsync and synchronous_commit on, on loopback, shared_buffers 128 MB`,
      longhaul: "submit and wait in one engine with 10 connections; kind with concurrency 50",
      "pg-boss":
        "12.35.0, 10 connections; send, and 50 loops of fetch and complete of one job; drained with fetch and complete of 50 jobs",
      "graphile-worker":
        "0.18.0, 10 connections, concurrency 50; addJob and its event job:success; neither local queue nor batches",
      bullmq: `Redis ${redis}, appendonly, appendfsync always, Unix socket; as in bench:engine`,
      idle: "submitted in one process, started in another; pg-boss with its notifications",
      naps: "jobs of 50 ms, workers with 10 slots, a process each; the submitter has none",
      recovery: "SIGKILL of a worker with 10 jobs, until the last of them has begun on another one; lease 6 s",
      follow: "a line every 100 ms, from its writing to its being read by an engine in another process",
      key: "a job with a free key, submitted in one process and started in another; 30,000 jobs wait for a full key, or none",
    };
    return await publishReport({ name: "cluster", conditions, rows });
  } finally {
    await postgres.remove();
  }
}

async function measureContest(postgres: PostgresServer): Promise<Row[]> {
  const results: Record<QueueName, ContestResult[]> = {
    longhaul: [],
    "pg-boss": [],
    "graphile-worker": [],
    bullmq: [],
  };
  for (let round = 0; round < rounds; round++) {
    for (const queue of ["longhaul", "pg-boss", "graphile-worker"] as const) {
      results[queue].push(await inPlace(postgres, ({ url, folder }) => contend({ queue, place: url, folder })));
    }
    const bullmq = await withTemporaryFolder((folder) =>
      withRedisServer(folder, "always", (socket) => contend({ queue: "bullmq", place: socket, folder })),
    );
    results.bullmq.push(bullmq);
  }
  const [ours, boss] = [medians(results.longhaul), medians(results["pg-boss"])];
  const [graphile, bullmq] = [medians(results["graphile-worker"]), medians(results.bullmq)];
  const inFlight = "submit→done 50 in flight, jobs/s";
  return [
    {
      figure: `${inFlight}, vs pg-boss`,
      ours: ours.inFlightPerSecond,
      peer: boss.inFlightPerSecond,
      goal: { atLeast: 2 },
    },
    {
      figure: "drain, jobs/s, vs pg-boss 50×50",
      ours: ours.drainPerSecond,
      peer: boss.drainPerSecond,
      goal: { atLeast: 0.25 },
    },
    {
      figure: `${inFlight}, vs graphile-worker`,
      ours: ours.inFlightPerSecond,
      peer: graphile.inFlightPerSecond,
      goal: { atLeast: 0.8 },
    },
    { figure: "drain, jobs/s, vs graphile-worker", ours: ours.drainPerSecond, peer: graphile.drainPerSecond },
    {
      figure: `${inFlight}, vs BullMQ always`,
      ours: ours.inFlightPerSecond,
      peer: bullmq.inFlightPerSecond,
      goal: { atLeast: 0.4 },
    },
  ];
}

async function measureAcross(postgres: PostgresServer): Promise<Row[]> {
  const repeat = async <Result>(measure: (place: Place) => Promise<Result>): Promise<Result[]> => {
    const results: Result[] = [];
    for (let round = 0; round < rounds; round++) results.push(await inPlace(postgres, measure));
    return results;
  };
  const ours = medians(await repeat((place) => measureIdleStart("longhaul", place)));
  const boss = medians(await repeat((place) => measureIdleStart("pg-boss", place)));
  const [one, four] = [await repeat((place) => measureNaps(1, place)), await repeat((place) => measureNaps(4, place))];
  const recovery = await repeat(measureRecovery);
  const follow = medians(await repeat(measureFollow));
  const [full, free] = [
    await repeat((place) => measureFullKey(true, place)),
    await repeat((place) => measureFullKey(false, place)),
  ];
  return [
    {
      figure: "idle submit→start p50, ms, vs pg-boss notify",
      ours: ours.p50Ms,
      peer: boss.p50Ms,
      goal: { atMost: 0.9 },
    },
    { figure: "idle submit→start p99, ms, vs pg-boss notify", ours: ours.p99Ms, peer: boss.p99Ms },
    { figure: "50 ms jobs/s, 4 workers vs 1", ours: median(four), peer: median(one), goal: { atLeast: 3 } },
    { figure: `recovery, s, against ${maxRecoveryS}`, ours: median(recovery), peer: maxRecoveryS, goal: { atMost: 1 } },
    { figure: "follow from another server p50, ms", ours: follow.p50Ms },
    {
      figure: `follow from another server p99, ms, against ${maxFollowMs}`,
      ours: follow.p99Ms,
      peer: maxFollowMs,
      goal: { atMost: 1 },
    },
    {
      figure: "submit→start p50, ms, behind 30k jobs of a full key vs none",
      ours: median(full),
      peer: median(free),
      goal: { atMost: 1.5 },
    },
  ];
}

function contend(request: ContestRequest): Promise<ContestResult> {
  return runInChild(new URL("./contest.js", import.meta.url), request);
}

/** With a database and a folder of its own. */
async function inPlace<Result>(postgres: PostgresServer, measure: (place: Place) => Promise<Result>): Promise<Result> {
  const name = `bench_${crypto.randomUUID().replaceAll("-", "")}`;
  await runSql(postgres, `CREATE DATABASE ${name}`);
  try {
    return await withTemporaryFolder((folder) => measure({ url: postgres.url(name), folder }));
  } finally {
    await runSql(postgres, `DROP DATABASE ${name} WITH (FORCE)`);
  }
}

async function askVersion(postgres: PostgresServer): Promise<string> {
  const [row] = await runSql(postgres, "SHOW server_version");
  return String(row?.["server_version"]);
}

async function runSql(postgres: PostgresServer, sql: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: postgres.url("postgres") });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}

try {
  process.exitCode = await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 2;
}
