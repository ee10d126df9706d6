import type { JobId } from "../../../job/id.ts";
import { adopt, restartWait, start } from "../../../job/transitions.ts";
import { holdJob, isStillLost, isWithinReach, placesOf } from "../../rules/claims.ts";
import { ClockWatch } from "../../rules/clock-watch.ts";
import { firstInOrder } from "../../rules/turns.ts";
import type { Claim, Claimed, ClaimRequest, ClaimWant, LeaseRequest, LostLease } from "../../store.ts";
import type { Connections, Session } from "../database/connections.ts";
import type { GroupWrites } from "../writing/group-writes.ts";
import { Needs, type Lookup, type Unit } from "../writing/unit.ts";
import { settleReadiness } from "./admission.ts";
import { applyChange, changeJob } from "./change.ts";
import { limits } from "./limits.ts";
import { entries, needsOf, writeState, type Entry } from "./rows.ts";
import { countFree, lockStarts, nextStartAt, noteStarts, type RecentStarts } from "./start-rates.ts";
import { toQueue, type Tickets } from "./tickets.ts";

export interface ClaimParts {
  readonly connections: Connections;
  readonly writes: GroupWrites;
  readonly tickets: Tickets;
}

/** What a worker is given besides the job. */
const given: Lookup<{ input: string; client: string | null }> = {
  name: "input of",
  order: 4,
  load: async (session, ids) => {
    const rows = await session.query<{ id: JobId; input: string; client: string | null }>(
      "SELECT id, input, client FROM longhaul.jobs WHERE id = ANY ($1::uuid[])",
      [ids],
    );
    return new Map(rows.map((row) => [row.id, row]));
  },
};

/** What a claim has taken of a kind: more than it wants where there are jobs for several places. */
interface Taken extends ClaimWant {
  readonly ids: readonly JobId[];
  readonly recent: RecentStarts;
}

/** Jobs whose time has come are made ready so many at once. */
const promotedAtOnce = 1_000;

export class Claims {
  readonly #parts: ClaimParts;
  readonly #clock = new ClockWatch();

  constructor(parts: ClaimParts) {
    this.#parts = parts;
  }

  async claim(request: ClaimRequest): Promise<Claimed> {
    const { now } = request;
    if (this.#clock.isSetBack(now)) await this.#restartWaits(now);
    const wanted = request.wants.filter(({ max }) => max > 0);
    await this.#parts.tickets.prepare(wanted.flatMap(({ kind }) => queuesOf(kind, request)));
    for (;;) {
      const { claims, nextStarts, nextDelay } = await this.#parts.writes.transact(
        async (session) => this.#take(session, wanted, request),
        (unit, { taken, nextDelay: next }) => ({ ...startTaken(unit, taken, request), nextDelay: next }),
      );
      const nextRunAt = Math.min(...nextStarts, nextDelay);
      if (nextDelay > now) return { claims, ...(nextRunAt === Infinity ? {} : { nextRunAt }) };
      await this.#promote(now);
    }
  }

  /** Takes nothing while there are jobs whose time has come and who are not made ready yet: they may come first. */
  async #take(
    session: Session,
    wanted: readonly ClaimWant[],
    request: ClaimRequest,
  ): Promise<{ begun: { taken: Taken[]; nextDelay: number }; needs: Needs }> {
    const kinds = wanted.map(({ kind }) => kind);
    const needs = new Needs();
    const [paused, limited, delayed] = await Promise.all([
      session.query<{ kind: string }>("SELECT kind FROM longhaul.paused_kinds WHERE kind = ANY ($1::text[])", [kinds]),
      limits.load(session, kinds),
      session.query<{ next: number | null }>(
        "SELECT min(run_at) AS next FROM longhaul.states WHERE status = 'queued' AND NOT ready AND blocked = 0",
        [],
      ),
    ]);
    const nextDelay = delayed[0]?.next ?? Infinity;
    if (nextDelay <= request.now) return { begun: { taken: [], nextDelay }, needs };
    const isPaused = new Set(paused.map(({ kind }) => kind));
    const wants = wanted.filter(({ kind }) => !isPaused.has(kind)).toSorted((a, b) => (a.kind < b.kind ? -1 : 1));
    const taken = await Promise.all(
      wants.map(async (want) => this.#takeKind(session, want, limited.get(want.kind) ?? {}, request)),
    );
    for (const { ids } of taken) for (const id of ids) needs.add(entries, id).add(given, id);
    const begun = wanted.flatMap(({ kind }) => taken.find((each) => each.kind === kind) ?? []);
    return { begun: { taken: begun, nextDelay }, needs };
  }

  async #takeKind(
    session: Session,
    { kind, max }: ClaimWant,
    kindLimits: RecentStarts["limits"],
    request: ClaimRequest,
  ): Promise<Taken> {
    const { rate } = kindLimits;
    const none: RecentStarts = { limits: kindLimits, starts: [] };
    const recent = rate === undefined ? none : await lockStarts(session, kind, kindLimits, request.now);
    const room = Math.min(max, countFree(recent));
    if (room === 0) return { kind, max: room, ids: [], recent };
    const ids = await Promise.all(
      queuesOf(kind, request).map(async (queue) => this.#parts.tickets.take(session, queue, room)),
    );
    return { kind, max: room, ids: ids.flat(), recent };
  }

  /** Those that are ready need nothing, and those that are blocked are looked at when they no longer are. */
  async #restartWaits(now: number): Promise<void> {
    const rows = await this.#parts.connections.query<{ id: JobId }>(
      `SELECT id FROM longhaul.states WHERE status = 'queued' AND (NOT ready AND blocked = 0 AND run_at > $1 OR deadline_at > $1)
         AND (state::json ->> 'queuedAt')::bigint > $1`,
      [now],
    );
    await this.#changeAll(rows, (unit, id) => changeJob(unit, id, now, (job) => restartWait(job, now)));
  }

  /** Makes the jobs ready whose time has come. */
  async #promote(now: number): Promise<void> {
    const rows = await this.#parts.connections.query<{ id: JobId }>(
      `SELECT id FROM longhaul.states WHERE status = 'queued' AND NOT ready AND blocked = 0 AND run_at <= $1
       ORDER BY run_at, id LIMIT ${promotedAtOnce}`,
      [now],
    );
    await this.#changeAll(rows, (unit, id) => makeReady(unit, id, now));
  }

  async #changeAll(rows: readonly { id: JobId }[], change: (unit: Unit, id: JobId) => unknown): Promise<void> {
    if (rows.length === 0) return;
    await this.#parts.writes.write(
      (unit) => {
        for (const { id } of rows) change(unit, id);
      },
      needsOf(...rows.map(({ id }) => id)),
    );
  }
}

