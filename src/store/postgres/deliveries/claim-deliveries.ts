import type { JobState } from "../../../job/state.ts";
import type { DeliveryClaim, DeliveryClaimRequest, DeliveryClaims } from "../../delivery.ts";
import { maxAheadMs } from "../../rules/clock-watch.ts";
import {
  firstDeliveries,
  nextDueAt,
  roomAtHosts,
  toDeliveryClaim,
  type PendingHost,
  type StoredDelivery,
} from "../../rules/deliveries.ts";
import type { Connections, Session } from "../database/connections.ts";
import { jobColumns, toStored, type JobRow } from "../jobs/rows.ts";

/** One process claims at a time, so that what is under way to a host is counted right. */
export function claimDeliveries(
  { withSession }: Connections,
  request: DeliveryClaimRequest,
  { isSetBack }: { isSetBack: boolean },
): Promise<DeliveryClaims> {
  const { now, leaseMs, max } = request;
  return withSession(async ({ query }) => {
    const [, , , busyRows, hosts] = await Promise.all([
      query("BEGIN"),
      query("SELECT pg_advisory_xact_lock(hashtextextended('longhaul.deliveries', 0))", []),
      isSetBack ? query(restart, [now, maxAheadMs]) : undefined,
      query<{ host: string; count: number }>(selectBusy, [now]),
      query<PendingHost>(selectHosts, []),
    ]);
    const busy = new Map(busyRows.map(({ host, count }) => [host, count]));
    const rooms = roomAtHosts(hosts, request, busy);
    const rows = rooms.length === 0 ? [] : await readDue(query, rooms, now);
    const dueByHost = rooms.map(({ host }) => rows.filter((row) => row.host === host));
    const claims = firstDeliveries(dueByHost, max, busy).map(toClaim);
    const [taken, left] = await Promise.all([
      claims.length === 0 ? [] : take(query, claims, now, now + leaseMs),
      query<PendingHost>(selectHosts, []),
      query("COMMIT"),
    ]);
    const nextAt = nextDueAt(left, now);
    const isTaken = new Set(taken.map(toKey));
    const counted = claims.filter((claim) =>
      isTaken.has(toKey({ job: claim.job.id, seq: claim.seq, target: claim.target })),
    );
    return { claims: counted, ...(nextAt === undefined ? {} : { nextAt }) };
  });
}

/** Sent at once: how long ago one was tried cannot be told. */
const restart = `UPDATE longhaul.deliveries SET next_at = $1, created_at = $1
  WHERE state = 'pending' AND NOT is_claimed AND created_at > $1 + $2::bigint AND next_at > $1`;

const selectBusy = `SELECT host, count(*) AS count FROM longhaul.deliveries
  WHERE is_claimed AND next_at > $1 GROUP BY host`;

/** The hosts that something is to be delivered to, found by one seek each, however much waits for them. */
const selectHosts = `WITH RECURSIVE hosts AS (
    (SELECT host FROM longhaul.deliveries WHERE state = 'pending' ORDER BY host LIMIT 1)
    UNION ALL
    SELECT (SELECT d.host FROM longhaul.deliveries d WHERE d.state = 'pending' AND d.host > hosts.host ORDER BY d.host LIMIT 1)
    FROM hosts WHERE hosts.host IS NOT NULL)
  SELECT host, (SELECT d.next_at FROM longhaul.deliveries d WHERE d.state = 'pending' AND d.host = hosts.host
    ORDER BY d.next_at LIMIT 1) AS "nextAt" FROM hosts WHERE host IS NOT NULL`;

interface DueRow
  extends JobRow, PendingHost, Pick<StoredDelivery, "target" | "type" | "attempts" | "uncounted">, Receiver {
  readonly deliverySeq: number;
  readonly jobState: string;
}

interface Receiver extends Pick<DeliveryClaim, "format" | "url"> {
  readonly secret: string | null;
}

const selectDue = `SELECT d.seq AS "deliverySeq", d.target, d.type, d.host, d.job_state AS "jobState", d.attempts, d.uncounted,
    d.next_at AS "nextAt", r.format, r.url, r.secret, ${jobColumns}
  FROM unnest($1::text[], $2::integer[]) AS h (host, room)
  CROSS JOIN LATERAL (SELECT * FROM longhaul.deliveries w WHERE w.state = 'pending' AND w.host = h.host AND w.next_at <= $3
    ORDER BY w.next_at LIMIT h.room) d
  JOIN longhaul.receivers r ON r.job = d.job AND r.target = d.target
  JOIN longhaul.jobs j ON j.id = d.job JOIN longhaul.states s ON s.id = d.job
  ORDER BY d.host, d.next_at`;

function readDue(query: Session["query"], rooms: ReturnType<typeof roomAtHosts>, now: number): Promise<DueRow[]> {
  return query<DueRow>(selectDue, [rooms.map(({ host }) => host), rooms.map(({ room }) => room), now]);
}

function toClaim(row: DueRow): DeliveryClaim {
  const { deliverySeq: seq, format, url, secret } = row;
  const delivery = { ...row, seq, jobState: JSON.parse(row.jobState) as JobState };
  return toDeliveryClaim(toStored(row).job, { format, url, ...(secret === null ? {} : { secret }) }, delivery);
}

interface TakenRow {
  readonly job: string;
  readonly seq: number;
  readonly target: number;
}

/** Those that somebody has settled or sent anew meanwhile are left out. */
const takeThem = `UPDATE longhaul.deliveries d SET is_claimed = true, attempts = n.attempt, next_at = $5
  FROM unnest($1::uuid[], $2::bigint[], $3::integer[], $4::integer[]) AS n (job, seq, target, attempt)
  WHERE d.job = n.job AND d.seq = n.seq AND d.target = n.target AND d.attempts = n.attempt - 1
    AND d.state = 'pending' AND d.next_at <= $6
  RETURNING d.job, d.seq, d.target`;

function take(
  query: Session["query"],
  claims: readonly DeliveryClaim[],
  now: number,
  leaseEndsAt: number,
): Promise<TakenRow[]> {
  return query<TakenRow>(takeThem, [
    claims.map(({ job }) => job.id),
    claims.map(({ seq }) => seq),
    claims.map(({ target }) => target),
    claims.map(({ attempt }) => attempt),
    leaseEndsAt,
    now,
  ]);
}

function toKey({ job, seq, target }: TakenRow): string {
  return `${job} ${seq} ${target}`;
}
