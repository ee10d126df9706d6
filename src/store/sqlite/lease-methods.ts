import * as transitions from "../../job/transitions.ts";
import type { JobId } from "../../job/id.ts";
import { settleAttempt, withLeaseEnd } from "../rules/leases.ts";
import type { BeatAnswer, HeldLease, Store } from "../store.ts";
import { applyChange, changeJob, findHeld } from "./change.ts";
import { adoptJob, findLost } from "./claim.ts";
import type { Database, Write } from "./database.ts";
import { askQuestion } from "./questions.ts";
import { findJob } from "./rows.ts";
import type { StoredJob } from "../rules/change.ts";

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
export function leaseVerbs(db: Database, write: Write): Pick<Store, LeaseVerb> {
  return {
    append: (lease, events, at) =>
      write(() => {
        const found = findHeld(db, lease);
        if (found === undefined) return false;
        applyChange(db, found, { state: found.job.state, events }, at);
        return true;
      }),
    beat: (leases, expiresAt) => write(() => beatAll(db, leases, expiresAt)),
    settle: (lease, outcome, settlement) =>
      write(() => {
        const found = findJob(db, lease.id);
        const settled = found && settleAttempt(found.job, lease, outcome, settlement);
        if (found === undefined || settled === undefined) return undefined;
        if (settled.result !== undefined) {
          db.sql("INSERT OR REPLACE INTO results (job, result) VALUES (?, ?)").run(found.num, settled.result);
        }
        return applyChange(db, found, settled.change, settlement.now);
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
        if (found === undefined) return;
        moveLeaseEnd(db, lease.id, 0);
        db.sql("UPDATE jobs SET lease_expires_at = 0 WHERE num = ?").run(found.num);
      }),
    report: (lease, { progress, isEvent, at }) =>
      write(() => isChanged(changeJob(db, lease.id, at, (job) => transitions.report(job, lease, progress, isEvent)))),
    stall: (lease, since, now) =>
      write(() => isChanged(changeJob(db, lease.id, now, (job) => transitions.stall(job, lease, since, now)))),
    saveCheckpoint: (lease, checkpoint) =>
      write(() => {
        const found = findHeld(db, lease);
        if (found === undefined) return false;
        clearLosses(db, found, lease, checkpoint);
        db.sql("INSERT OR REPLACE INTO checkpoints (job, checkpoint) VALUES (?, ?)").run(found.num, checkpoint);
        db.checkpointed.add(found.num);
        return true;
      }),
    ask: (lease, asking) => write(() => askQuestion(db, lease, asking)),
  };
}

/** Before the checkpoint is stored: one that is the same as the last shows no progress. */
function clearLosses(db: Database, found: StoredJob, lease: HeldLease, checkpoint: string): void {
  const change = transitions.advance(found.job, lease);
  if (change === undefined) return;
  const row = db.sql("SELECT checkpoint FROM checkpoints WHERE job = ?").get(found.num) as
    | { checkpoint: string }
    | undefined;
  // It makes no event, so its time is of no interest.
  if (row?.checkpoint !== checkpoint) applyChange(db, found, change, 0);
}

function isChanged(job: unknown): boolean {
  return job !== undefined;
}

const beatOne = `UPDATE jobs SET lease_expires_at = ?
  WHERE id = ? AND fence = ? AND state ->> '$.lease.worker' = ? AND status IN ('running', 'waiting') RETURNING state ->> '$.cancelRequest.reason' AS reason`;

function beatAll(db: Database, leases: readonly HeldLease[], expiresAt: number): BeatAnswer {
  const answer: BeatAnswer = { lost: [], cancelled: [] };
  for (const lease of leases) {
    const row = db.sql(beatOne).get(expiresAt, lease.id, lease.fence, lease.worker) as
      | { reason: string | null }
      | undefined;
    if (row !== undefined) moveLeaseEnd(db, lease.id, expiresAt);
    if (row === undefined) answer.lost.push(lease.id);
    else if (row.reason !== null) answer.cancelled.push({ id: lease.id, reason: row.reason });
  }
  return answer;
}

/** The job that is kept in memory has to follow. */
function moveLeaseEnd(db: Database, id: JobId, expiresAt: number): void {
  const found = db.jobs.get(id);
  if (found === undefined) return;
  db.jobs.set({ ...found, job: { ...found.job, state: withLeaseEnd(found.job.state, expiresAt) } });
}
