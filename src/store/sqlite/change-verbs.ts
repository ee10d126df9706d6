import { LonghaulError } from "../../job/error.ts";
import * as transitions from "../../job/transitions.ts";
import type { Store } from "../store.ts";
import { applyChange } from "./change.ts";
import { countBlocking } from "./create.ts";
import type { Database, Write } from "./database.ts";
import { answerQuestion } from "./questions.ts";
import { findJob, jobColumns, toFound, withSpec, type JobRow } from "./rows.ts";

/** The verbs that change a job without holding it. */
export function changeVerbs(db: Database, write: Write): Pick<Store, "cancel" | "retry" | "answer" | "expireQueued"> {
  return {
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
          .sql(`SELECT ${jobColumns} FROM jobs j ${withSpec} WHERE j.deadline_at <= ? ORDER BY j.deadline_at LIMIT ?`)
          .all(now, limit) as JobRow[];
        return rows.filter((row) => {
          const found = toFound(row);
          const change = transitions.expireInQueue(found.job, now);
          return change !== undefined && applyChange(db, found, change, now);
        }).length;
      }),
  };
}
