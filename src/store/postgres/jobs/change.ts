import type { JobId } from "../../../job/id.ts";
import type { Job } from "../../../job/job.ts";
import { isTerminal, type TerminalState } from "../../../job/state.ts";
import { isHeldBy, type Change } from "../../../job/transitions.ts";
import { recordChange } from "../../rules/change.ts";
import { followEnd } from "../../rules/ends.ts";
import type { HeldLease } from "../../store.ts";
import type { Lookup, SetStatement, Unit } from "../writing/unit.ts";
import { settleReadiness } from "./admission.ts";
import { markUnindexed } from "../finding/search.ts";
import { entries, writeEvents, writeState, type Entry } from "./rows.ts";

/** Reads a job, lets `decide` make the change, and writes it with all that follows. Undefined if nothing changed. */
export function changeJob(
  unit: Unit,
  id: JobId,
  now: number,
  decide: (job: Job) => Change | undefined,
): Job | undefined {
  const found = unit.read(entries, id);
  const change = found === undefined ? undefined : decide(found.stored.job);
  return found === undefined || change === undefined ? undefined : applyChange(unit, found, change, now);
}

export function findHeld(unit: Unit, lease: HeldLease): Entry | undefined {
  const found = unit.read(entries, lease.id);
  return found !== undefined && isHeldBy(found.stored.job.state, lease) ? found : undefined;
}

/** Writes a change and all that follows from it: a list of ends to follow, because a chain of dependents may be long. */
export function applyChange(unit: Unit, found: Entry, change: Change, now: number): Job {
  const changed = writeChange(unit, found, change, now);
  const ends = [changed];
  for (const end of ends) {
    const { state } = end.stored.job;
    if (isTerminal(state)) ends.push(...applyEnd(unit, end, state, now));
  }
  return changed.stored.job;
}

function writeChange(unit: Unit, before: Entry, change: Change, now: number): Entry {
  const { stored, events, hints } = recordChange(before.stored, change);
  const changed = settleReadiness(unit, { ...before, stored }, now);
  unit.assume(entries, stored.job.id, changed);
  writeState(unit, changed, now);
  writeEvents(unit, stored.job.id, events, now);
  for (const hint of hints) unit.hint(hint);
  return changed;
}

/** Ids of the jobs that depend on one. */
export const dependents: Lookup<readonly JobId[]> = {
  name: "dependents of",
  order: 5,
  load: async (session, ids) => {
    const rows = await session.query<{ needs: JobId; jobs: JobId[] }>(
      "SELECT needs, array_agg(job ORDER BY job) AS jobs FROM longhaul.dependencies WHERE needs = ANY ($1::uuid[]) GROUP BY needs",
      [ids],
    );
    return new Map(rows.map(({ needs, jobs }) => [needs, jobs]));
  },
};

/** Ids of the children of a job that have not ended. */
const children: Lookup<readonly JobId[]> = {
  name: "children of",
  order: 5,
  load: async (session, ids) => {
    const rows = await session.query<{ parent: JobId; jobs: JobId[] }>(
      `SELECT j.parent, array_agg(j.id ORDER BY j.id) AS jobs FROM longhaul.jobs j JOIN longhaul.states s USING (id)
       WHERE j.parent = ANY ($1::uuid[]) AND s.expires_at IS NULL GROUP BY j.parent`,
      [ids],
    );
    return new Map(rows.map(({ parent, jobs }) => [parent, jobs]));
  },
};

const deleteCheckpoints: SetStatement = {
  order: 30,
  sql: "DELETE FROM longhaul.checkpoints WHERE job = ANY ($1::uuid[])",
};

/** Writes what the end of one job changes; returns the jobs that it changed. */
function applyEnd(unit: Unit, ended: Entry, state: TerminalState, now: number): Entry[] {
  const { id } = ended.stored.job;
  const isSuccess = state.status === "succeeded";
  if (isSuccess) unit.write(deleteCheckpoints, [id], id);
  if ("failure" in state) markUnindexed(unit, id);
  const relatives = {
    dependents: ended.isNeeded ? findAll(unit, unit.read(dependents, id)) : [],
    children: isSuccess ? [] : findAll(unit, readChildren(unit, id)),
  };
  return followEnd(ended.stored.job, relatives, now).flatMap((consequence) => {
    const dependent = unit.read(entries, consequence.stored.job.id);
    if (dependent === undefined) return [];
    if (consequence.type === "cancelled") return [writeChange(unit, dependent, consequence.change, now)];
    unblock(unit, dependent, consequence.change, now);
    return [];
  });
}

/** Those too that are made in this very transaction. */
function readChildren(unit: Unit, parent: JobId): JobId[] {
  const own = [...unit.assumed(entries).values()].filter(({ isNew, stored }) => isNew && stored.job.parent === parent);
  return [...(unit.read(children, parent) ?? []), ...own.map(({ stored }) => stored.job.id)];
}

/** All of them are named before the first is missed, so that they are read at once. */
function findAll(unit: Unit, ids: readonly JobId[] = []): Entry["stored"][] {
  return unit.readAll(entries, ids).map(({ stored }) => stored);
}

function unblock(unit: Unit, dependent: Entry, change: Change | undefined, now: number): void {
  const { stored } = dependent;
  const blocked = Math.max(0, stored.blocked - 1);
  const state = change?.state ?? stored.job.state;
  writeChange(unit, { ...dependent, stored: { ...stored, blocked } }, { state, events: change?.events ?? [] }, now);
  unit.hint({ type: "job-ready" });
}
