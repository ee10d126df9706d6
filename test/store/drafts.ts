import { createIdSource, type JobId } from "../../src/job/id.ts";
import type { JobSpec, Limits, Retention } from "../../src/job/job.ts";
import { defaultBackoff } from "../../src/job/retry.ts";
import type { JobDraft } from "../../src/store/store.ts";

/** The time at which every test begins; the store is told the time, so no test waits for it. */
export const t0 = 1_800_000_000_000;
export const second = 1_000;
export const day = 24 * 3_600 * second;

export interface DraftOptions extends Partial<Omit<JobSpec, "limits" | "retention">> {
  readonly limits?: Partial<Limits>;
  readonly retention?: Partial<Retention>;
  readonly input?: unknown;
  readonly shownInput?: unknown;
  readonly client?: string;
  readonly runAt?: number;
  readonly by?: string;
  /** What a job with a webhook keeps of it; `webhook` is what it shows. */
  readonly kept?: JobDraft["webhook"];
  /** What a job that notifies keeps of whom; `notify` is what it shows. */
  readonly targets?: JobDraft["notify"];
}

/** Makes drafts as the engine does: ids rise, and begin with the time of creation. */
export function createDraftSource(): (options?: DraftOptions) => JobDraft {
  let createdAtMs = t0;
  const nextId = createIdSource(() => createdAtMs);
  return ({ input = {}, shownInput, client, runAt, by, kept, targets, limits, retention, ...spec } = {}) => {
    createdAtMs = spec.createdAt ?? t0;
    return {
      spec: {
        id: nextId(),
        kind: "work",
        owner: "ann",
        tags: [],
        dependsOn: [],
        priority: 0,
        createdAt: createdAtMs,
        ...spec,
        limits: { graceMs: 5 * second, attempts: 3, backoff: defaultBackoff, ...limits },
        retention: { succeededMs: day, failedMs: 7 * day, ...retention },
      },
      runAt: runAt ?? createdAtMs,
      input: JSON.stringify(input),
      shownInput: shownInput === undefined ? undefined : JSON.stringify(shownInput),
      client,
      by,
      webhook: kept,
      notify: targets,
    };
  };
}

/** An id that no store knows. */
export const unknownId = createIdSource(() => t0)() satisfies JobId;
