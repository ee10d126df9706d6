import type { DeliveryClaim, DeliveryResult } from "../../delivery.ts";
import { toSettled } from "../../rules/deliveries.ts";
import { Needs, type Lookup, type SetStatement, type Unit } from "../writing/unit.ts";

/** A claim under way, and whether more waits for its host. */
interface UnderWay {
  readonly attempts: number;
  readonly isAwaited: boolean;
}

interface UnderWayRow extends UnderWay {
  readonly n: number;
}

const lockThem = `SELECT 1 FROM longhaul.deliveries d
  JOIN unnest($1::uuid[], $2::bigint[], $3::integer[]) AS w (job, seq, target) USING (job, seq, target)
  ORDER BY d.job, d.seq, d.target FOR UPDATE OF d`;

const readThem = `SELECT w.n::integer, d.attempts, EXISTS (
    SELECT 1 FROM longhaul.deliveries o WHERE o.state = 'pending' AND o.host = d.host AND NOT o.is_claimed) AS "isAwaited"
  FROM unnest($1::uuid[], $2::bigint[], $3::integer[]) WITH ORDINALITY AS w (job, seq, target, n)
  JOIN longhaul.deliveries d USING (job, seq, target) WHERE d.is_claimed`;

const underWay: Lookup<UnderWay> = {
  name: "delivery",
  order: 6,
  load: async ({ query }, keys) => {
    const wanted = keys.map((key) => key.split(" "));
    const columns = [0, 1, 2].map((column) => wanted.map((parts) => parts[column] ?? ""));
    const [, rows] = await Promise.all([query(lockThem, columns), query<UnderWayRow>(readThem, columns)]);
    return new Map(rows.map(({ n, ...row }) => [keys[n - 1] ?? "", row]));
  },
};

const settle: SetStatement = {
  order: 30,
  sql: `UPDATE longhaul.deliveries d SET state = n.state, is_claimed = false, next_at = n.next_at, delivered_at = n.delivered_at,
      uncounted = d.uncounted + CASE WHEN n.cut THEN 1 ELSE 0 END,
      last_status = CASE WHEN n.cut THEN d.last_status ELSE n.last_status END,
      last_error = CASE WHEN n.cut THEN d.last_error ELSE n.last_error END
    FROM unnest($1::uuid[], $2::bigint[], $3::integer[], $4::text[], $5::bigint[], $6::bigint[], $7::boolean[], $8::integer[], $9::text[])
      AS n (job, seq, target, state, next_at, delivered_at, cut, last_status, last_error)
    WHERE d.job = n.job AND d.seq = n.seq AND d.target = n.target`,
};

const endReceiver: SetStatement = {
  order: 31,
  sql: `UPDATE longhaul.receivers r SET is_gone = true
    FROM unnest($1::uuid[], $2::integer[]) AS n (job, target) WHERE r.job = n.job AND r.target = n.target`,
};

/** After the receiver: what somebody else recorded until then is seen. */
const endDeliveries: SetStatement = {
  order: 32,
  sql: `UPDATE longhaul.deliveries d SET state = 'gone', is_claimed = false, next_at = NULL
    FROM unnest($1::uuid[], $2::integer[]) AS n (job, target)
    WHERE d.job = n.job AND d.target = n.target AND d.state = 'pending'`,
};

export function needsOfSettling(claim: DeliveryClaim): Needs {
  return new Needs().add(underWay, toKey(claim));
}

export function settleDelivery(unit: Unit, claim: DeliveryClaim, result: DeliveryResult): boolean {
  const key = toKey(claim);
  const found = unit.read(underWay, key);
  if (found?.attempts !== claim.attempt) return false;
  const settled = toSettled(result);
  const { id } = claim.job;
  unit.assume(underWay, key, undefined);
  unit.write(settle, [
    id,
    claim.seq,
    claim.target,
    settled.state,
    settled.nextAt ?? null,
    settled.deliveredAt ?? null,
    settled.isCutShort,
    settled.lastStatus ?? null,
    settled.lastError ?? null,
  ]);
  if (settled.endsReceiver) {
    unit.write(endReceiver, [id, claim.target]);
    unit.write(endDeliveries, [id, claim.target]);
  }
  // The room that this leaves at its host may be what another process waits for.
  if (found.isAwaited) unit.hint({ type: "delivery-due" });
  return true;
}

function toKey({ job, seq, target }: DeliveryClaim): string {
  return `${job.id} ${seq} ${target}`;
}
