import type { MarkStore } from "../mark-store.ts";
import type { Database, Write } from "./database.ts";

export function createMarkStore(db: Database, write: Write): MarkStore {
  return {
    get: async (name, now) => readMark(db, name, now),
    replace: (name, { before, value, now, expiresAt }) =>
      write(() => {
        if (readMark(db, name, now) !== before) return false;
        db.sql("INSERT OR REPLACE INTO marks (name, value, expires_at) VALUES (?, ?, ?)").run(name, value, expiresAt);
        db.sql("DELETE FROM marks WHERE expires_at <= ?").run(now);
        return true;
      }),
  };
}

function readMark(db: Database, name: string, now: number): string | undefined {
  const row = db.sql("SELECT value FROM marks WHERE name = ? AND expires_at > ?").get(name, now);
  return (row as { value: string } | undefined)?.value;
}
