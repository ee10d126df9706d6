import type { JobId } from "../../../job/id.ts";
import { requireRemovable } from "../../rules/remove.ts";
import type { OutputStore } from "../../output-store.ts";
import type { Store } from "../../store.ts";
import type { Connections, Session } from "../database/connections.ts";
import type { Hints } from "../writing/hints.ts";
import type { Write } from "../writing/group-writes.ts";
import { Needs, type SetStatement } from "../writing/unit.ts";
import { writeMove } from "../finding/counts.ts";
import { entries } from "./rows.ts";

/** For this long an id that is gone is told from one that never was. */
const tombstoneAgeMs = 30 * 24 * 3_600_000;

const tablesOfJob = [
  "results",
  "checkpoints",
  "events",
  "questions",
  "tags",
  "dependencies",
  "unindexed",
  "words",
  "receivers",
  "deliveries",
];

/** All that is kept of these jobs. Those who have the rows of `taken` locked decide that they go. */
const removeTaken = `${tablesOfJob
  .map((table) => `${table}_gone AS (DELETE FROM longhaul.${table} WHERE job IN (SELECT id FROM taken))`)
  .join(", ")},
  needs_gone AS (DELETE FROM longhaul.dependencies WHERE needs IN (SELECT id FROM taken)),
  jobs_gone AS (DELETE FROM longhaul.jobs WHERE id IN (SELECT id FROM taken)),
  buried AS (INSERT INTO longhaul.tombstones (id, owner, purged_at, has_output) SELECT id, owner, $1, true FROM taken
    ON CONFLICT (id) DO UPDATE SET purged_at = excluded.purged_at, has_output = true)
  DELETE FROM longhaul.states WHERE id IN (SELECT id FROM taken) RETURNING id`;

const counted = `counted AS (INSERT INTO longhaul.count_changes (batch, owner, kind, status, change)
    SELECT b.batch, owner, kind, status, -count(*) FROM taken
    CROSS JOIN LATERAL (SELECT '' AS batch UNION SELECT coalesce(taken.batch, '')) AS b GROUP BY 1, 2, 3, 4)`;

const purgeExpired = `WITH taken AS (SELECT s.id, s.owner, s.kind, s.status, j.batch FROM longhaul.states s JOIN longhaul.jobs j USING (id)
    WHERE s.expires_at <= $1
      AND NOT EXISTS (SELECT 1 FROM longhaul.deliveries d WHERE d.job = s.id AND d.state = 'pending')
    ORDER BY s.expires_at LIMIT $2 FOR UPDATE OF s SKIP LOCKED), ${counted}, ${removeTaken} , owner, kind`;

const removeOne: SetStatement = {
  order: 30,
  sql: `WITH taken AS (SELECT s.id, s.owner, s.kind, s.status, j.batch FROM longhaul.states s JOIN longhaul.jobs j USING (id)
    WHERE s.id = ANY ($2::uuid[])), ${counted}, ${removeTaken.replaceAll("$1", "($1::bigint[])[1]")}`,
};

interface RemovedRow {
  readonly id: JobId;
  readonly owner: string;
  readonly kind: string;
}

export interface PurgeParts {
  readonly connections: Connections;
  readonly write: Write;
  readonly hints: Hints;
  readonly output: OutputStore;
}

/** Files go after rows, because a retry may still save a job from its purge; a crash in between is made up for next time. */
export function purgeVerbs({ connections, write, hints, output }: PurgeParts): Pick<Store, "purge" | "remove"> {
  const { query } = connections;
  return {
    purge: async (now, limit) => {
      await query("DELETE FROM longhaul.tombstones WHERE purged_at < $1 AND NOT has_output", [now - tombstoneAgeMs]);
      const purged = await connections.withSession((session) => purgeRows(session, hints, now, limit));
      const left = await query<{ id: JobId }>("SELECT id FROM longhaul.tombstones WHERE has_output LIMIT $1", [limit]);
      await removeOutput(
        connections,
        output,
        left.map(({ id }) => id),
      );
      return purged;
    },
    remove: async (id, now) => {
      const isRemoved = await write(
        (unit) => {
          const found = unit.read(entries, id);
          if (found === undefined) return false;
          const { job } = found.stored;
          requireRemovable(job, job.parent === undefined ? undefined : unit.read(entries, job.parent)?.stored.job);
          unit.write(removeOne, [now, id], id);
          writeMove(unit, found);
          unit.assume(entries, id, undefined);
          unit.hint({ type: "job-removed", id, owner: job.owner, kind: job.kind });
          return true;
        },
        new Needs().add(entries, id),
      );
      if (isRemoved) await removeOutput(connections, output, [id]);
      return isRemoved;
    },
  };
}

async function purgeRows(session: Session, hints: Hints, now: number, limit: number): Promise<number> {
  const [, rows] = await Promise.all([session.query("BEGIN"), session.query<RemovedRow>(purgeExpired, [now, limit])]);
  const removed = rows.map(({ id, owner, kind }) => ({ type: "job-removed", id, owner, kind }) as const);
  await Promise.all([...hints.send(session, removed), session.query("COMMIT")]);
  hints.publish(removed);
  return rows.length;
}

async function removeOutput({ query }: Connections, output: OutputStore, ids: readonly JobId[]): Promise<void> {
  if (ids.length === 0) return;
  await Promise.all(ids.map((id) => output.remove(id)));
  await query("UPDATE longhaul.tombstones SET has_output = false WHERE id = ANY ($1::uuid[])", [ids]);
}
