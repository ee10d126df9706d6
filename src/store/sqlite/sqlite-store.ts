import { LonghaulError } from "../../job/error.ts";
import * as transitions from "../../job/transitions.ts";
import type { JobId } from "../../job/id.ts";
import type { OutputStore } from "../output-store.ts";
import type { BeatAnswer, HeldLease, Hint, Store, StatusCount } from "../store.ts";
import { applyChange, changeJob, findHeld } from "./change.ts";
import { adoptJob, claimJobs, findLost } from "./claim.ts";
import { countBlocking, createJobs } from "./create.ts";
import type { Database } from "./database.ts";
import { cacheStatements, type Connection } from "./driver.ts";
import { GroupCommit } from "./group-commit.ts";
import { listJobs } from "./list.ts";
import { findExpired, purgeJobs } from "./purge.ts";
import { answerQuestion, askQuestion, listQuestions } from "./questions.ts";
import { findJob, jobColumns, readEvents, toFound, type JobRow } from "./rows.ts";
import { Turns } from "./turns.ts";

export interface SqliteParts {
  readonly connection: Connection;
  readonly createOutput: (onGrown: (id: JobId) => void) => OutputStore;
  readonly onClose: () => void;
}

/** The store on one SQLite file. Reads are answered at once; writes of one turn of the event loop share a commit. */
export function createSqliteStore({ connection, createOutput, onClose }: SqliteParts): Store {
  const listeners = new Set<(hint: Hint) => void>();
  let hints: Hint[] = [];
  const db: Database = { sql: cacheStatements(connection), hint: (hint) => hints.push(hint) };
  const publish = (hint: Hint): void => {
    for (const listener of listeners) listener(hint);
  };
  const commits = new GroupCommit(connection, {
    onCommit: () => {
      const committed = hints;
      hints = [];
      committed.forEach(publish);
    },
    onRollback: () => {
      hints = [];
    },
  });
  const output = createOutput((id) => publish({ type: "output-grown", id }));
  const turns = Turns.load(db);
  const write = <T>(run: () => T): Promise<T> => commits.write(run);

  return {
    capabilities: { isExclusive: true },
    output,
    ...readVerbs(db),
    ...leaseVerbs(db, write),

    create: (drafts) => write(() => createJobs(db, drafts, turns)),
    claim: (request) => commits.writeLast(() => claimJobs(db, request, turns)),
    cancel: (id, request) =>
      write(() => {
        const found = findJob(db, id);
        if (found === undefined) return undefined;
        const change = transitions.requestCancel(found.job, request);
        return change === undefined ? found.job : applyChange(db, found, change, request.at);
      }),
    retry: (id, { at, by }) =>
      write(() => {
        const found = findJob(db, id);
        if (found === undefined) return undefined;
        const change = transitions.retryByHand(found.job, at, by);
        if (change === undefined) {
          throw new LonghaulError(
            "conflict",
            `Job ${id} is ${found.job.state.status}; only a job that failed, timed out or was cancelled can be retried.`,
          );
        }
        return applyChange(db, { ...found, blocked: countBlocking(db, found.job) }, change, at);
      }),
    answer: (id, answering) => write(() => answerQuestion(db, id, answering)),
    expireQueued: (now, limit) =>
      write(() => {
        const rows = db
          .sql(`SELECT ${jobColumns} FROM jobs j WHERE j.deadline_at <= ? ORDER BY j.deadline_at LIMIT ?`)
          .all(now, limit) as JobRow[];
        return rows.filter((row) => {
          const found = toFound(row);
          const change = transitions.expireInQueue(found.job, now);
          return change !== undefined && applyChange(db, found, change, now);
        }).length;
      }),
    setPaused: (kind, isPaused) =>
      write(() => {
        const sql = isPaused
          ? "INSERT OR IGNORE INTO paused_kinds (kind) VALUES (?)"
          : "DELETE FROM paused_kinds WHERE kind = ?";
        db.sql(sql).run(kind);
        db.hint({ type: "job-ready" });
      }),
    purge: async (now, limit) => {
      const ids = findExpired(db, now, limit);
      // Files first: a crash between the two leaves a job without output that the next purge removes, never a stray file.
      await Promise.all(ids.map((id) => output.remove(id)));
      return write(() => purgeJobs(db, ids, now));
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close: async () => {
      commits.flush();
      listeners.clear();
      connection.close();
      onClose();
    },
  };
}

type ReadVerb =
  | "get"
  | "payload"
  | "list"
  | "count"
  | "idsEndingWith"
  | "tombstone"
  | "jobsAhead"
  | "read"
  | "lost"
  | "loadCheckpoint"
  | "questions"
  | "pausedKinds";

function readVerbs(db: Database): Pick<Store, ReadVerb> {
  return {
    get: async (id) => findJob(db, id)?.job,
    payload: async (id) => {
      const row = db
        .sql(
          `SELECT i.input, r.result FROM jobs j JOIN inputs i ON i.job = j.num LEFT JOIN results r ON r.job = j.num
           WHERE j.id = ?`,
        )
        .get(id) as { input: string; result: string | null } | undefined;
      if (row === undefined) return undefined;
      return { input: row.input, ...(row.result === null ? {} : { result: row.result }) };
    },
    list: async (filter, page) => listJobs(db, filter, page),
    count: async ({ owner, batch }) => {
      const where = `${owner === undefined ? "?1 IS NULL" : "owner = ?1"} AND ${batch === undefined ? "?2 IS NULL" : "batch = ?2"}`;
      return db
        .sql(`SELECT kind, status, count(*) AS count FROM jobs WHERE ${where} GROUP BY kind, status`)
        .all(owner ?? null, batch ?? null)
        .map((row) => ({ ...(row as StatusCount) }));
    },
    idsEndingWith: async (suffix, owner, limit) => {
      const rows = db
        .sql("SELECT id FROM jobs WHERE id LIKE '%' || ?1 AND (?2 IS NULL OR owner = ?2) ORDER BY id DESC LIMIT ?3")
        .all(suffix.replace(/[^0-9a-f-]/g, "?"), owner ?? null, limit);
      return (rows as { id: JobId }[]).map(({ id }) => id);
    },
    tombstone: async (id) => {
      const row = db.sql("SELECT owner, purged_at FROM tombstones WHERE id = ?").get(id);
      if (row === undefined) return undefined;
      const { owner, purged_at: purgedAt } = row as { owner: string; purged_at: number };
      return { owner, purgedAt };
    },
    jobsAhead: async (id, limit) => countAhead(db, id, limit),
    read: async (id, after, limit) => readEvents(db, id, after, limit),
    lost: async (before, limit) =>
      db
        .sql(`SELECT ${jobColumns} FROM jobs j WHERE j.lease_expires_at < ? ORDER BY j.lease_expires_at LIMIT ?`)
        .all(before, limit)
        .map((row) => toFound(row as JobRow).job),
    loadCheckpoint: async (id) => {
      const row = db.sql("SELECT checkpoint FROM checkpoints WHERE job = (SELECT num FROM jobs WHERE id = ?)").get(id);
      return (row as { checkpoint: string } | undefined)?.checkpoint;
    },
    questions: async (id) => listQuestions(db, id),
    pausedKinds: async () =>
      (db.sql("SELECT kind FROM paused_kinds ORDER BY kind").all() as { kind: string }[]).map(({ kind }) => kind),
  };
}

function countAhead(db: Database, id: JobId, limit: number): number | undefined {
  const mine = db.sql("SELECT num, kind, priority, turn FROM jobs WHERE id = ? AND ready = 1").get(id) as
    | { num: number; kind: string; priority: number; turn: number }
    | undefined;
  if (mine === undefined) return undefined;
  const row = db
    .sql(
      `SELECT count(*) AS count FROM (SELECT 1 FROM jobs INDEXED BY jobs_ready
       WHERE kind = ?1 AND ready = 1 AND (priority > ?2 OR (priority = ?2 AND (turn, num) < (?3, ?4))) LIMIT ?5)`,
    )
    .get(mine.kind, mine.priority, mine.turn, mine.num, limit) as { count: number };
  return row.count;
}

type LeaseVerb =
  | "append"
  | "beat"
  | "settle"
  | "adopt"
  | "abandon"
  | "release"
  | "report"
  | "stall"
  | "saveCheckpoint"
  | "ask";

/** The verbs of a worker: each counts only while its lease does. */
function leaseVerbs(db: Database, write: <T>(run: () => T) => Promise<T>): Pick<Store, LeaseVerb> {
  return {
    append: (lease, events, at) =>
      write(() => {
        const found = findHeld(db, lease);
        if (found === undefined) return false;
        applyChange(db, found, { state: found.job.state, events }, at);
        return true;
      }),
    beat: (leases, expiresAt) => write(() => beatAll(db, leases, expiresAt)),
    settle: (lease, outcome, { now, result }) =>
      write(() => {
        const found = findHeld(db, lease);
        const change = found === undefined ? undefined : transitions.settle(found.job, lease, outcome, now);
        if (found === undefined || change === undefined) return undefined;
        if (result !== undefined && change.state.status === "succeeded") {
          db.sql("INSERT OR REPLACE INTO results (job, result) VALUES (?, ?)").run(found.num, result);
        }
        return applyChange(db, found, change, now);
      }),
    adopt: (lost, request) => write(() => adoptJob(db, lost, request)),
    abandon: (lost, outcome, now) =>
      write(() => {
        const found = findLost(db, lost);
        const change = found === undefined ? undefined : transitions.abandon(found.job, outcome, now);
        return found === undefined || change === undefined ? undefined : applyChange(db, found, change, now);
      }),
    release: (lease) =>
      write(() => {
        const found = findHeld(db, lease);
        if (found !== undefined) db.sql("UPDATE jobs SET lease_expires_at = 0 WHERE num = ?").run(found.num);
      }),
    report: (lease, { progress, isEvent, at }) =>
      write(() => isChanged(changeJob(db, lease.id, at, (job) => transitions.report(job, lease, progress, isEvent)))),
    stall: (lease, since, now) =>
      write(() => isChanged(changeJob(db, lease.id, now, (job) => transitions.stall(job, lease, since, now)))),
    saveCheckpoint: (lease, checkpoint) =>
      write(() => {
        const found = findHeld(db, lease);
        if (found === undefined) return false;
        db.sql("INSERT OR REPLACE INTO checkpoints (job, checkpoint) VALUES (?, ?)").run(found.num, checkpoint);
        return true;
      }),
    ask: (lease, asking) => write(() => askQuestion(db, lease, asking)),
  };
}

function isChanged(job: unknown): boolean {
  return job !== undefined;
}

const beatOne = `UPDATE jobs SET lease_expires_at = ?
  WHERE id = ? AND fence = ? AND status IN ('running', 'waiting') RETURNING state ->> '$.cancelRequest.reason' AS reason`;

function beatAll(db: Database, leases: readonly HeldLease[], expiresAt: number): BeatAnswer {
  const answer: BeatAnswer = { lost: [], cancelled: [] };
  for (const lease of leases) {
    const row = db.sql(beatOne).get(expiresAt, lease.id, lease.fence) as { reason: string | null } | undefined;
    if (row === undefined) answer.lost.push(lease.id);
    else if (row.reason !== null) answer.cancelled.push({ id: lease.id, reason: row.reason });
  }
  return answer;
}
