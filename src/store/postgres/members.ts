import type { Member } from "../member.ts";
import type { Store } from "../store.ts";
import type { Connections } from "./database/connections.ts";

/** On the way of heartbeats: whoever is slow to say that it is there seems to be gone. */
export function memberVerbs({ beat, query }: Connections): Pick<Store, "join" | "members" | "leave" | "time"> {
  return {
    join: async (member) => {
      await beat(
        `INSERT INTO longhaul.members (machine, worker, expires_at, member) VALUES ($1, $2, $3, $4)
         ON CONFLICT (machine) DO UPDATE SET worker = excluded.worker, expires_at = excluded.expires_at, member = excluded.member`,
        [member.machine, member.worker, member.expiresAt, JSON.stringify(member)],
      );
    },
    members: async (now) => {
      const rows = await query<{ member: string }>(
        `SELECT member FROM longhaul.members WHERE expires_at > $1 ORDER BY machine COLLATE "C"`,
        [now],
      );
      return rows.map(({ member }) => JSON.parse(member) as Member);
    },
    leave: async (worker) => {
      await beat("DELETE FROM longhaul.members WHERE worker = $1", [worker]);
    },
    time: async () => {
      const [row] = await beat<{ now: number }>(
        "SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now",
        [],
      );
      return row?.now ?? Number.NaN;
    },
  };
}
