import type { JobId } from "../../job/id.ts";
import type { Job } from "../../job/job.ts";
import { isTerminal, type TerminalState } from "../../job/state.ts";
import { isHeldBy, requestCancel, type Change } from "../../job/transitions.ts";
import type { HeldLease } from "../store.ts";
import type { Database } from "./database.ts";
import { findByNumber, findJob, writeChange, type Found } from "./rows.ts";
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

export function findHeld(db: Database, lease: HeldLease): Found | undefined {
  const found = findJob(db, lease.id);
  return found !== undefined && isHeldBy(found.job.state, lease) ? found : undefined;
}

/** Writes a change and all that follows from it: a list of ends to follow, because a chain of dependents may be long. */
export function applyChange(db: Database, found: Found, change: Change, now: number): Job {
  const changed = writeAndTell(db, found, change, now);
  const ends = [changed];
  for (const end of ends) {
    if (isTerminal(end.job.state)) ends.push(...followEnd(db, end, end.job.state, now));
  }
  return changed.job;
}

function writeAndTell(db: Database, found: Found, change: Change, now: number): Found {
  const asked = change.events.find((event) => event.type === "cancel-requested");
  const changed = writeChange(db, found, change, now);
  if (asked !== undefined) db.hint({ type: "cancel-requested", id: found.job.id, reason: asked.reason });
  return changed;
}

/** What the end of one job changes; returns the jobs that it changed. */
function followEnd(db: Database, ended: Found, state: TerminalState, now: number): Found[] {
  if (state.status === "succeeded" && db.checkpointed.delete(ended.num)) {
    db.sql("DELETE FROM checkpoints WHERE job = ?").run(ended.num);
  }
  if ("failure" in state) indexFailure(db, ended.num);
  const dependents = db.needed.has(ended.num) ? followDependents(db, ended, state, now) : [];
  return state.status === "succeeded" ? dependents : [...dependents, ...cancelChildren(db, ended.job, now)];
}

function followDependents(db: Database, ended: Found, state: TerminalState, now: number): Found[] {
  const rows = db.sql("SELECT job FROM dependencies WHERE needs = ?").all(ended.num) as { job: number }[];
  return rows.flatMap(({ job }) => {
    if (state.status === "succeeded") unblock(db, job, now);
    return state.status === "succeeded" ? [] : cancelDependent(db, job, ended.job, now);
  });
}

function cancelChildren(db: Database, parent: Job, now: number): Found[] {
  const rows = db.sql("SELECT num FROM jobs WHERE parent = ? AND expires_at IS NULL").all(parent.id);
  const reason = `its parent, job ${parent.id}, ended as ${parent.state.status}`;
  return (rows as { num: number }[]).flatMap(({ num }) => cancelFound(db, findByNumber(db, num), reason, now));
}

function unblock(db: Database, num: number, now: number): void {
  const dependent = findByNumber(db, num);
  if (dependent !== undefined) db.jobs.delete(dependent);
  db.sql("UPDATE jobs SET blocked = blocked - 1 WHERE num = ? AND blocked > 0").run(num);
  db.delays.note(now);
  db.hint({ type: "job-ready" });
}

/** A job whose dependency did not succeed can never start, and neither can those that depend on it. */
function cancelDependent(db: Database, num: number, needed: Job, now: number): Found[] {
  const dependent = findByNumber(db, num);
  if (dependent === undefined || dependent.job.state.status !== "queued") return [];
  return cancelFound(db, dependent, `it depends on job ${needed.id}, which ended as ${needed.state.status}`, now);
}

function cancelFound(db: Database, found: Found | undefined, reason: string, now: number): Found[] {
  const change = found === undefined ? undefined : requestCancel(found.job, { reason, at: now });
  return found === undefined || change === undefined ? [] : [writeAndTell(db, found, change, now)];
}
