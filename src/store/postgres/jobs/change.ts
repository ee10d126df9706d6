import type { JobId } from "../../../job/id.ts";
import type { Job } from "../../../job/job.ts";
import { isTerminal, type TerminalState } from "../../../job/state.ts";
import { isHeldBy, type Change } from "../../../job/transitions.ts";
import { recordChange } from "../../rules/change.ts";
import { followEnd } from "../../rules/ends.ts";
import type { HeldLease } from "../../store.ts";
import type { SetStatement, Unit } from "../writing/unit.ts";
import { writeEnd } from "../finding/rollups.ts";
import { writeDeliveries } from "../deliveries/receivers.ts";
import { noteScheduledJob } from "../schedules/schedule-rows.ts";
import { settleReadiness } from "./admission.ts";
import { markUnindexed } from "../finding/search.ts";
import { none, readRelatives } from "./relatives.ts";
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
  const { stored, events, deliveries, hints, end } = recordChange(before.stored, change);
  const changed = settleReadiness(unit, { ...before, stored }, now);
  unit.assume(entries, stored.job.id, changed);
  writeState(unit, changed, now);
  writeEvents(unit, stored.job.id, events, now);
  writeDeliveries(unit, stored.job, deliveries, now);
  if (stored.job.schedule !== undefined) noteScheduledJob(unit, stored.job);
  if (end !== undefined) writeEnd(unit, end);
  for (const hint of hints) unit.hint(hint);
  return changed;
}

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
  const relatives = isSuccess && !ended.isNeeded ? none : readRelatives(unit, id, isSuccess);
  return followEnd(ended.stored.job, relatives, now).flatMap((consequence) => {
    const dependent = unit.read(entries, consequence.stored.job.id);
    if (dependent === undefined) return [];
    if (consequence.type === "cancelled") return [writeChange(unit, dependent, consequence.change, now)];
    unblock(unit, dependent, consequence.change, now);
    return [];
  });
}

function unblock(unit: Unit, dependent: Entry, change: Change | undefined, now: number): void {
  const { stored } = dependent;
  const blocked = Math.max(0, stored.blocked - 1);
  const state = change?.state ?? stored.job.state;
  writeChange(unit, { ...dependent, stored: { ...stored, blocked } }, { state, events: change?.events ?? [] }, now);
  unit.hint({ type: "job-ready" });
}
