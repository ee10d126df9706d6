import { LonghaulError } from "../../job/error.ts";
import { parseRequestRate, takeRequest } from "../rules/request-rate.ts";
import type { TokenRecord, TokenStore } from "../token-store.ts";
import type { Connections } from "./database/connections.ts";

const minuteMs = 60_000;

interface TokenRow {
  readonly token: string;
  readonly last_used_at: number | null;
  readonly revoked_at: number | null;
}

const columns = "token, last_used_at, revoked_at";

/** The record as it was made is JSON; what changes later has columns of its own. */
export function createTokenStore({ query, withSession }: Connections): TokenStore {
  return {
    add: async (token) => {
      const added = await query(
        `INSERT INTO longhaul.tokens (id, name, token) VALUES ($1, $2, $3)
         ON CONFLICT (name) WHERE revoked_at IS NULL DO NOTHING RETURNING id`,
        [token.id, token.name, JSON.stringify(token)],
      );
      if (added.length > 0) return;
      throw new LonghaulError(
        "conflict",
        `There is already a token "${token.name}": choose another name, or revoke that one first.`,
      );
    },
    list: async () => (await query<TokenRow>(`SELECT ${columns} FROM longhaul.tokens ORDER BY num`, [])).map(toRecord),
    find: async (id) => {
      const [row] = await query<TokenRow>(`SELECT ${columns} FROM longhaul.tokens WHERE id = $1`, [id]);
      return row && toRecord(row);
    },
    revoke: async (id, at) => {
      const revoke = "UPDATE longhaul.tokens SET revoked_at = $2 WHERE id = $1 AND revoked_at IS NULL RETURNING id";
      return (await query(revoke, [id, at])).length > 0;
    },
    touch: async (id, at) => {
      const touch = `UPDATE longhaul.tokens SET last_used_at = $2
        WHERE id = $1 AND (last_used_at IS NULL OR last_used_at <= $2::bigint - ${minuteMs})`;
      await query(touch, [id, at]);
    },
    take: (id, { rate, now }) =>
      withSession(async (session) => {
        const [, , [row]] = await Promise.all([
          session.query("BEGIN"),
          session.query("INSERT INTO longhaul.token_rates (id) VALUES ($1) ON CONFLICT DO NOTHING", [id]),
          session.query<{ used_up_to: number }>(
            "SELECT used_up_to FROM longhaul.token_rates WHERE id = $1 FOR UPDATE",
            [id],
          ),
        ]);
        const taken = takeRequest(row?.used_up_to ?? 0, parseRequestRate(rate), now);
        const note = "UPDATE longhaul.token_rates SET used_up_to = $2 WHERE id = $1";
        const noting = "usedUpTo" in taken ? [session.query(note, [id, taken.usedUpTo])] : [];
        await Promise.all([...noting, session.query("COMMIT")]);
        return "waitMs" in taken ? taken.waitMs : undefined;
      }),
  };
}

function toRecord({ token, last_used_at: lastUsedAt, revoked_at: revokedAt }: TokenRow): TokenRecord {
  return {
    ...(JSON.parse(token) as TokenRecord),
    ...(lastUsedAt === null ? {} : { lastUsedAt }),
    ...(revokedAt === null ? {} : { revokedAt }),
  };
}
