import type { Job } from "../../job/job.ts";
import { isTerminal } from "../../job/state.ts";
import type { Database } from "./database.ts";

/** Keeps what becomes of a schedule's job, for when the job is gone. */
export function noteScheduledJob(db: Database, { id, state }: Job): void {
  const endedAt = isTerminal(state) ? state.finishedAt : null;
  db.sql("UPDATE schedule_runs SET status = ?, ended_at = ? WHERE job = ?").run(state.status, endedAt, id);
}
