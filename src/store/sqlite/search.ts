import type { JobState } from "../../job/state.ts";
import type { Database } from "./database.ts";

/** Text beyond this is not searchable: it keeps a huge input from filling the index. */
const indexedCharacters = 4_000;

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

/** Every word must occur, each as a whole word or the beginning of one; anything else in the text is punctuation. */
export function toMatchExpression(text: string): string {
  const words = text.match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.map((word) => `"${word}"*`).join(" ");
}

interface IndexedRow {
  num: number;
  name: string | null;
  state: string;
  input: string;
}

function indexRow(db: Database, row: IndexedRow): void {
  const state = JSON.parse(row.state) as JobState;
  const error = "failure" in state ? `${state.failure.code} ${state.failure.message}` : "";
  db.sql("INSERT OR REPLACE INTO search (rowid, name, input, error) VALUES (?, ?, ?, ?)").run(
    row.num,
    row.name ?? "",
    unescapeJson(row.input.slice(0, indexedCharacters)),
    error.slice(0, indexedCharacters),
  );
}

/** The words of a JSON text as a person would read them: a line end is no letter. */
function unescapeJson(json: string): string {
  return json.replace(/\\(?:u([0-9a-f]{4})|.)/gi, (_escape, code: string | undefined) =>
    code === undefined ? " " : String.fromCharCode(Number.parseInt(code, 16)),
  );
}

function readProgress(db: Database): number {
  const row = db.sql("SELECT indexed_to FROM search_progress").get() as { indexed_to: number };
  return row.indexed_to;
}
