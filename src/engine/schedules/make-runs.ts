import { defined } from "../../job/defined.ts";
import type { ClientDefaults } from "../../job/client-defaults.ts";
import { LonghaulError } from "../../job/error.ts";
import type { JobId } from "../../job/id.ts";
import type { Schedule, ScheduleWork } from "../../store/schedule-store.ts";
import type { JobDraft } from "../../store/store.ts";
import { demandStart } from "../actions.ts";
import type { EngineParts } from "../settings.ts";
import type { SubmitRequest, Submitter } from "../submit.ts";

export interface RunParts extends EngineParts {
  readonly submitter: Submitter;
  readonly newId: () => JobId;
}

/** The job of a schedule, as it would be made now. Throws if it would be refused. */
export async function draftRun(
  schedule: Schedule,
  work: ScheduleWork | undefined,
  { submitter, kinds }: RunParts,
  by = `schedule ${schedule.name}`,
): Promise<JobDraft> {
  const { id, name, owner, isConfined, bounds } = schedule;
  if (work === undefined) throw new LonghaulError("not_found", `There is no schedule "${name}" any more.`);
  const { request, client } = work;
  const job = JSON.parse(request) as SubmitRequest;
  demandStart(bounds, job.kind, job.input, kinds);
  const whose = { owner, name, by, ...(isConfined ? { isConfined } : {}) };
  const defaults = client === undefined ? {} : (JSON.parse(client) as ClientDefaults);
  const { drafts } = await submitter.draft([{ ...job, ...whose }], defaults);
  const [draft] = drafts;
  if (draft === undefined) throw new Error("A job was asked for, and none was drafted.");
  return { ...draft, spec: { ...draft.spec, schedule: { id, name } } };
}

/** The same job for one of its planned times. The key makes sure that a time never comes to a second one. */
export function forTime({ spec, ...draft }: JobDraft, id: JobId, plannedAt: number): JobDraft {
  const schedule = spec.schedule && { ...spec.schedule, plannedAt };
  const idempotencyKey = `schedule ${schedule?.id ?? ""} ${plannedAt}`;
  return { ...draft, spec: { ...spec, id, idempotencyKey, ...defined({ schedule }) } };
}

/** Why the token with which the schedule was made opens nothing any more; undefined if it does. */
export async function findEndOfToken(
  { bounds }: Schedule,
  { store, settings }: EngineParts,
): Promise<string | undefined> {
  if (bounds.token === undefined) return undefined;
  const token = await store.tokens.find(bounds.token);
  const isExpired = token?.expiresAt !== undefined && token.expiresAt <= settings.clock.now();
  if (token !== undefined && token.revokedAt === undefined && !isExpired) return undefined;
  return `The token "${token?.name ?? bounds.token}" that it was made with ${isExpired ? "has expired" : "was revoked"}.`;
}
