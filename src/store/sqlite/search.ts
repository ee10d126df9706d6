import type { Failure } from "../../job/failure.ts";
import type { Database } from "./database.ts";
import type { Found } from "./rows.ts";

/** Text beyond this is not searchable: it keeps a huge input from filling the index. */
const indexedCharacters = 4_000;

export function indexJob(db: Database, num: number, name: string | undefined, input: string): void {
  if (name === undefined && input.length < 3) return;
  db.sql("INSERT INTO search (rowid, name, input, error) VALUES (?, ?, ?, '')").run(
    num,
    name ?? "",
    input.slice(0, indexedCharacters),
  );
}

export function indexFailure(db: Database, ended: Found, failure: Failure): void {
  const row = db.sql("SELECT input FROM inputs WHERE job = ?").get(ended.num) as { input: string } | undefined;
  db.sql("INSERT OR REPLACE INTO search (rowid, name, input, error) VALUES (?, ?, ?, ?)").run(
    ended.num,
    ended.job.name ?? "",
    (row?.input ?? "").slice(0, indexedCharacters),
    `${failure.code} ${failure.message}`.slice(0, indexedCharacters),
  );
}

/** Every word must occur, each as a whole word or the beginning of one; anything else in the text is punctuation. */
export function toMatchExpression(text: string): string {
  const words = text.match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.map((word) => `"${word}"*`).join(" ");
}
