import { parseCursor, toPage } from "../rules/paging.ts";
import type { JobPage, PageRequest, Store, UnseenFilter } from "../store.ts";
import type { Database, Write } from "./database.ts";
import { findJob, jobColumns, toFound, withSpec, type JobRow } from "./rows.ts";

/** The verbs about ends that nobody has looked at. */
export function unseenVerbs(db: Database, write: Write): Pick<Store, "unseen" | "markSeen"> {
  return {
    unseen: async (filter, page) => listUnseen(db, filter, page),
    markSeen: (ids) =>
      write(() => {
        const nums = ids.flatMap((id) => findJob(db, id)?.num ?? []);
        const update = db.sql("UPDATE jobs SET unseen_at = NULL WHERE num = ? AND unseen_at IS NOT NULL");
        return nums.reduce((count, num) => count + Number(update.run(num).changes), 0);
      }),
  };
}

function listUnseen(db: Database, { owner, kinds }: UnseenFilter, { limit, cursor }: PageRequest): JobPage {
  const before = cursor === undefined ? [Number.MAX_SAFE_INTEGER, 0] : parseCursor(cursor, 2);
  const isOfKinds = kinds === undefined ? "?4 IS NULL" : "+j.kind IN (SELECT value FROM json_each(?4))";
  const rows = db
    .sql(
      `SELECT ${jobColumns}, j.unseen_at FROM jobs j INDEXED BY jobs_unseen ${withSpec}
       WHERE j.owner = ?1 AND j.unseen_at IS NOT NULL AND (j.unseen_at, j.num) < (?2, ?3) AND ${isOfKinds}
       ORDER BY j.unseen_at DESC, j.num DESC LIMIT ?5`,
    )
    .all(owner, ...before, kinds === undefined ? null : JSON.stringify(kinds), limit + 1) as (JobRow & {
    unseen_at: number;
  })[];
  const { shown, ...next } = toPage(rows, limit, (row) => [row.unseen_at, row.num]);
  return { jobs: shown.map((row) => toFound(row).job), ...next };
}
