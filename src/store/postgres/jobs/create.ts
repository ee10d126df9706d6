import type { JobId } from "../../../job/id.ts";
import type { JobSpec } from "../../../job/job.ts";
import { toDuplicate, toNewJob, withKnownDependencies } from "../../rules/create.ts";
import { requireDependency } from "../../rules/dependencies.ts";
import type { Created, JobDraft } from "../../store.ts";
import { writeReceivers } from "../deliveries/receivers.ts";
import { markUnindexed } from "../finding/search.ts";
import { Needs, type Lookup, type SetStatement, type Unit } from "../writing/unit.ts";
import { addReadinessNeeds, settleReadiness } from "./admission.ts";
import { given } from "./taking.ts";
import { addChild, addDependent } from "./relatives.ts";
import { entries, toNumber, toSpecText, writeEvents, writeState, type Entry } from "./rows.ts";

/** Who has an owner's idempotency key, and with which input. */
const keyHolders: Lookup<{ id: JobId; input: string }> = {
  name: "holder of key",
  order: 3,
  load: async (session, keys) => {
    const wanted = keys.map((key) => JSON.parse(key) as [string, string]);
    const rows = await session.query<{ n: number; id: JobId; input: string }>(
      `SELECT w.n, j.id, j.input FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS w (owner, key, n)
       JOIN longhaul.jobs j ON j.owner = w.owner AND j.idempotency_key = w.key`,
      [wanted.map(([owner]) => owner), wanted.map(([, key]) => key)],
    );
    return new Map(rows.map(({ n, id, input }) => [keys[n - 1] ?? "", { id, input }]));
  },
};

export function needsOfDrafts(drafts: readonly JobDraft[]): Needs {
  const needs = new Needs();
  const own = new Set(drafts.map(({ spec }) => spec.id));
  for (const { spec, runAt } of drafts) {
    if (spec.idempotencyKey !== undefined) needs.add(keyHolders, toHolderKey(spec));
    for (const id of spec.dependsOn) if (!own.has(id)) needs.add(entries, id);
    if (runAt <= spec.createdAt) addReadinessNeeds(needs, spec);
  }
  return needs;
}

export function createJobs(unit: Unit, drafts: readonly JobDraft[]): Created[] {
  const known = new Map<JobId, JobId>();
  return drafts.map((draft) => {
    const duplicate = findDuplicate(unit, draft);
    if (duplicate === undefined) return insertJob(unit, withKnownDependencies(draft, known));
    known.set(draft.spec.id, duplicate.job.id);
    return duplicate;
  });
}

function findDuplicate(unit: Unit, draft: JobDraft): Created | undefined {
  if (draft.spec.idempotencyKey === undefined) return undefined;
  const holder = unit.read(keyHolders, toHolderKey(draft.spec));
  const found = holder === undefined ? undefined : unit.read(entries, holder.id);
  if (holder === undefined || found === undefined) return undefined;
  return toDuplicate(draft, { job: found.stored.job, input: holder.input });
}

function toHolderKey({ owner, idempotencyKey }: JobSpec): string {
  return JSON.stringify([owner, idempotencyKey]);
}

const insertJobs: SetStatement = {
  order: 10,
  sql: `INSERT INTO longhaul.jobs (id, kind, owner, name, batch, parent, idempotency_key, schedule, created_at, spec, input, shown, client)
    SELECT * FROM unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::text[], $6::uuid[], $7::text[], $8::text[], $9::bigint[],
      $10::text[], $11::text[], $12::text[], $13::text[])`,
};

const insertTags: SetStatement = {
  order: 20,
  sql: "INSERT INTO longhaul.tags (tag, job) SELECT * FROM unnest($1::text[], $2::uuid[])",
};

const insertDependencies: SetStatement = {
  order: 20,
  sql: "INSERT INTO longhaul.dependencies (needs, job) SELECT * FROM unnest($1::uuid[], $2::uuid[])",
};

function insertJob(unit: Unit, draft: JobDraft): Created {
  const { spec } = draft;
  const needs = findDependencies(unit, spec);
  const { job, blocked, events, hints } = toNewJob(
    draft,
    needs.map(({ stored }) => stored.job),
  );
  const stored = { num: toNumber(spec.id), job, fence: 0, blocked };
  const before = {
    turn: 0,
    isReady: false,
    isParked: false,
    before: undefined,
    hadTicket: false,
    wasParked: false,
    wasOpen: false,
  };
  const entry: Entry = settleReadiness(unit, { ...before, stored, isNeeded: false, isNew: true }, spec.createdAt);
  unit.assume(entries, spec.id, entry);
  unit.write(insertJobs, [
    spec.id,
    spec.kind,
    spec.owner,
    spec.name ?? null,
    spec.batch ?? null,
    spec.parent ?? null,
    spec.idempotencyKey ?? null,
    spec.schedule?.id ?? null,
    spec.createdAt,
    toSpecText(spec),
    draft.input,
    draft.shownInput ?? null,
    draft.client ?? null,
  ]);
  writeState(unit, entry, spec.createdAt);
  writeEvents(unit, spec.id, events, spec.createdAt);
  markUnindexed(unit, spec.id);
  // For a claim of the same transaction.
  unit.assume(given, spec.id, { input: draft.input, client: draft.client ?? null });
  if (spec.idempotencyKey !== undefined)
    unit.assume(keyHolders, toHolderKey(spec), { id: spec.id, input: draft.input });
  for (const tag of new Set(spec.tags)) unit.write(insertTags, [tag, spec.id]);
  if (spec.parent !== undefined) addChild(unit, spec.parent, spec.id);
  for (const needed of needs) depend(unit, needed, spec.id);
  writeReceivers(unit, spec.id, draft);
  for (const hint of hints) unit.hint(hint);
  return { job, isDuplicate: false };
}

function depend(unit: Unit, needed: Entry, id: JobId): void {
  const { id: needs } = needed.stored.job;
  unit.write(insertDependencies, [needs, id], `${needs} ${id}`);
  addDependent(unit, needs, id);
  unit.assume(entries, needs, { ...needed, isNeeded: true });
}

/** The jobs that a job depends on; refuses when one can never be met. */
export function findDependencies(unit: Unit, { dependsOn, owner }: Pick<JobSpec, "dependsOn" | "owner">): Entry[] {
  const found = new Map(unit.readAll(entries, dependsOn).map((entry) => [entry.stored.job.id, entry]));
  return [...new Set(dependsOn)].map((id) => {
    const entry = found.get(id);
    requireDependency(entry?.stored, id, owner);
    return entry as Entry;
  });
}
