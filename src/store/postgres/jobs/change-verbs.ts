import type { JobId } from "../../../job/id.ts";
import * as transitions from "../../../job/transitions.ts";
import { countBlocking } from "../../rules/dependencies.ts";
import { requireRetry } from "../../rules/retry.ts";
import type { Store } from "../../store.ts";
import type { Connections } from "../database/connections.ts";
import type { Write } from "../writing/group-writes.ts";
import { applyChange, changeJob } from "./change.ts";
import { findDependencies } from "./create.ts";
import { answerQuestion } from "./questions.ts";
import { entries, needsOf } from "./rows.ts";

/** The verbs that change a job without holding it. */
export function changeVerbs(
  { query }: Connections,
  write: Write,
): Pick<Store, "cancel" | "retry" | "answer" | "expireQueued"> {
  return {
    cancel: (id, request) =>
      write((unit) => {
        const found = unit.read(entries, id);
        if (found === undefined) return undefined;
        const change = transitions.requestCancel(found.stored.job, request);
        return change === undefined ? found.stored.job : applyChange(unit, found, change, request.at);
      }, needsOf(id)),
    retry: (id, request) =>
      write((unit) => {
        const found = unit.read(entries, id);
        if (found === undefined) return undefined;
        const { stored } = found;
        const change = requireRetry(stored.job, request);
        // A dependency that succeeded may be gone by now: only those that never did are looked for again.
        const needed = stored.blocked === 0 ? [] : findDependencies(unit, stored.job);
        const blocked = countBlocking(needed.map((each) => each.stored.job));
        return applyChange(unit, { ...found, stored: { ...stored, blocked } }, change, request.at);
      }, needsOf(id)),
    answer: (id, answering) => write((unit) => answerQuestion(unit, id, answering), needsOf(id)),
    expireQueued: async (now, limit) => {
      const rows = await query<{ id: JobId }>(
        "SELECT id FROM longhaul.states WHERE deadline_at <= $1 ORDER BY deadline_at LIMIT $2",
        [now, limit],
      );
      // Decided anew one by one: the end of one may have been the end of the next, or another process was faster.
      await write(
        (unit) => {
          for (const { id } of rows) changeJob(unit, id, now, (job) => transitions.expireInQueue(job, now));
        },
        needsOf(...rows.map(({ id }) => id)),
      );
      return rows.length;
    },
  };
}
