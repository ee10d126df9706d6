import * as transitions from "../../../job/transitions.ts";
import type { JobId } from "../../../job/id.ts";
import { settleAttempt, withLeaseEnd } from "../../rules/leases.ts";
import type { BeatAnswer, HeldLease, Store } from "../../store.ts";
import type { Connections } from "../database/connections.ts";
import type { Write } from "../writing/group-writes.ts";
import type { Lookup, SetStatement, Unit } from "../writing/unit.ts";
import { applyChange, changeJob, findHeld } from "./change.ts";
import { adoptJob, findLost } from "./claim.ts";
import { askQuestion } from "./questions.ts";
import { entries, needsOf, writeState, type Entry } from "./rows.ts";

type LeaseVerb =
  | "append"
  | "beat"
  | "settle"
  | "adopt"
  | "abandon"
  | "release"
  | "report"
  | "stall"
  | "saveCheckpoint"
  | "ask";

/** The verbs of a worker: each counts only while its lease does. */
export function leaseVerbs(connections: Connections, write: Write): Pick<Store, LeaseVerb> {
  return {
    append: (lease, events, at) =>
      write((unit) => {
        const found = findHeld(unit, lease);
        if (found === undefined) return false;
        applyChange(unit, found, { state: found.stored.job.state, events }, at);
        return true;
      }, needsOf(lease.id)),
    beat: (leases, expiresAt) => beatAll(connections, leases, expiresAt),
    settle: (lease, outcome, settlement) =>
      write((unit) => {
        const found = unit.read(entries, lease.id);
        const settled = found && settleAttempt(found.stored.job, lease, outcome, settlement);
        if (found === undefined || settled === undefined) return undefined;
        if (settled.result !== undefined) unit.write(upsertResults, [lease.id, settled.result], lease.id);
        return applyChange(unit, found, settled.change, settlement.now);
      }, needsOf(lease.id)),
    adopt: (lost, request) => write((unit) => adoptJob(unit, lost, request), needsOf(lost.id)),
    abandon: (lost, outcome, now) =>
      write((unit) => {
        const found = findLost(unit, lost);
        const change = found === undefined ? undefined : transitions.abandon(found.stored.job, outcome, now);
        return found === undefined || change === undefined ? undefined : applyChange(unit, found, change, now);
      }, needsOf(lost.id)),
    release: (lease) => write((unit) => release(unit, lease), needsOf(lease.id)),
    report: (lease, { progress, isEvent, at }) =>
      write(
        (unit) => isChanged(changeJob(unit, lease.id, at, (job) => transitions.report(job, lease, progress, isEvent))),
        needsOf(lease.id),
      ),
    stall: (lease, since, now) =>
      write(
        (unit) => isChanged(changeJob(unit, lease.id, now, (job) => transitions.stall(job, lease, since, now))),
        needsOf(lease.id),
      ),
    saveCheckpoint: (lease, checkpoint) =>
      write((unit) => {
        const found = findHeld(unit, lease);
        if (found === undefined) return false;
        clearLosses(unit, found, lease, checkpoint);
        unit.assume(checkpoints, lease.id, checkpoint);
        unit.write(upsertCheckpoints, [lease.id, checkpoint], lease.id);
        return true;
      }, needsOf(lease.id)),
    ask: (lease, asking) => write((unit) => askQuestion(unit, lease, asking), needsOf(lease.id)),
  };
}

const upsertResults: SetStatement = {
  order: 20,
  sql: `INSERT INTO longhaul.results (job, result) SELECT * FROM unnest($1::uuid[], $2::text[])
    ON CONFLICT (job) DO UPDATE SET result = excluded.result`,
};

const upsertCheckpoints: SetStatement = {
  order: 20,
  sql: `INSERT INTO longhaul.checkpoints (job, checkpoint) SELECT * FROM unnest($1::uuid[], $2::text[])
    ON CONFLICT (job) DO UPDATE SET checkpoint = excluded.checkpoint`,
};

const checkpoints: Lookup<string> = {
  name: "checkpoint of",
  order: 3,
  load: async (session, ids) => {
    const rows = await session.query<{ job: JobId; checkpoint: string }>(
      "SELECT job, checkpoint FROM longhaul.checkpoints WHERE job = ANY ($1::uuid[])",
      [ids],
    );
    return new Map(rows.map(({ job, checkpoint }) => [job, checkpoint]));
  },
};

/** Before the checkpoint is stored: one that is the same as the last shows no progress. */
function clearLosses(unit: Unit, found: Entry, lease: HeldLease, checkpoint: string): void {
  const change = transitions.advance(found.stored.job, lease);
  // It makes no event, so its time is of no interest.
  if (change !== undefined && unit.read(checkpoints, lease.id) !== checkpoint) applyChange(unit, found, change, 0);
}

function release(unit: Unit, lease: HeldLease): void {
  const found = findHeld(unit, lease);
  if (found === undefined) return;
  const { stored } = found;
  const job = { ...stored.job, state: withLeaseEnd(stored.job.state, 0) };
  const released = { ...found, stored: { ...stored, job } };
  unit.assume(entries, lease.id, released);
  writeState(unit, released, 0);
}

function isChanged(job: unknown): boolean {
  return job !== undefined;
}

/** Locks in the order of the leases, which is that of the ids, as in all transactions. */
const beatHeld = `WITH beaten AS (SELECT found.id FROM unnest($2::uuid[], $3::bigint[], $4::text[]) AS l (id, fence, worker)
    CROSS JOIN LATERAL (SELECT id FROM longhaul.states
      WHERE id = l.id AND fence = l.fence AND worker = l.worker AND status IN ('running', 'waiting') FOR UPDATE) AS found)
  UPDATE longhaul.states s SET lease_expires_at = $1 WHERE s.id = ANY (ARRAY(SELECT id FROM beaten))
  RETURNING s.id, CASE WHEN s.cancel_asked THEN s.state END AS state`;

/** On a connection of its own: a heartbeat that waits for other requests would be late just when there are many. */
async function beatAll({ beat }: Connections, leases: readonly HeldLease[], expiresAt: number): Promise<BeatAnswer> {
  const ordered = leases.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const rows = await beat<{ id: JobId; state: string | null }>(beatHeld, [
    expiresAt,
    ordered.map(({ id }) => id),
    ordered.map(({ fence }) => fence),
    ordered.map(({ worker }) => worker),
  ]);
  const held = new Set(rows.map(({ id }) => id));
  return {
    lost: leases.map(({ id }) => id).filter((id) => !held.has(id)),
    cancelled: rows.flatMap(({ id, state }) => {
      const { cancelRequest } = JSON.parse(state ?? "{}") as { cancelRequest?: { reason: string } };
      return cancelRequest === undefined ? [] : [{ id, reason: cancelRequest.reason }];
    }),
  };
}
