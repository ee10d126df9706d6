import type { JobId } from "../../../job/id.ts";
import type { JobSpec } from "../../../job/job.ts";
import { isHeld } from "../../../job/state.ts";
import { limitOfKey } from "../../rules/claims.ts";
import { firstInOrder, nextTurn, type ReadyJob } from "../../rules/turns.ts";
import type { Session } from "../database/connections.ts";
import type { Lookup, Needs, Unit } from "../writing/unit.ts";
import { limits } from "./limits.ts";
import { entries, noPlace, writeState, type Entry } from "./rows.ts";
import { toQueue, type Ticket, type Tickets } from "./tickets.ts";

/** More than a transaction usually frees room for; what is left over is admitted by `tidy`. */
const admittedAtOnce = 200;

/** A key of a kind whose jobs have a limit. */
interface KeyRoom {
  /** Jobs that are held or have a ticket. */
  readonly open: number;
  /** The first of those that wait for room. */
  readonly parked: readonly JobId[];
}

interface TurnsOfOwner {
  /** The last turn of the owner's jobs that are ready. */
  readonly last: number | undefined;
  /** The first turn that waits. */
  readonly served: number;
}

/** By kind, place, owner and priority: jobs that wait for one place do not hold up their owner's others. */
const turns: Lookup<TurnsOfOwner> = {
  name: "turns of",
  order: 4,
  load: async (session, keys) => {
    const wanted = keys.map((key) => JSON.parse(key) as [string, string, string, number]);
    const rows = await session.query<{ n: number; last: number | null; first: number | null }>(
      `SELECT w.n, (SELECT turn FROM longhaul.states s WHERE s.kind = w.kind AND s.place = w.place AND s.owner = w.owner
           AND s.priority = w.priority AND s.ready ORDER BY s.turn DESC LIMIT 1) AS last,
         (SELECT turn FROM longhaul.states s WHERE s.kind = w.kind AND s.place = '' AND s.priority = w.priority AND s.ready
           ORDER BY s.turn LIMIT 1) AS first
       FROM unnest($1::text[], $2::text[], $3::text[], $4::integer[]) WITH ORDINALITY AS w (kind, place, owner, priority, n)`,
      [0, 1, 2, 3].map((column) => wanted.map((key) => key[column] ?? null)),
    );
    return new Map(
      rows.map(({ n, last, first }) => [keys[n - 1] ?? "", { last: last ?? undefined, served: first ?? 0 }]),
    );
  },
};

/** Nobody else admits jobs under these keys until the transaction ends. */
export const lockKeys = `SELECT pg_advisory_xact_lock(h) FROM
  (SELECT DISTINCT hashtextextended(k, 12) AS h FROM unnest($1::text[]) AS k ORDER BY h OFFSET 0) AS hashes`;

export function toRoomKey(kind: string, key: string): string {
  return JSON.stringify([kind, key]);
}

/** By kind and key. The lock lasts as long as the transaction, so that nobody else admits under the key what this one does not see. */
const keyRooms: Lookup<KeyRoom> = {
  name: "room for key",
  order: 1,
  load: async (session, keys) => {
    const wanted = keys.map((key) => JSON.parse(key) as [string, string]);
    const [, rows] = await Promise.all([
      session.query(lockKeys, [keys]),
      session.query<{ n: number; open: number; parked: JobId[] | null }>(
        `SELECT w.n, (SELECT count(*) FROM longhaul.states s WHERE s.kind = w.kind AND s.slot_key = w.key AND s.slot_key IS NOT NULL
             AND (s.status IN ('running', 'waiting') OR s.ready AND NOT s.parked)) AS open,
           (SELECT array_agg(p.id) FROM (SELECT s.id FROM longhaul.states s WHERE s.kind = w.kind AND s.slot_key = w.key AND s.parked
             ORDER BY s.priority DESC, s.turn, s.id LIMIT ${admittedAtOnce}) AS p) AS parked
         FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS w (kind, key, n)`,
        [wanted.map(([kind]) => kind), wanted.map(([, key]) => key)],
      ),
    ]);
    return new Map(rows.map(({ n, open, parked }) => [keys[n - 1] ?? "", { open, parked: parked ?? [] }]));
  },
};

/** What it takes to make a job ready that is about to be created. */
export function addReadinessNeeds(needs: Needs, job: QueuedJob): void {
  const { kind, key } = job;
  needs.add(turns, toTurnKey(job));
  if (key !== undefined && key !== "") needs.add(limits, kind);
}

type QueuedJob = Pick<JobSpec, "kind" | "owner" | "priority" | "place" | "key">;

