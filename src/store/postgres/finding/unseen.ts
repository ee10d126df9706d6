import type { JobId } from "../../../job/id.ts";
import type { JobPage, PageRequest, Store, UnseenFilter } from "../../store.ts";
import type { Connections } from "../database/connections.ts";
import { jobColumns, toStored, type JobRow } from "../jobs/rows.ts";
import { parseIdCursor } from "./list.ts";

/** The verbs about ends that nobody has looked at. */
export function unseenVerbs({ query }: Connections): Pick<Store, "unseen" | "markSeen"> {
  return {
    unseen: (filter, page) => listUnseen(query, filter, page),
    markSeen: async (ids) => {
      const rows = await query<{ id: JobId }>(
        `WITH found AS (SELECT id FROM longhaul.states WHERE id = ANY ($1::uuid[]) AND unseen_at IS NOT NULL ORDER BY id FOR UPDATE)
         UPDATE longhaul.states s SET unseen_at = NULL FROM found WHERE s.id = found.id RETURNING s.id`,
        [ids],
      );
      return rows.length;
    },
  };
}

async function listUnseen(
  query: Connections["query"],
  { owner, kinds }: UnseenFilter,
  { limit, cursor }: PageRequest,
): Promise<JobPage> {
  const [at, id] = cursor === undefined ? [Number.MAX_SAFE_INTEGER, null] : parseCursor(cursor);
  const rows = await query<JobRow & { unseen_at: number }>(
    `SELECT ${jobColumns}, s.unseen_at FROM longhaul.states s JOIN longhaul.jobs j USING (id)
     WHERE s.owner = $1 AND s.unseen_at IS NOT NULL AND ($3::uuid IS NULL OR (s.unseen_at, s.id) < ($2, $3::uuid))
       AND ($4::text[] IS NULL OR s.kind = ANY ($4::text[]))
     ORDER BY s.unseen_at DESC, s.id DESC LIMIT $5`,
    [owner, at, id, kinds ?? null, limit + 1],
  );
  const shown = rows.slice(0, limit);
  const last = rows.length > limit ? shown.at(-1) : undefined;
  return {
    jobs: shown.map((row) => toStored(row).job),
    ...(last === undefined ? {} : { cursor: `${last.unseen_at}-${last.id}` }),
  };
}

function parseCursor(cursor: string): [number, JobId] {
  const [, at, id] = /^(\d{1,15})-(.*)$/.exec(cursor) ?? [];
  return [Number(at), parseIdCursor(cursor, id ?? "")];
}
