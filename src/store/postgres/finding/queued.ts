import type { JobId } from "../../../job/id.ts";
import { limitOfKey } from "../../rules/claims.ts";
import type { QueuedFacts, QueuedRequest } from "../../kind-limits.ts";
import type { Session } from "../database/connections.ts";
import { parseLimits } from "../jobs/limits.ts";
import { countFree, readStarts } from "../jobs/start-rates.ts";

interface QueuedRow {
  readonly kind: string;
  readonly slot_key: string | null;
  readonly paused: boolean;
  readonly limits: string | null;
  readonly held: number;
  readonly ready: boolean;
  readonly ahead: number;
}

const selectQueued = `SELECT q.kind, q.slot_key, q.ready, l.limits,
    EXISTS (SELECT 1 FROM longhaul.paused_kinds p WHERE p.kind = q.kind) AS paused,
    (SELECT count(*) FROM longhaul.states h WHERE h.kind = q.kind AND h.slot_key = q.slot_key AND h.slot_key IS NOT NULL
      AND h.status IN ('running', 'waiting')) AS held,
    (SELECT count(*) FROM (SELECT 1 FROM longhaul.states a WHERE a.kind = q.kind AND a.place = q.place AND a.ready
      AND (a.priority > q.priority OR a.priority = q.priority AND (a.turn, a.id) < (q.turn, q.id)) LIMIT $2) AS those) AS ahead
  FROM longhaul.states q LEFT JOIN longhaul.limits l ON l.kind = q.kind WHERE q.id = $1 AND q.status = 'queued'`;

export async function readQueued(
  session: Session,
  id: JobId,
  { now, countUpTo }: QueuedRequest,
): Promise<QueuedFacts | undefined> {
  const [row] = await session.query<QueuedRow>(selectQueued, [id, countUpTo]);
  if (row === undefined) return undefined;
  const limits = row.limits === null ? {} : parseLimits(row.limits);
  const limit = limitOfKey(limits, row.slot_key ?? "");
  const isUsedUp = limits.rate !== undefined && countFree(await readStarts(session, row.kind, limits, now)) === 0;
  return {
    isPaused: row.paused,
    ...(row.ready ? { jobsAhead: row.ahead } : {}),
    ...(row.held < limit ? {} : { fullKey: limit }),
    ...(isUsedUp ? { usedUpRate: limits.rate } : {}),
  };
}