/** Works out whether a job that changes may be claimed, and in which turn. Whether its key has room is decided when all else is. */
export function settleReadiness(unit: Unit, entry: Entry, now: number): Entry {
  const { job, blocked } = entry.stored;
  const isReady = job.state.status === "queued" && blocked === 0 && job.state.runAt <= now;
  if (isReady === entry.isReady) return entry;
  if (!isReady) return { ...entry, isReady, isParked: false };
  return {
    ...entry,
    isReady,
    isParked: limitOf(unit, job) !== Infinity,
    turn: entry.turn === 0 ? takeTurn(unit, job) : entry.turn,
  };
}

function takeTurn(unit: Unit, job: QueuedJob): number {
  const key = toTurnKey(job);
  const { last, served } = unit.read(turns, key) ?? { last: undefined, served: 0 };
  const turn = nextTurn(last, served);
  unit.assume(turns, key, { last: turn, served });
  return turn;
}

/** Gives the room that a transaction leaves under each key that it has touched to the first that wait for it. */
export function admitParked(unit: Unit): void {
  for (const [key, changed] of changedByKey(unit)) {
    const room = unit.read(keyRooms, key) ?? { open: 0, parked: [] };
    const inUnit = unit.assumed(entries);
    const waiting = changed.filter(({ isParked }) => isParked);
    const open = changed.reduce((sum, entry) => sum + Number(isOpen(entry)) - Number(entry.wasOpen), room.open);
    const limit = limitOf(unit, changed[0]?.stored.job ?? { kind: "" });
    const free = Math.max(0, limit - open);
    if (free === 0) continue;
    const others = room.parked.filter((id) => !inUnit.has(id)).slice(0, free);
    const candidates = [...waiting, ...unit.readAll(entries, others).filter(({ isParked }) => isParked)];
    for (const { entry } of firstInOrder(candidates.map(toCandidate), free)) {
      const admitted = { ...entry, isParked: false };
      unit.assume(entries, entry.stored.job.id, admitted);
      // It is ready already, so no time decides.
      writeState(unit, admitted, Infinity);
      unit.hint({ type: "job-ready" });
    }
  }
}

function changedByKey(unit: Unit): Map<string, Entry[]> {
  const byKey = new Map<string, Entry[]>();
  for (const entry of unit.assumed(entries).values()) {
    if (entry === undefined) continue;
    const { job } = entry.stored;
    const isTouched =
      isOpen(entry) !== entry.wasOpen || (entry.isParked && !entry.wasParked) || (entry.wasParked && !entry.isParked);
    if (!isTouched || limitOf(unit, job) === Infinity) continue;
    const key = toRoomKey(job.kind, job.key ?? "");
    byKey.set(key, [...(byKey.get(key) ?? []), entry]);
  }
  return byKey;
}

function toCandidate(entry: Entry): ReadyJob & { entry: Entry } {
  const { stored, turn } = entry;
  return { priority: stored.job.priority, turn, num: stored.num, entry };
}

/** It takes room under its key. */
function isOpen({ stored, isReady, isParked }: Entry): boolean {
  return isHeld(stored.job.state) || (isReady && !isParked);
}

function limitOf(unit: Unit, { kind, key = "" }: Pick<QueuedJob, "kind" | "key">): number {
  return key === "" ? Infinity : limitOfKey(unit.read(limits, kind) ?? {}, key);
}

function toTurnKey({ kind, place = noPlace, owner, priority }: QueuedJob): string {
  return JSON.stringify([kind, place, owner, priority]);
}

/** Puts and removes tickets, as the jobs of a transaction are when all is decided. */
export async function sendTickets(tickets: Tickets, session: Session, unit: Unit): Promise<Promise<unknown>[]> {
  const [put, removed] = [new Map<string, Ticket[]>(), new Map<string, JobId[]>()];
  for (const entry of unit.assumed(entries).values()) {
    if (entry === undefined || hasTicket(entry) === entry.hadTicket) continue;
    const { id, priority } = entry.stored.job;
    const queue = queueOf(entry);
    if (entry.hadTicket) removed.set(queue, [...(removed.get(queue) ?? []), id]);
    else put.set(queue, [...(put.get(queue) ?? []), { id, priority, turn: entry.turn }]);
  }
  const removing = [...removed].map(([queue, ids]) => tickets.remove(session, queue, ids));
  const putting = [...put].map(([queue, those]) => tickets.put(session, queue, those));
  await Promise.all(putting.map(({ sent }) => sent));
  return [...removing, ...putting.map(({ done }) => done)];
}

/** The queues into which tickets are put. */
export function neededQueues(unit: Unit): Set<string> {
  const changed = [...unit.assumed(entries).values()];
  return new Set(
    changed.filter((entry) => entry !== undefined && hasTicket(entry)).map((entry) => queueOf(entry as Entry)),
  );
}

function hasTicket({ isReady, isParked }: Entry): boolean {
  return isReady && !isParked;
}

function queueOf({ stored }: Entry): string {
  return toQueue(stored.job.kind, stored.job.place);
}