function queuesOf(kind: string, request: ClaimRequest): string[] {
  return placesOf(request).map((place) => toQueue(kind, place ?? undefined));
}

/** The turn begins when it is ready, as if it had been queued now. */
function makeReady(unit: Unit, id: JobId, now: number): void {
  const found = unit.read(entries, id);
  if (found === undefined) return;
  const ready = settleReadiness(unit, { ...found, turn: 0 }, now);
  if (ready.isReady === found.isReady) return;
  unit.assume(entries, id, ready);
  writeState(unit, ready, now);
}

function startTaken(
  unit: Unit,
  taken: readonly Taken[],
  request: ClaimRequest,
): { claims: Claim[]; nextStarts: number[] } {
  const claims: Claim[] = [];
  const nextStarts: number[] = [];
  for (const { kind, max, ids, recent } of taken) {
    const ready = unit.readAll(entries, ids).map((entry) => takeTicket(unit, entry));
    const candidates = ready.filter(({ isReady, isParked }) => isReady && !isParked).map(toReadyJob);
    const started = firstInOrder(candidates, max).flatMap(({ entry }) => startJob(unit, entry, request) ?? []);
    const noted = noteStarts(unit, kind, recent, { at: request.now, count: started.length });
    const nextStart = nextStartAt(noted);
    if (nextStart !== undefined) nextStarts.push(nextStart);
    claims.push(...started);
  }
  return { claims, nextStarts };
}

/** The claim has taken it: a job that is not started after all gets another one. */
function takeTicket(unit: Unit, entry: Entry): Entry {
  const taken = { ...entry, hadTicket: false };
  unit.assume(entries, entry.stored.job.id, taken);
  return taken;
}

function toReadyJob(entry: Entry): { priority: number; turn: number; num: number; entry: Entry } {
  return { priority: entry.stored.job.priority, turn: entry.turn, num: entry.stored.num, entry };
}

/** One that is offered before its time, because a clock is behind, waits for it. */
function startJob(unit: Unit, entry: Entry, request: LeaseRequest): Claim | undefined {
  const claim = hold(unit, entry, request, start);
  if (claim !== undefined) return claim;
  const waiting = { ...entry, isReady: false, isParked: false };
  unit.assume(entries, entry.stored.job.id, waiting);
  writeState(unit, waiting, request.now);
  return undefined;
}

export function adoptJob(unit: Unit, lost: LostLease, request: LeaseRequest): Claim | undefined {
  const found = findLost(unit, lost);
  if (found === undefined || !isWithinReach(found.stored.job, request.machine)) return undefined;
  return hold(unit, found, request, adopt);
}

/** The job, if it is still lost. */
export function findLost(unit: Unit, lost: LostLease): Entry | undefined {
  const found = unit.read(entries, lost.id);
  return found !== undefined && isStillLost(found.stored.job, lost) ? found : undefined;
}

function hold(
  unit: Unit,
  found: Entry,
  request: LeaseRequest,
  transition: typeof start | typeof adopt,
): Claim | undefined {
  const { id } = found.stored.job;
  const held = holdJob(found.stored, request, transition);
  const work = unit.read(given, id);
  if (held === undefined || work === undefined) return undefined;
  const job = applyChange(unit, { ...found, stored: held.stored }, held.change, request.now);
  return { job, lease: held.lease, input: work.input, ...(work.client === null ? {} : { client: work.client }) };
}
