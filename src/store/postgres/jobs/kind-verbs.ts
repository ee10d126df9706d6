import type { JobId } from "../../../job/id.ts";
import type { KindLimits } from "../../kind-limits.ts";
import type { Store } from "../../store.ts";
import type { Connections, Session } from "../database/connections.ts";
import type { Write } from "../writing/group-writes.ts";
import type { Hints } from "../writing/hints.ts";
import type { SetStatement } from "../writing/unit.ts";
import { lockKeys, toRoomKey } from "./admission.ts";
import { toLimitsText } from "./limits.ts";
import { toQueue, type Ticket, type Tickets } from "./tickets.ts";

const pause: SetStatement = {
  order: 20,
  sql: "INSERT INTO longhaul.paused_kinds (kind) SELECT * FROM unnest($1::text[]) ON CONFLICT DO NOTHING",
};
const resume: SetStatement = { order: 20, sql: "DELETE FROM longhaul.paused_kinds WHERE kind = ANY ($1::text[])" };

export interface KindParts {
  readonly connections: Connections;
  readonly write: Write;
  readonly tickets: Tickets;
  readonly hints: Hints;
}

/** The verbs about all jobs of a kind. */
export function kindVerbs(parts: KindParts): Pick<Store, "limits" | "setPaused"> {
  const { connections, write } = parts;
  return {
    setPaused: (kind, isPaused) =>
      write((unit) => {
        unit.write(isPaused ? pause : resume, [kind], kind);
        unit.hint({ type: "job-ready" });
      }),
    limits: async (kind, limits) => {
      const text = toLimitsText(limits);
      const [known] = await connections.query<{ limits: string }>(
        "SELECT limits FROM longhaul.limits WHERE kind = $1",
        [kind],
      );
      // Every engine says it when it starts, nearly always as it was said before.
      if ((known?.limits ?? toLimitsText({})) === text) return;
      await connections.withSession((session) => changeLimits(parts, session, kind, { text, limits }));
      parts.hints.publish([{ type: "job-ready" }]);
    },
  };
}

const saveLimits = `INSERT INTO longhaul.limits (kind, limits) VALUES ($1, $2)
  ON CONFLICT (kind) DO UPDATE SET limits = excluded.limits`;

const keysOfKind = `SELECT DISTINCT slot_key AS key FROM longhaul.states
  WHERE kind = $1 AND slot_key <> '' AND (ready OR status IN ('running', 'waiting'))`;

/** Those that are ready under each key of a kind in the order in which they are claimed, as far as there is room for them. */
const parkAnew = `WITH ranked AS (
    SELECT s.id, row_number() OVER (PARTITION BY s.slot_key ORDER BY s.priority DESC, s.turn, s.id)
        + (SELECT count(*) FROM longhaul.states h WHERE h.kind = $1 AND h.slot_key = s.slot_key AND h.slot_key IS NOT NULL
             AND h.status IN ('running', 'waiting'))
        > coalesce(l.most, $2::bigint) AS is_over
    FROM longhaul.states s LEFT JOIN unnest($3::text[], $4::bigint[]) AS l (key, most) ON l.key = s.slot_key
    WHERE s.kind = $1 AND s.ready AND s.slot_key <> '')
  UPDATE longhaul.states s SET parked = ranked.is_over FROM ranked WHERE s.id = ranked.id AND s.ready AND s.parked <> ranked.is_over
  RETURNING s.id, s.place, s.parked, s.priority, s.turn`;

interface ParkedRow extends Ticket {
  readonly place: string;
  readonly parked: boolean;
}

async function changeLimits(
  { tickets, hints }: KindParts,
  session: Session,
  kind: string,
  { text, limits: { perKey, perKeyOf } }: { text: string; limits: KindLimits },
): Promise<void> {
  const own = [...(perKeyOf ?? [])];
  const [, , keys] = await Promise.all([
    session.query("BEGIN"),
    session.query(saveLimits, [kind, text]),
    session.query<{ key: string }>(keysOfKind, [kind]),
  ]);
  const [, rows] = await Promise.all([
    session.query(lockKeys, [keys.map(({ key }) => toRoomKey(kind, key))]),
    session.query<ParkedRow>(parkAnew, [
      kind,
      toMost(perKey),
      own.map(([key]) => key),
      own.map(([, most]) => toMost(most)),
    ]),
  ]);
  const byQueue = new Map<string, ParkedRow[]>();
  for (const row of rows) {
    const queue = toQueue(kind, row.place === "" ? undefined : row.place);
    byQueue.set(queue, [...(byQueue.get(queue) ?? []), row]);
  }
  await tickets.prepare(byQueue.keys());
  for (const [queue, changed] of byQueue) {
    const ids = changed.filter(({ parked }) => parked).map(({ id }) => id satisfies JobId);
    await tickets.remove(session, queue, ids);
    await tickets.put(
      session,
      queue,
      changed.filter(({ parked }) => !parked),
    ).done;
  }
  await Promise.all([...hints.send(session, [{ type: "job-ready" }]), session.query("COMMIT")]);
}

function toMost(limit = Infinity): number {
  return Math.min(limit, Number.MAX_SAFE_INTEGER);
}
