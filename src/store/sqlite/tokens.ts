import { LonghaulError } from "../../job/error.ts";
import { parseRequestRate, takeRequest } from "../rules/request-rate.ts";
import type { TokenRecord, TokenStore } from "../token-store.ts";
import type { Database, Write } from "./database.ts";

const minuteMs = 60_000;

interface TokenRow {
  id: string;
  token: string;
  last_used_at: number | null;
  revoked_at: number | null;
}

/** The record as it was made is JSON; what changes later has columns of its own. */
export function createTokenStore(db: Database, write: Write): TokenStore {
  // In memory: no request has to wait for the disk.
  const usedUpTo = new Map<string, number>();
  return {
    add: (token) =>
      write(() => {
        if (db.sql("SELECT 1 FROM tokens WHERE name = ? AND revoked_at IS NULL").get(token.name) !== undefined) {
          throw new LonghaulError(
            "conflict",
            `There is already a token "${token.name}": choose another name, or revoke that one first.`,
          );
        }
        db.sql("INSERT INTO tokens (id, name, token) VALUES (?, ?, ?)").run(
          token.id,
          token.name,
          JSON.stringify(token),
        );
      }),
    list: async () =>
      db
        .sql("SELECT id, token, last_used_at, revoked_at FROM tokens ORDER BY num")
        .all()
        .map((row) => toRecord(row as TokenRow)),
    find: async (id) => {
      const row = db.sql("SELECT id, token, last_used_at, revoked_at FROM tokens WHERE id = ?").get(id);
      return row === undefined ? undefined : toRecord(row as TokenRow);
    },
    revoke: (id, at) =>
      write(() => {
        const revoke = db.sql("UPDATE tokens SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL");
        return Number(revoke.run(at, id).changes) > 0;
      }),
    touch: (id, at) =>
      write(() => {
        const touch = "UPDATE tokens SET last_used_at = ?1 WHERE id = ?2 AND coalesce(last_used_at, 0) <= ?1 - ?3";
        db.sql(touch).run(at, id, minuteMs);
      }),
    take: async (id, { rate, now }) => {
      const taken = takeRequest(usedUpTo.get(id) ?? 0, parseRequestRate(rate), now);
      if ("waitMs" in taken) return taken.waitMs;
      usedUpTo.set(id, taken.usedUpTo);
      return undefined;
    },
  };
}

function toRecord({ token, last_used_at: lastUsedAt, revoked_at: revokedAt }: TokenRow): TokenRecord {
  return {
    ...(JSON.parse(token) as TokenRecord),
    ...(lastUsedAt === null ? {} : { lastUsedAt }),
    ...(revokedAt === null ? {} : { revokedAt }),
  };
}
