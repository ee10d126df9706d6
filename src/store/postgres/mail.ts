import type { Letter, LetterState, MailStore } from "../mail-store.ts";
import type { Hint } from "../store.ts";
import type { Session } from "./database/connections.ts";

const keptMs = 60_000;

const takeLetters = `
  WITH old AS (DELETE FROM longhaul.letters WHERE expires_at < $2::bigint - ${keptMs}),
  taken AS (
    UPDATE longhaul.letters SET taken = true
    WHERE id IN (
      SELECT id FROM longhaul.letters WHERE worker = $1 AND NOT taken AND expires_at > $2 ORDER BY num FOR UPDATE SKIP LOCKED
    )
    RETURNING num, id, job, worker, body, expires_at AS "expiresAt"
  )
  SELECT id, job, worker, body, "expiresAt" FROM taken ORDER BY num`;

interface LetterRow {
  readonly taken: boolean;
  readonly answer: string | null;
}

/** Letters in a table of their own that a crash of the database empties: then whoever waits is refused. */
export function createMailStore({ query }: Session, announce: (hint: Hint) => void): MailStore {
  return {
    post: async ({ id, job, worker, body, expiresAt }) => {
      await query("INSERT INTO longhaul.letters (id, job, worker, body, expires_at) VALUES ($1, $2, $3, $4, $5)", [
        id,
        job,
        worker,
        body,
        expiresAt,
      ]);
      announce({ type: "letter-posted", worker });
    },
    inbox: (worker, now) => query<Letter>(takeLetters, [worker, now]),
    reply: async (id, answer) => {
      const answered = await query(
        "UPDATE longhaul.letters SET answer = $2 WHERE id = $1 AND taken AND answer IS NULL RETURNING id",
        [id, answer],
      );
      if (answered.length > 0) announce({ type: "letter-answered", letter: id });
    },
    look: async (id) =>
      toState(await query<LetterRow>("SELECT taken, answer FROM longhaul.letters WHERE id = $1", [id])),
    withdraw: async (id) =>
      toState(await query<LetterRow>("DELETE FROM longhaul.letters WHERE id = $1 RETURNING taken, answer", [id])),
  };
}

function toState([row]: readonly LetterRow[]): LetterState {
  if (row === undefined) return { type: "gone" };
  if (row.answer !== null) return { type: "answered", answer: row.answer };
  return { type: row.taken ? "taken" : "waiting" };
}
