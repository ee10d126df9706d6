import type { TerminalStatus } from "../../job/state.ts";
import type { RollupRequest, RollupStore } from "../rollup-store.ts";
import { mergeFigures, rollUp, rollupSpans, type End, type Figures, type Rollup } from "../rules/rollups.ts";
import type { Database, Write } from "./database.ts";

/** Few enough to be counted without holding up anybody. */
const collectedAtOnce = 1_000;

interface EndRow {
  num: number;
  owner: string;
  kind: string;
  status: TerminalStatus;
  at: number;
  wait_ms: number | null;
  run_ms: number | null;
}

interface RollupRow {
  span: number;
  at: number;
  owner: string;
  kind: string;
  figures: string;
}

export function createRollupStore(db: Database, write: Write): RollupStore {
  return {
    collect: async (now) => (hasEnds(db) ? write(() => collectEnds(db, now)) : false),
    read: async (request) => readRollups(db, request),
  };
}

export function insertEnd(db: Database, { owner, kind, status, at, waitMs, runMs }: End): void {
  db.sql("INSERT INTO ends (owner, kind, status, at, wait_ms, run_ms) VALUES (?, ?, ?, ?, ?, ?)").run(
    owner,
    kind,
    status,
    at,
    waitMs ?? null,
    runMs ?? null,
  );
}

function hasEnds(db: Database): boolean {
  return db.sql("SELECT 1 FROM ends LIMIT 1").get() !== undefined;
}

function collectEnds(db: Database, now: number): boolean {
  const rows = db.sql("SELECT * FROM ends ORDER BY num LIMIT ?").all(collectedAtOnce) as EndRow[];
  for (const rollup of rollUp(rows.map(toEnd))) addRollup(db, rollup);
  const last = rows.at(-1);
  if (last !== undefined) db.sql("DELETE FROM ends WHERE num <= ?").run(last.num);
  for (const { spanMs, keptMs } of rollupSpans) {
    db.sql("DELETE FROM rollups WHERE span = ? AND at < ?").run(spanMs, now - keptMs);
  }
  return rows.length === collectedAtOnce;
}

function addRollup(db: Database, { spanMs, at, owner, kind, figures }: Rollup): void {
  const key = [spanMs, at, owner, kind];
  const known = db
    .sql("SELECT figures FROM rollups WHERE span = ? AND at = ? AND owner = ? AND kind = ?")
    .get(...key) as Pick<RollupRow, "figures"> | undefined;
  const sum = known === undefined ? figures : mergeFigures(JSON.parse(known.figures) as Figures, figures);
  db.sql("INSERT OR REPLACE INTO rollups (span, at, owner, kind, figures) VALUES (?, ?, ?, ?, ?)").run(
    ...key,
    JSON.stringify(sum),
  );
}

function readRollups(db: Database, { spanMs, from, before, owner, kinds }: RollupRequest): Rollup[] {
  const rows = db
    .sql(
      `SELECT * FROM rollups WHERE span = ?1 AND at >= ?2 AND at < ?3 AND (?4 IS NULL OR owner = ?4)
         AND (?5 IS NULL OR kind IN (SELECT value FROM json_each(?5))) ORDER BY at, owner, kind`,
    )
    .all(spanMs, from, before, owner ?? null, kinds === undefined ? null : JSON.stringify(kinds)) as RollupRow[];
  return rows.map((row) => ({
    spanMs: row.span,
    at: row.at,
    owner: row.owner,
    kind: row.kind,
    figures: JSON.parse(row.figures) as Figures,
  }));
}

function toEnd({ owner, kind, status, at, wait_ms: waitMs, run_ms: runMs }: EndRow): End {
  return { owner, kind, status, at, ...(waitMs === null ? {} : { waitMs }), ...(runMs === null ? {} : { runMs }) };
}
