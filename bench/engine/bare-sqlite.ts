import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { connect, type Connection } from "../../src/store/sqlite/driver.ts";
import { concurrency, sampleIdle, splitBulk, type Contestant } from "./contestant.ts";

/** The pragmas of Longhaul's own store. */
const schema = `
  PRAGMA locking_mode = EXCLUSIVE;
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = FULL;
  PRAGMA cache_size = -16000;
  PRAGMA temp_store = MEMORY;
  PRAGMA wal_autocheckpoint = 4000;
  CREATE TABLE jobs (
    num INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, kind TEXT NOT NULL, owner TEXT NOT NULL, status TEXT NOT NULL,
    created_at INTEGER NOT NULL, started_at INTEGER, finished_at INTEGER, input TEXT NOT NULL, result TEXT
  ) STRICT;
  CREATE INDEX jobs_status ON jobs (status);
  CREATE TABLE events (
    job INTEGER NOT NULL, seq INTEGER NOT NULL, at INTEGER NOT NULL, type TEXT NOT NULL, PRIMARY KEY (job, seq)
  ) STRICT, WITHOUT ROWID;
`;

/**
 * The limit: only the writes that any durable job needs, in a loop. It inserts and claims in one transaction and
 * finishes in the next, as a store must that answers when a job is stored and again when it is done.
 */
export async function openBareSqlite(folder: string): Promise<Contestant> {
  const connection = await connect(join(folder, "bare.db"), { isReadOnly: false });
  connection.exec(schema);
  const writes = prepareWrites(connection);
  const transaction: Transaction = (body) => {
    connection.exec("BEGIN IMMEDIATE");
    body();
    connection.exec("COMMIT");
  };
  const startMany = (jobs: number): number[] => {
    const started: number[] = [];
    transaction(() => {
      for (let count = 0; count < jobs; count++) started.push(writes.start(writes.insert()));
    });
    return started;
  };
  const finishMany = (jobs: readonly number[]): void => transaction(() => jobs.forEach((job) => writes.finish(job)));
  const runTogether = (jobs: number, width: number): void => {
    for (let from = 0; from < jobs; from += width) finishMany(startMany(Math.min(width, jobs - from)));
  };
  return {
    oneByOne: async (jobs) => runTogether(jobs, 1),
    inFlight: async (jobs, width) => runTogether(jobs, width),
    bulk: async (jobs) => drain(insertBulk(jobs, writes, transaction), writes, transaction),
    idleStarts: (samples) =>
      sampleIdle(samples, async () => {
        const submittedAt = performance.now();
        const started = startMany(1);
        const waited = performance.now() - submittedAt;
        finishMany(started);
        return waited;
      }),
    close: async () => connection.close(),
  };
}

type Transaction = (body: () => void) => void;

interface Writes {
  readonly insert: () => number;
  readonly start: (job: number) => number;
  readonly finish: (job: number) => void;
}

function prepareWrites(connection: Connection): Writes {
  const insert = connection.prepare(
    "INSERT INTO jobs (id, kind, owner, status, created_at, input) VALUES (?, 'noop', 'local', 'queued', ?, ?)",
  );
  const start = connection.prepare("UPDATE jobs SET status = 'running', started_at = ? WHERE num = ?");
  const finish = connection.prepare("UPDATE jobs SET status = 'succeeded', finished_at = ?, result = ? WHERE num = ?");
  const event = connection.prepare("INSERT INTO events (job, seq, at, type) VALUES (?, ?, ?, ?)");
  return {
    insert: () => {
      const now = Date.now();
      const job = Number(insert.run(newId(now), now, '{"n":1}').lastInsertRowid);
      event.run(job, 1, now, "submitted");
      return job;
    },
    start: (job) => {
      const now = Date.now();
      start.run(now, job);
      event.run(job, 2, now, "started");
      return job;
    },
    finish: (job) => {
      const now = Date.now();
      finish.run(now, '{"n":1}', job);
      event.run(job, 3, now, "succeeded");
    },
  };
}

/** Rises with time, as Longhaul's ids do: random ids would scatter over the whole index. */
function newId(now: number): string {
  return now.toString(16).padStart(13, "0") + randomUUID().slice(13);
}

function insertBulk(jobs: number, writes: Writes, transaction: Transaction): number[] {
  const inserted: number[] = [];
  for (const size of splitBulk(jobs)) {
    transaction(() => {
      for (let count = 0; count < size; count++) inserted.push(writes.insert());
    });
  }
  return inserted;
}

/** Each transaction finishes the jobs of the one before and starts the next ones. */
function drain(waiting: readonly number[], writes: Writes, transaction: Transaction): void {
  let running: readonly number[] = [];
  for (let from = 0; from < waiting.length || running.length > 0; from += concurrency) {
    const next = waiting.slice(from, from + concurrency);
    transaction(() => {
      running.forEach((job) => writes.finish(job));
      next.forEach((job) => writes.start(job));
    });
    running = next;
  }
}
