import type { TerminalStatus } from "../../../src/job/state.ts";
import * as transitions from "../../../src/job/transitions.ts";
import { recordChange, type StoredJob } from "../../../src/store/rules/change.ts";
import { toNewJob } from "../../../src/store/rules/create.ts";
import { createDraftSource, t0, type DraftOptions } from "../drafts.ts";
import { leaseMs, outcomes } from "../world.ts";
import { present } from "../../present.ts";

export const draft = createDraftSource();
export const token = { worker: "w1", fence: 1 };

let lastNum = 0;

/** A job that was just created, as a store has it. */
export function queued(options: DraftOptions = {}): StoredJob {
  const { job, blocked } = toNewJob(draft(options), []);
  lastNum += 1;
  return { num: lastNum, job, fence: 0, blocked };
}

export function running(options: DraftOptions = {}): StoredJob {
  const stored = queued(options);
  return changed({ ...stored, fence: 1 }, transitions.start(stored.job, { ...token, machine: "m1", leaseMs, now: t0 }));
}

export function ended(status: TerminalStatus, options: DraftOptions = {}): StoredJob {
  const stored = running(options);
  return changed(stored, transitions.settle(stored.job, token, outcomes[status], t0));
}

export function changed(stored: StoredJob, change: transitions.Change | undefined): StoredJob {
  return recordChange(stored, present(change)).stored;
}
