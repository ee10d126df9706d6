import type { JobId } from "../../job/id.ts";
import * as transitions from "../../job/transitions.ts";
import { countBlocking } from "../rules/dependencies.ts";
import { requireRetry } from "../rules/retry.ts";
import type { Store } from "../store.ts";
import { applyChange, changeJob } from "./change.ts";
import { findDependencies } from "./create.ts";
import type { Database, Write } from "./database.ts";
import { answerQuestion } from "./questions.ts";
import { findJob } from "./rows.ts";

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
    retry: (id, request) =>
      write(() => {
        const found = findJob(db, id);
        if (found === undefined) return undefined;
        const change = requireRetry(found.job, request);
        // A dependency that succeeded may be gone by now: only those that never did are looked for again.
        const needed = found.blocked === 0 ? [] : findDependencies(db, found.job);
        const blocked = countBlocking(needed.map(({ job }) => job));
        return applyChange(db, { ...found, blocked }, change, request.at);
      }),
    answer: (id, answering) => write(() => answerQuestion(db, id, answering)),
    expireQueued: (now, limit) =>
      write(() => {
        const rows = db
          .sql("SELECT id FROM jobs WHERE deadline_at <= ? ORDER BY deadline_at LIMIT ?")
          .all(now, limit) as { id: JobId }[];
        // Read anew one by one: the end of one may have been the end of the next.
        for (const { id } of rows) changeJob(db, id, now, (job) => transitions.expireInQueue(job, now));
        return rows.length;
      }),
  };
}
