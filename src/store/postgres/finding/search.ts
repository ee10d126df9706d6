import type { JobState } from "../../../job/state.ts";
import { toSearchableText, toSearchWords } from "../../rules/search.ts";
import type { JobId } from "../../../job/id.ts";
import type { Connections } from "../database/connections.ts";
import type { SetStatement, Unit } from "../writing/unit.ts";

const insertUnindexed: SetStatement = {
  order: 21,
  sql: "INSERT INTO longhaul.unindexed (job) SELECT * FROM unnest($1::uuid[]) ON CONFLICT DO NOTHING",
};

/** What can be searched of the job changes: it is indexed later and with many others, because an entry of its own costs more than the rest. */
export function markUnindexed(unit: Unit, id: JobId): void {
  unit.write(insertUnindexed, [id], id);
}

/** Takes the marks of the next jobs and indexes them, in one transaction; true when more may be left. */
export async function indexNext({ withSession }: Connections, limit: number): Promise<boolean> {
  return withSession(async ({ query }) => {
    const [, rows] = await Promise.all([
      query("BEGIN"),
      query<IndexedRow>(
        `WITH taken AS (DELETE FROM longhaul.unindexed WHERE job IN (SELECT job FROM longhaul.unindexed ORDER BY job LIMIT $1 FOR UPDATE) RETURNING job)
         SELECT j.id, j.name, coalesce(j.shown, j.input) AS input, s.state FROM taken JOIN longhaul.jobs j ON j.id = taken.job JOIN longhaul.states s USING (id)`,
        [limit],
      ),
    ]);
    await Promise.all([
      query(
        `INSERT INTO longhaul.words (job, words) SELECT w.job, array_to_tsvector(string_to_array(w.words, ' '))
         FROM unnest($1::uuid[], $2::text[]) AS w (job, words) ON CONFLICT (job) DO UPDATE SET words = excluded.words`,
        [rows.map(({ id }) => id), rows.map(toWords)],
      ),
      query("COMMIT"),
    ]);
    return rows.length === limit;
  });
}

/** All words must occur, each as a whole or as the beginning of one. They consist of letters and digits, so they need no quoting within quotes. */
export function toTextQuery(text: string): string {
  const words = toSearchWords(text.normalize("NFC")).map((word) => fold(word)[0] ?? "");
  return words
    .filter((word) => word !== "")
    .map((word) => `'${word}':*`)
    .join(" & ");
}

interface IndexedRow {
  readonly id: JobId;
  readonly name: string | null;
  readonly input: string;
  readonly state: string;
}

function toWords({ name, input, state }: IndexedRow): string {
  const text = toSearchableText(name ?? undefined, input, JSON.parse(state) as JobState);
  return [...new Set(fold(`${text.name} ${text.input} ${text.error}`))].join(" ");
}

/** Postgres keeps words of at most 2 KB. */
const maxLetters = 400;

/** The words of a text without case and accents. */
function fold(text: string): string[] {
  const folded = text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
  return (folded.match(/[\p{L}\p{N}]+/gu) ?? []).map((word) => word.slice(0, maxLetters));
}
