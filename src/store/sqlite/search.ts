import type { JobState } from "../../job/state.ts";
import { toSearchableText, toSearchWords } from "../rules/search.ts";
import type { Database } from "./database.ts";

/**
 * Indexes the next jobs that are not searchable yet; true when more are left. New jobs are indexed later and many at
 * a time, because an index entry of its own in every commit costs more than the rest of the job.
 */
export function indexNext(db: Database, limit: number): boolean {
  const indexedTo = readProgress(db);
  const rows = db
    .sql(
      `SELECT j.num, j.name, j.state, coalesce(s.shown, s.input) AS input FROM jobs j JOIN specs s ON s.job = j.num
       WHERE j.num > ? ORDER BY j.num LIMIT ?`,
    )
    .all(indexedTo, limit) as IndexedRow[];
  for (const row of rows) indexRow(db, row);
  const last = rows.at(-1);
  if (last !== undefined) db.sql("UPDATE search_progress SET indexed_to = ?").run(last.num);
  return rows.length === limit;
}

/** Makes a job's failure searchable, if the job itself is already; else its turn comes with it. */
export function indexFailure(db: Database, num: number): void {
  if (num > readProgress(db)) return;
  const row = db
    .sql(
      "SELECT j.num, j.name, j.state, coalesce(s.shown, s.input) AS input FROM jobs j JOIN specs s ON s.job = j.num WHERE j.num = ?",
    )
    .get(num) as IndexedRow;
  indexRow(db, row);
}

/** The words as FTS5 wants them: each is a prefix, and all must occur. */
export function toMatchExpression(text: string): string {
  return toSearchWords(text)
    .map((word) => `"${word}"*`)
    .join(" ");
}

interface IndexedRow {
  num: number;
  name: string | null;
  state: string;
  input: string;
}

function indexRow(db: Database, row: IndexedRow): void {
  const text = toSearchableText(row.name ?? undefined, row.input, JSON.parse(row.state) as JobState);
  db.sql("INSERT OR REPLACE INTO search (rowid, name, input, error) VALUES (?, ?, ?, ?)").run(
    row.num,
    text.name,
    text.input,
    text.error,
  );
}

function readProgress(db: Database): number {
  const row = db.sql("SELECT indexed_to FROM search_progress").get() as { indexed_to: number };
  return row.indexed_to;
}
