import type { MarkStore } from "../mark-store.ts";
import type { Connections } from "./database/connections.ts";

/** Each new mark takes a few with it whose time is over. */
const forget = `DELETE FROM longhaul.marks WHERE name IN (
  SELECT name FROM longhaul.marks WHERE expires_at <= $1 AND name <> $2 ORDER BY expires_at LIMIT 10 FOR UPDATE SKIP LOCKED)`;

const first = `WITH forgotten AS (${forget})
  INSERT INTO longhaul.marks AS m (name, value, expires_at) VALUES ($2, $3, $4)
  ON CONFLICT (name) DO UPDATE SET value = excluded.value, expires_at = excluded.expires_at WHERE m.expires_at <= $1
  RETURNING m.name`;

const next = `UPDATE longhaul.marks SET value = $3, expires_at = $4
  WHERE name = $2 AND expires_at > $1 AND value = $5 RETURNING name`;

export function createMarkStore({ query }: Connections): MarkStore {
  return {
    get: async (name, now) => {
      const [row] = await query<{ value: string }>(
        "SELECT value FROM longhaul.marks WHERE name = $1 AND expires_at > $2",
        [name, now],
      );
      return row?.value;
    },
    replace: async (name, { before, value, now, expiresAt }) => {
      const change = [now, name, value, expiresAt];
      const written = before === undefined ? await query(first, change) : await query(next, [...change, before]);
      return written.length > 0;
    },
  };
}
