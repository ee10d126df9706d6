import type { JobId } from "../../../job/id.ts";
import type { KindLimits } from "../../kind-limits.ts";
import { placesOf } from "../../rules/claims.ts";
import type { ClaimRequest, ClaimWant } from "../../store.ts";
import type { Session } from "../database/connections.ts";
import type { Begun } from "../writing/group-writes.ts";
import type { Lookup, Readings } from "../writing/unit.ts";
import { parseLimits } from "./limits.ts";
import { entries, entryColumns, fromEach, toEntry, type EntryRow } from "./rows.ts";
import { countFree, lockStarts, type RecentStarts } from "./start-rates.ts";
import { takenIds, toQueue, type Tickets } from "./tickets.ts";

/** What a worker is given besides the job. */
interface Given {
  readonly input: string;
  readonly client: string | null;
}

export const given: Lookup<Given> = {
  name: "input of",
  order: 4,
  load: async (session, ids) => {
    const rows = await session.query<Given & { id: JobId }>(
      "SELECT id, input, client FROM longhaul.jobs WHERE id = ANY ($1::uuid[])",
      [ids],
    );
    return new Map(rows.map((row) => [row.id, row]));
  },
};

/** What a claim has taken: of a kind more than it wants where there are jobs for several places. */
export interface Taken {
  readonly ids: readonly JobId[];
  /** How many of a kind may start. */
  readonly rooms: ReadonlyMap<string, number>;
  readonly recent: ReadonlyMap<string, RecentStarts>;
  readonly nextDelay: number;
  /** The rates of the wanted kinds that have one. */
  readonly rated: ReadonlyMap<string, KindLimits>;
}

/** Rows are locked in the order of their ids, and read by a second statement, which sees what was committed while the first one waited. */
const lockTaken = `SELECT id FROM longhaul.states WHERE id = ANY ${takenIds} ORDER BY id FOR UPDATE`;
const readTaken = `SELECT ${entryColumns}, j.input, j.client ${fromEach(`unnest${takenIds}`)}`;

/** Takes tickets and reads their jobs, all at once. `rates` are those that are known: the starts of their kinds are counted first. */
export async function takeJobs(
  session: Session,
  tickets: Tickets,
  wanted: readonly ClaimWant[],
  request: ClaimRequest,
  rates: ReadonlyMap<string, KindLimits>,
): Promise<Begun<Taken>> {
  const recent = await countStarts(session, wanted, request.now, rates);
  const rooms = new Map(wanted.map(({ kind, max }) => [kind, Math.min(max, roomFor(recent.get(kind)))]));
  const wants = wanted.flatMap(({ kind }) =>
    placesOf(request).map((place) => ({
      kind,
      queue: toQueue(kind, place ?? undefined),
      max: rooms.get(kind) ?? 0,
      isCounted: recent.has(kind),
    })),
  );
  const [facts, , rows] = await Promise.all([
    tickets.take(session, wants, request.now),
    session.query(lockTaken, []),
    session.query<EntryRow & Given>(readTaken, []),
  ]);
  const read = (readings: Readings): void => {
    for (const row of rows) {
      // The claim has taken it: a job that is not started after all gets another one.
      readings.set(entries, row.id, { ...toEntry(row), hadTicket: false });
      readings.set(given, row.id, row);
    }
  };
  const limits = Object.entries(facts.limits).map(([kind, text]) => [kind, parseLimits(text)] as const);
  const taken: Taken = {
    ids: rows.map(({ id }) => id),
    rooms: new Map([...rooms].filter(([kind]) => facts.kinds.has(kind))),
    recent,
    nextDelay: facts.nextDelay,
    rated: new Map(limits.filter(([, { rate }]) => rate !== undefined)),
  };
  return { facts: taken, read, hasWritten: facts.isAny };
}

/** In the order of the kinds, because each is locked. */
async function countStarts(
  session: Session,
  wanted: readonly ClaimWant[],
  now: number,
  rates: ReadonlyMap<string, KindLimits>,
): Promise<Map<string, RecentStarts>> {
  const kinds = wanted.map(({ kind }) => kind).filter((kind) => rates.has(kind));
  const ordered = kinds.toSorted((a, b) => (a < b ? -1 : 1));
  const counted = ordered.map(
    async (kind) => [kind, await lockStarts(session, kind, rates.get(kind) ?? {}, now)] as const,
  );
  return new Map(await Promise.all(counted));
}

function roomFor(recent: RecentStarts | undefined): number {
  return recent === undefined ? Infinity : countFree(recent);
}
