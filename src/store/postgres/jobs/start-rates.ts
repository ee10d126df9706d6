import { freeStarts, startWindow } from "../../rules/claims.ts";
import type { KindLimits } from "../../kind-limits.ts";
import type { Session } from "../database/connections.ts";
import type { SetStatement, Unit } from "../writing/unit.ts";

/** The starts of a kind that count against its rate, oldest first. */
export interface RecentStarts {
  readonly limits: KindLimits;
  readonly starts: readonly { readonly at: number; readonly count: number }[];
}

/** The starts are read by a statement of its own after the lock is held: so a claim that waited sees those of the one before. */
export async function lockStarts(
  session: Session,
  kind: string,
  limits: KindLimits,
  now: number,
): Promise<RecentStarts> {
  const [, recent] = await Promise.all([
    session.query("SELECT pg_advisory_xact_lock(hashtextextended($1, 13))", [kind]),
    readStarts(session, kind, limits, now),
  ]);
  return recent;
}

export async function readStarts(
  { query }: Session,
  kind: string,
  limits: KindLimits,
  now: number,
): Promise<RecentStarts> {
  const { after, before } = startWindow(limits, now);
  const starts = await query<{ at: number; count: number }>(
    "SELECT at, count FROM longhaul.starts WHERE kind = $1 AND at > $2 AND at < $3 ORDER BY at",
    [kind, after, before],
  );
  return { limits, starts };
}

export function countFree({ limits, starts }: RecentStarts): number {
  return freeStarts(
    limits,
    starts.reduce((sum, { count }) => sum + count, 0),
  );
}

/** When the rate lets another job start, if it lets none now. */
export function nextStartAt(recent: RecentStarts): number | undefined {
  const { rate } = recent.limits;
  const [oldest] = recent.starts;
  return rate === undefined || oldest === undefined || countFree(recent) > 0 ? undefined : oldest.at + rate.perMs;
}

const insertStarts: SetStatement = {
  order: 20,
  sql: "INSERT INTO longhaul.starts (kind, at, count) SELECT * FROM unnest($1::text[], $2::bigint[], $3::integer[])",
};

const forgetStarts: SetStatement = {
  order: 21,
  sql: "DELETE FROM longhaul.starts s USING unnest($1::text[], $2::bigint[]) AS f (kind, until) WHERE s.kind = f.kind AND s.at <= f.until",
};

/** Returns the starts with those that are noted. */
export function noteStarts(
  unit: Unit,
  kind: string,
  recent: RecentStarts,
  start: { at: number; count: number },
): RecentStarts {
  if (start.count === 0) return recent;
  unit.write(insertStarts, [kind, start.at, start.count]);
  // Somewhat longer than the window: the clocks of machines differ.
  unit.write(forgetStarts, [kind, 2 * startWindow(recent.limits, start.at).after - start.at - 60_000], kind);
  return { ...recent, starts: [...recent.starts, start].toSorted((a, b) => a.at - b.at) };
}
