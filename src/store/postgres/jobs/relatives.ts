import type { JobId } from "../../../job/id.ts";
import type { Relatives } from "../../rules/ends.ts";
import type { Lookup, Unit } from "../writing/unit.ts";
import { entries } from "./rows.ts";

interface RelativeIds {
  readonly dependents: readonly JobId[];
  /** Those that have not ended. */
  readonly children: readonly JobId[];
}

/** After the rows are locked, so that nobody can become a dependent of a job unseen. */
const relativeIds: Lookup<RelativeIds> = {
  name: "relatives of",
  order: 5,
  load: async (session, ids) => {
    const rows = await session.query<{ id: JobId; dependents: JobId[] | null; children: JobId[] | null }>(
      `SELECT w.id, (SELECT array_agg(d.job ORDER BY d.job) FROM longhaul.dependencies d WHERE d.needs = w.id) AS dependents,
         (SELECT array_agg(j.id ORDER BY j.id) FROM longhaul.jobs j JOIN longhaul.states s USING (id)
          WHERE j.parent = w.id AND s.expires_at IS NULL) AS children
       FROM unnest($1::uuid[]) AS w (id)`,
      [ids],
    );
    return new Map(
      rows.map(({ id, dependents, children }) => [id, { dependents: dependents ?? [], children: children ?? [] }]),
    );
  },
};

/** All that may be changed by the end of a job, so that a long chain is not read link by link. */
const reachable: Lookup<readonly JobId[]> = {
  name: "jobs behind",
  order: 0,
  load: async (session, ids) => {
    const rows = await session.query<{ root: JobId; reached: JobId[] }>(
      `WITH RECURSIVE reach (root, id) AS (
         SELECT w.id, w.id FROM unnest($1::uuid[]) AS w (id)
         UNION
         SELECT r.root, next.id FROM reach r CROSS JOIN LATERAL (
           SELECT d.job FROM longhaul.dependencies d WHERE d.needs = r.id
           UNION ALL
           SELECT j.id FROM longhaul.jobs j JOIN longhaul.states s USING (id) WHERE j.parent = r.id AND s.expires_at IS NULL
         ) AS next (id)
       ) SELECT root, array_agg(id ORDER BY id) AS reached FROM reach GROUP BY root`,
      [ids],
    );
    return new Map(rows.map(({ root, reached }) => [root, reached]));
  },
};

/** Dependents and children that are made in the transaction itself. */
const newRelatives: Lookup<RelativeIds> = { name: "new relatives of", order: 0, load: async () => new Map() };

export function addDependent(unit: Unit, needed: JobId, id: JobId): void {
  const { dependents, children } = unit.peek(newRelatives, needed) ?? { dependents: [], children: [] };
  unit.assume(newRelatives, needed, { dependents: [...dependents, id], children });
}

export function addChild(unit: Unit, parent: JobId, id: JobId): void {
  const { dependents, children } = unit.peek(newRelatives, parent) ?? { dependents: [], children: [] };
  unit.assume(newRelatives, parent, { dependents, children: [...children, id] });
}

export const none: Relatives = { dependents: [], children: [] };

/** What the end of a job goes on to. Children of one that succeeded go on. */
export function readRelatives(unit: Unit, id: JobId, isSuccess: boolean): Relatives {
  const known = unit.read(relativeIds, id) ?? { dependents: [], children: [] };
  const next = [...known.dependents, ...known.children];
  if (!isSuccess && !next.every((each) => unit.knows(relativeIds, each))) {
    const behind = unit.read(reachable, id) ?? [];
    unit.readAll(entries, behind);
    unit.readAll(relativeIds, behind);
  }
  const added = unit.peek(newRelatives, id) ?? { dependents: [], children: [] };
  const find = (ids: readonly JobId[]): Relatives["dependents"] =>
    unit.readAll(entries, ids).map(({ stored }) => stored);
  return {
    dependents: find([...known.dependents, ...added.dependents]),
    children: isSuccess ? [] : find([...known.children, ...added.children]),
  };
}
