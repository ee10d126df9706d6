import type { JobId } from "../../../job/id.ts";
import { adopt, restartWait, start } from "../../../job/transitions.ts";
import { holdJob, isStillLost, isWithinReach, placesOf } from "../../rules/claims.ts";
import type { KindLimits } from "../../kind-limits.ts";
import { ClockWatch } from "../../rules/clock-watch.ts";
import { firstInOrder } from "../../rules/turns.ts";
import type { Claim, Claimed, ClaimRequest, ClaimWant, LeaseRequest, LostLease } from "../../store.ts";
import type { Connections } from "../database/connections.ts";
import type { GroupWrites } from "../writing/group-writes.ts";
import type { Unit } from "../writing/unit.ts";
import { settleReadiness } from "./admission.ts";
import { applyChange, changeJob } from "./change.ts";
import { entries, needsOf, writeState, type Entry } from "./rows.ts";
import { countFree, nextStartAt, noteStarts, withNoted } from "./start-rates.ts";
import { given, takeJobs, type Taken } from "./taking.ts";
import type { Tickets } from "./tickets.ts";

export interface ClaimParts {
  readonly connections: Connections;
  readonly writes: GroupWrites;
  readonly tickets: Tickets;
}

/** Jobs whose time has come are made ready so many at once. */
const promotedAtOnce = 1_000;

export class Claims {
  readonly #parts: ClaimParts;
  readonly #clock = new ClockWatch();
  /** Of the kinds that were wanted, as far as is known here: one that is not is asked for again. */
  #rates: ReadonlyMap<string, KindLimits> = new Map();

  constructor(parts: ClaimParts) {
    this.#parts = parts;
  }

  async claim(request: ClaimRequest): Promise<Claimed> {
    const { now } = request;
    if (this.#clock.isSetBack(now)) await this.#restartWaits(now);
    const claims: Claim[] = [];
    let wanted = request.wants.filter(({ max }) => max > 0);
    for (;;) {
      const rates = this.#rates;
      const { taken, ...started } = await this.#take(wanted, request, rates);
      claims.push(...started.claims);
      this.#rates = taken.rated;
      wanted = leftOver(wanted, started.claims);
      const isOutdated = wanted.some(({ kind }) => !isSameRate(rates.get(kind), taken.rated.get(kind)));
      if (taken.nextDelay <= now) await this.#promote(now);
      else if (wanted.length === 0 || (!started.isAgain && !isOutdated)) {
        const nextRunAt = Math.min(...started.nextStarts, taken.nextDelay);
        return { claims: inOrderOf(request.wants, claims), ...(nextRunAt === Infinity ? {} : { nextRunAt }) };
      }
    }
  }

  #take(wanted: readonly ClaimWant[], request: ClaimRequest, rates: ReadonlyMap<string, KindLimits>): Promise<Started> {
    const { writes, tickets } = this.#parts;
    return writes.writeLast(
      (session) => takeJobs(session, tickets, wanted, request, rates),
      (unit, taken) => startTaken(unit, taken, wanted, request),
    );
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

function isSameRate(one: KindLimits | undefined, other: KindLimits | undefined): boolean {
  return one?.rate?.starts === other?.rate?.starts && one?.rate?.perMs === other?.rate?.perMs;
}

/** What each kind may still be claimed of. */
function leftOver(wanted: readonly ClaimWant[], claims: readonly Claim[]): ClaimWant[] {
  const count = (kind: string): number => claims.filter(({ job }) => job.kind === kind).length;
  return wanted.map(({ kind, max }) => ({ kind, max: max - count(kind) })).filter(({ max }) => max > 0);
}

function inOrderOf(wants: readonly ClaimWant[], claims: readonly Claim[]): Claim[] {
  return [...new Set(wants.map(({ kind }) => kind))].flatMap((kind) => claims.filter(({ job }) => job.kind === kind));
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

interface Started {
  readonly taken: Taken;
  readonly claims: Claim[];
  readonly nextStarts: number[];
  /** Some of the tickets were of jobs that cannot start any more, and there may be others. */
  readonly isAgain: boolean;
}

function startTaken(unit: Unit, taken: Taken, wanted: readonly ClaimWant[], request: ClaimRequest): Started {
  const claims: Claim[] = [];
  const nextStarts: number[] = [];
  const all = unit.readAll(entries, taken.ids);
  const ready = all.filter(hasTicket);
  const isLeft = ready.length < all.length;
  // Those that become ready in this transaction need no ticket.
  for (const entry of unit.assumed(entries).values()) {
    if (entry !== undefined && hasTicket(entry) && !entry.hadTicket && isAt(entry, request)) ready.push(entry);
  }
  for (const { kind } of wanted) {
    const candidates = ready.filter(({ stored }) => stored.job.kind === kind).map(toReadyJob);
    const known = taken.recent.get(kind);
    const recent = known === undefined ? undefined : withNoted(unit, kind, known);
    const room = Math.min(taken.rooms.get(kind) ?? 0, recent === undefined ? Infinity : countFree(recent));
    const chosen = firstInOrder(candidates, room);
    const started = chosen.flatMap(({ entry }) => startJob(unit, entry, request) ?? []);
    for (const { entry } of candidates) if (!chosen.some((each) => each.entry === entry)) putBack(unit, entry);
    claims.push(...started);
    if (recent === undefined) continue;
    const nextStart = nextStartAt(noteStarts(unit, kind, recent, { at: request.now, count: started.length }));
    if (nextStart !== undefined) nextStarts.push(nextStart);
  }
  return { taken, claims, nextStarts, isAgain: isLeft };
}

function hasTicket({ isReady, isParked }: Entry): boolean {
  return isReady && !isParked;
}

function isAt({ stored }: Entry, request: ClaimRequest): boolean {
  return placesOf(request).includes(stored.job.place ?? null);
}

/** It was taken for another place of the same claim: it gets another ticket. */
function putBack(unit: Unit, entry: Entry): void {
  unit.assume(entries, entry.stored.job.id, entry);
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
