import type { JobId } from "../../job/id.ts";
import type { Job } from "../../job/job.ts";
import { isTerminal, type TerminalState } from "../../job/state.ts";
import { isHeldBy, type Change } from "../../job/transitions.ts";
import type { StoredJob } from "../rules/change.ts";
import { followEnd } from "../rules/ends.ts";
import type { HeldLease } from "../store.ts";
import type { Database } from "./database.ts";
import { findByNumber, findJob, writeChange } from "./rows.ts";
import { indexFailure } from "./search.ts";

/** Reads a job, lets `decide` make the change, and writes it with all that follows. Undefined if nothing changed. */
export function changeJob(
  db: Database,
  id: JobId,
  now: number,
  decide: (job: Job) => Change | undefined,
): Job | undefined {
  const found = findJob(db, id);
  const change = found === undefined ? undefined : decide(found.job);
  return found === undefined || change === undefined ? undefined : applyChange(db, found, change, now);
}

export function findHeld(db: Database, lease: HeldLease): StoredJob | undefined {
  const found = findJob(db, lease.id);
  return found !== undefined && isHeldBy(found.job.state, lease) ? found : undefined;
}

/** Writes a change and all that follows from it: a list of ends to follow, because a chain of dependents may be long. */
export function applyChange(db: Database, found: StoredJob, change: Change, now: number): Job {
  const changed = writeChange(db, found, change, now);
  const ends = [changed];
  for (const end of ends) {
    if (isTerminal(end.job.state)) ends.push(...applyEnd(db, end, end.job.state, now));
  }
  return changed.job;
}

/** Writes what the end of one job changes; returns the jobs that it changed. */
function applyEnd(db: Database, ended: StoredJob, state: TerminalState, now: number): StoredJob[] {
  const isSuccess = state.status === "succeeded";
  if (isSuccess && db.checkpointed.delete(ended.num)) {
    db.sql("DELETE FROM checkpoints WHERE job = ?").run(ended.num);
  }
  if ("failure" in state) indexFailure(db, ended.num);
  const dependents = db.needed.has(ended.num) ? findDependents(db, ended) : [];
  const children = isSuccess ? [] : findChildren(db, ended);
  return followEnd(ended.job, { dependents, children }, now).flatMap((consequence) => {
    const { stored, change } = consequence;
    const changed = change === undefined ? [] : [writeChange(db, stored, change, now)];
    if (consequence.type === "cancelled") return changed;
    unblock(db, stored, now);
    return [];
  });
}

function findDependents(db: Database, { num }: StoredJob): StoredJob[] {
  const rows = db.sql("SELECT job AS num FROM dependencies WHERE needs = ?").all(num);
  return findAll(db, rows as { num: number }[]);
}

/** Those that have ended are left out. */
function findChildren(db: Database, { job }: StoredJob): StoredJob[] {
  const rows = db.sql("SELECT num FROM jobs WHERE parent = ? AND expires_at IS NULL").all(job.id);
  return findAll(db, rows as { num: number }[]);
}

function findAll(db: Database, rows: readonly { num: number }[]): StoredJob[] {
  return rows.flatMap(({ num }) => findByNumber(db, num) ?? []);
}

function unblock(db: Database, dependent: StoredJob, now: number): void {
  db.jobs.delete(dependent);
  db.sql("UPDATE jobs SET blocked = blocked - 1 WHERE num = ? AND blocked > 0").run(dependent.num);
  db.delays.note(now);
  db.hint({ type: "job-ready" });
}
