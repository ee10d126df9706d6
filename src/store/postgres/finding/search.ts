import type { JobState } from "../../../job/state.ts";
import { toSearchableText, toSearchWords, toWords } from "../../rules/search.ts";
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
        [rows.map(({ id }) => id), rows.map(toIndexed)],
      ),
      query("COMMIT"),
    ]);
    return rows.length === limit;
  });
}

/** All words must occur, each as a whole or as the beginning of one. They consist of letters and digits, so quotes around them suffice. */
export function toTextQuery(text: string): string {
  return toSearchWords(text)
    .map((word) => `'${word}':*`)
    .join(" & ");
}

interface IndexedRow {
  readonly id: JobId;
  readonly name: string | null;
  readonly input: string;
  readonly state: string;
}

function toIndexed({ name, input, state }: IndexedRow): string {
  const text = toSearchableText(name ?? undefined, input, JSON.parse(state) as JobState);
  return toWords(`${text.name} ${text.input} ${text.error}`).join(" ");
}
