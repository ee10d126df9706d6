import type { TerminalStatus } from "../../../job/state.ts";
import type { RollupRequest, RollupStore } from "../../rollup-store.ts";
import {
  mergeFigures,
  noFigures,
  rollUp,
  rollupSpans,
  type End,
  type Figures,
  type Rollup,
} from "../../rules/rollups.ts";
import type { Connections, Session } from "../database/connections.ts";
import type { SetStatement, Unit } from "../writing/unit.ts";

const collectedAtOnce = 1_000;

interface EndRow {
  readonly owner: string;
  readonly kind: string;
  readonly status: TerminalStatus;
  readonly at: number;
  readonly wait_ms: number | null;
  readonly run_ms: number | null;
}

interface RollupRow {
  readonly span: number;
  readonly at: number;
  readonly owner: string;
  readonly kind: string;
  readonly figures: string;
}

const insertEnds: SetStatement = {
  order: 20,
  sql: `INSERT INTO longhaul.ends (owner, kind, status, at, wait_ms, run_ms)
    SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[], $5::bigint[], $6::bigint[])`,
};

export function writeEnd(unit: Unit, { owner, kind, status, at, waitMs, runMs }: End): void {
  unit.write(insertEnds, [owner, kind, status, at, waitMs ?? null, runMs ?? null]);
}

export function createRollupStore({ query, withSession }: Connections): RollupStore {
  return {
    collect: (now) => withSession((session) => collectEnds(session, now)),
    read: async ({ spanMs, from, before, owner, kinds }: RollupRequest) => {
      const rows = await query<RollupRow>(
        `SELECT * FROM longhaul.rollups WHERE span = $1 AND at >= $2 AND at < $3 AND ($4::text IS NULL OR owner = $4)
           AND ($5::text[] IS NULL OR kind = ANY ($5::text[])) ORDER BY at, owner, kind`,
        [spanMs, from, before, owner ?? null, kinds ?? null],
      );
      return rows.map(toRollup);
    },
  };
}

const takeEnds = `DELETE FROM longhaul.ends WHERE num IN (SELECT num FROM longhaul.ends ORDER BY num LIMIT ${collectedAtOnce})
  RETURNING owner, kind, status, at, wait_ms, run_ms`;

const readKnown = `SELECT r.* FROM unnest($1::bigint[], $2::bigint[], $3::text[], $4::text[]) AS w (span, at, owner, kind)
  JOIN longhaul.rollups r USING (span, at, owner, kind)`;

const saveRollups = `INSERT INTO longhaul.rollups (span, at, owner, kind, figures)
  SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::text[], $4::text[], $5::text[])
  ON CONFLICT (span, at, owner, kind) DO UPDATE SET figures = excluded.figures`;

const forgetRollups = `DELETE FROM longhaul.rollups r USING unnest($1::bigint[], $2::bigint[]) AS f (span, before)
  WHERE r.span = f.span AND r.at < f.before`;

/** One process at a time: the figures are read, added to and written. */
async function collectEnds({ query }: Session, now: number): Promise<boolean> {
  const [, , rows] = await Promise.all([
    query("BEGIN"),
    query("SELECT pg_advisory_xact_lock(hashtextextended('longhaul rollups', 14))", []),
    query<EndRow>(takeEnds, []),
  ]);
  const rollups = rollUp(rows.map(toEnd));
  const keys = [
    rollups.map(({ spanMs }) => spanMs),
    rollups.map(({ at }) => at),
    rollups.map(({ owner }) => owner),
    rollups.map(({ kind }) => kind),
  ];
  const known = new Map((await query<RollupRow>(readKnown, keys)).map((row) => [toKey(toRollup(row)), toRollup(row)]));
  const figures = rollups.map((rollup) => mergeFigures(known.get(toKey(rollup))?.figures ?? noFigures, rollup.figures));
  await Promise.all([
    query(saveRollups, [...keys, figures.map((each) => JSON.stringify(each))]),
    query(forgetRollups, [rollupSpans.map(({ spanMs }) => spanMs), rollupSpans.map(({ keptMs }) => now - keptMs)]),
    query("COMMIT"),
  ]);
  return rows.length === collectedAtOnce;
}

function toKey({ spanMs, at, owner, kind }: Rollup): string {
  return JSON.stringify([spanMs, at, owner, kind]);
}

function toRollup({ span, at, owner, kind, figures }: RollupRow): Rollup {
  return { spanMs: span, at, owner, kind, figures: JSON.parse(figures) as Figures };
}

function toEnd({ owner, kind, status, at, wait_ms: waitMs, run_ms: runMs }: EndRow): End {
  return { owner, kind, status, at, ...(waitMs === null ? {} : { waitMs }), ...(runMs === null ? {} : { runMs }) };
}
