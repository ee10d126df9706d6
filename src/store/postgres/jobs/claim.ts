import type { JobId } from "../../../job/id.ts";
import { adopt, restartWait, start } from "../../../job/transitions.ts";
import { holdJob, isStillLost } from "../../rules/claims.ts";
import type { ClockWatch } from "../../rules/clock-watch.ts";
import { firstInOrder } from "../../rules/turns.ts";
import type { Claim, Claimed, ClaimRequest, ClaimWant, LostLease } from "../../store.ts";
import type { Connections, Session } from "../database/connections.ts";
import type { GroupWrites } from "../writing/group-writes.ts";
import { Needs, type Lookup, type Unit } from "../writing/unit.ts";
import { applyChange, changeJob } from "./change.ts";
import { entries, type Entry } from "./rows.ts";
import { StartRates } from "./start-rates.ts";
import { toQueue, type Tickets } from "./tickets.ts";
import { makeReady } from "./admission.ts";

export interface ClaimParts {
  readonly connections: Connections;
  readonly writes: GroupWrites;
  readonly tickets: Tickets;
  readonly clock: ClockWatch;
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

/** Jobs whose time has come are made ready so many at once. */
const promotedAtOnce = 1_000;

export class Claims {
  readonly #parts: ClaimParts;
  readonly #rates = new StartRates();
  /** When the next delayed job becomes ready, as far as was heard; others may have delayed more since, and then hint at it. */
  #nextAt = 0;

  constructor(parts: ClaimParts) {
    this.#parts = parts;
  }

  async claim(request: ClaimRequest): Promise<Claimed> {
    const { clock } = this.#parts;
    if (clock.isSetBack(request.now)) await this.#restartWaits(request.now);
    await this.#promote(request.now);
    const wants = request.wants.filter(({ max }) => max > 0);
    await this.#parts.tickets.prepare(wants.map(({ kind }) => toQueue(kind)));
    const { claims, nextAt } = await this.#parts.writes.transact(
      (session) => this.#take(session, wants, request),
      (unit, taken) => this.#start(unit, taken, request),
    );
    this.#nextAt = taken.nextRunAt;
    return { claims, ...(nextRunAt === Infinity ? {} : { nextRunAt }) };
  }
}
