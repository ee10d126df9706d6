import { isJobId, type JobId } from "../../../job/id.ts";
import type { Delivery, DeliveryFilter, DeliveryKey, DeliveryPage } from "../../delivery.ts";
import { ClockWatch } from "../../rules/clock-watch.ts";
import type { PageRequest, Store } from "../../store.ts";
import type { Connections } from "../database/connections.ts";
import { parseIdCursor } from "../finding/list.ts";
import type { Write } from "../writing/group-writes.ts";
import type { Hints } from "../writing/hints.ts";
import { claimDeliveries } from "./claim-deliveries.ts";
import { needsOfSettling, settleDelivery } from "./settle-delivery.ts";

type DeliveryVerb = "claimDeliveries" | "settleDelivery" | "listDeliveries" | "redeliver";

export interface DeliveryParts {
  readonly connections: Connections;
  readonly write: Write;
  readonly hints: Hints;
}

export function deliveryVerbs({ connections, write, hints }: DeliveryParts): Pick<Store, DeliveryVerb> {
  const clock = new ClockWatch();
  return {
    claimDeliveries: async (request) => {
      try {
        return await claimDeliveries(connections, request, { isSetBack: clock.isSetBack(request.now) });
      } catch (error) {
        clock.forget();
        throw error;
      }
    },
    settleDelivery: (claim, result) => write((unit) => settleDelivery(unit, claim, result), needsOfSettling(claim)),
    listDeliveries: (filter, page) => listDeliveries(connections, filter, page),
    redeliver: (id, which, now) => redeliver({ connections, hints }, id, which, now),
  };
}

/** With a key the one, whatever became of it, unless it is under way; without one all that were given up. */
const redeliverThem = `WITH again AS (
    UPDATE longhaul.deliveries d SET state = 'pending', next_at = $2, delivered_at = NULL, uncounted = d.attempts
    WHERE d.job = $1 AND CASE WHEN $3::bigint IS NULL THEN d.state IN ('failed', 'gone')
      ELSE d.seq = $3 AND d.target = $4 AND NOT d.is_claimed END
    RETURNING d.seq, d.target),
  revived AS (UPDATE longhaul.receivers r SET is_gone = false WHERE r.job = $1 AND r.target IN (SELECT target FROM again))
  SELECT seq, target FROM again ORDER BY seq, target`;

async function redeliver(
  { connections, hints }: Pick<DeliveryParts, "connections" | "hints">,
  id: JobId,
  which: DeliveryKey | undefined,
  now: number,
): Promise<DeliveryKey[]> {
  const keys = await connections.query<DeliveryKey>(redeliverThem, [
    id,
    now,
    which?.seq ?? null,
    which?.target ?? null,
  ]);
  if (keys.length === 0) return [];
  hints.announce({ type: "delivery-due" });
  return keys;
}

interface DeliveryRow extends Pick<Delivery, "seq" | "target" | "type" | "state" | "attempts"> {
  readonly job: JobId;
  readonly spec: string;
  readonly next_at: number | null;
  readonly last_status: number | null;
  readonly last_error: string | null;
  readonly created_at: number;
  readonly delivered_at: number | null;
}

const selectPage = `SELECT d.job, d.seq, d.target, d.type, d.state, d.attempts, j.spec,
    CASE WHEN NOT d.is_claimed THEN d.next_at END AS next_at, d.last_status, d.last_error, d.created_at, d.delivered_at
  FROM longhaul.deliveries d JOIN longhaul.jobs j ON j.id = d.job`;

async function listDeliveries(
  { query }: Connections,
  filter: DeliveryFilter,
  { limit, cursor }: PageRequest,
): Promise<DeliveryPage> {
  const values: (string | number | readonly string[])[] = [];
  const take = (value: string | number | readonly string[]): string => `$${values.push(value)}`;
  const conditions = [
    ...(cursor === undefined ? [] : [toPlace(cursor, take)]),
    ...(filter.state === undefined ? [] : [`d.state = ${take(filter.state)}`]),
    ...(filter.job === undefined ? [] : [`d.job = ${take(filter.job)}::uuid`]),
    ...(filter.owner === undefined ? [] : [`j.owner = ${take(filter.owner)}`]),
    ...(filter.kinds === undefined ? [] : [`j.kind = ANY (${take(filter.kinds)}::text[])`]),
  ];
  const where = conditions.length === 0 ? "" : `WHERE ${conditions.join(" AND ")}`;
  const order = "ORDER BY d.job DESC, d.seq DESC, d.target DESC";
  const rows = await query<DeliveryRow>(`${selectPage} ${where} ${order} LIMIT ${take(limit + 1)}`, values);
  const shown = rows.slice(0, limit);
  const last = rows.length > limit ? shown.at(-1) : undefined;
  return {
    deliveries: shown.map(toDelivery),
    ...(last === undefined ? {} : { cursor: `${last.job}.${last.seq}.${last.target}` }),
  };
}

function toPlace(cursor: string, take: (value: string | number) => string): string {
  const [id = "", seq = "", target = "", ...more] = cursor.split(".");
  const isOurs = isJobId(id) && more.length === 0 && [seq, target].every((part) => /^\d{1,15}$/.test(part));
  const job = parseIdCursor(cursor, isOurs ? id : "");
  return `(d.job, d.seq, d.target) < (${take(job)}::uuid, ${take(Number(seq))}::bigint, ${take(Number(target))}::bigint)`;
}

interface ShownReceivers {
  readonly webhook?: { readonly url: string };
  readonly notify?: { readonly to: readonly string[] };
}

function toDelivery(row: DeliveryRow): Delivery {
  const { job, seq, target, type, state, attempts } = row;
  const { webhook, notify } = JSON.parse(row.spec) as ShownReceivers;
  return {
    jobId: job,
    seq,
    target,
    type,
    url: (target === 0 ? webhook?.url : notify?.to[target - 1]) ?? "",
    state,
    attempts,
    createdAt: row.created_at,
    nextAt: row.next_at ?? undefined,
    deliveredAt: row.delivered_at ?? undefined,
    lastStatus: row.last_status ?? undefined,
    lastError: row.last_error ?? undefined,
  };
}
