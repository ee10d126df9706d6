import { LonghaulError } from "../../../job/error.ts";
import type { Schedule, ScheduleFilter, ScheduleStore, ScheduleWork } from "../../schedule-store.ts";
import type { Connections } from "../database/connections.ts";
import type { Write } from "../writing/group-writes.ts";
import { fire, needsOfFiring, needsOfRun, runByHand } from "./fire.ts";
import { runColumns, scheduleColumns, toRun, toSchedule, type RunRow, type ScheduleRow } from "./schedule-rows.ts";

export function createScheduleStore(connections: Connections, write: Write): ScheduleStore {
  const { query } = connections;
  const select = async (rest: string, values: readonly (string | number)[]): Promise<Schedule[]> =>
    (await query<ScheduleRow>(`SELECT ${scheduleColumns} FROM longhaul.schedules ${rest}`, values)).map(toSchedule);
  const find = async (id: string): Promise<Schedule | undefined> => (await select("WHERE id = $1", [id]))[0];
  return {
    add: (schedule, work, maxPerOwner) => addSchedule(connections, { schedule, work, maxPerOwner }),
    list: (filter) => listSchedules(connections, filter),
    work: async (id) => {
      const [row] = await query<{ request: string; client: string | null }>(
        "SELECT request, client FROM longhaul.schedules WHERE id = $1",
        [id],
      );
      return row && { request: row.request, ...(row.client === null ? {} : { client: row.client }) };
    },
    due: (now) =>
      select("WHERE next_at <= $1 OR (next_at IS NOT NULL AND planned_at > $1) ORDER BY next_at, num", [now]),
    nextAfter: async (now) => {
      const [row] = await query<{ at: number | null }>(
        "SELECT min(next_at) AS at FROM longhaul.schedules WHERE next_at > $1",
        [now],
      );
      return row?.at ?? undefined;
    },
    fire: (firing) => write((unit) => fire(unit, firing), needsOfFiring(firing)),
    run: (id, draft, now) => write((unit) => runByHand(unit, id, draft, now), needsOfRun(id, draft)),
    replan: async ({ id, revision }, nextAt, now) => {
      const replan = `UPDATE longhaul.schedules SET next_at = $1, planned_at = $2, revision = revision + 1
        WHERE id = $3 AND revision = $4 AND next_at IS NOT NULL RETURNING id`;
      return (await query(replan, [nextAt, now, id, revision])).length > 0;
    },
    pause: async (id, pause) => {
      const set = `UPDATE longhaul.schedules SET next_at = NULL, pause = $1, revision = revision + 1
        WHERE id = $2 AND pause IS NULL`;
      await query(set, [JSON.stringify(pause), id]);
      return find(id);
    },
    resume: async (id, { nextAt, at, bounds }) => {
      const set = `UPDATE longhaul.schedules SET pause = NULL, next_at = $1, planned_at = $2, bounds = $3, revision = revision + 1
        WHERE id = $4 AND pause IS NOT NULL`;
      await query(set, [nextAt, at, JSON.stringify(bounds), id]);
      return find(id);
    },
    remove: async (id) => {
      const remove = `WITH forgotten AS (DELETE FROM longhaul.schedule_runs WHERE schedule = $1)
        DELETE FROM longhaul.schedules WHERE id = $1 RETURNING id`;
      return (await query(remove, [id])).length > 0;
    },
    runs: async (id, limit) => {
      const rows = await query<RunRow>(
        `SELECT ${runColumns} FROM longhaul.schedule_runs WHERE schedule = $1 ORDER BY num DESC LIMIT $2`,
        [id, limit],
      );
      return rows.map(toRun);
    },
  };
}

async function listSchedules({ query }: Connections, { owner, kinds, reference }: ScheduleFilter): Promise<Schedule[]> {
  const rows = await query<ScheduleRow>(
    `SELECT ${scheduleColumns} FROM longhaul.schedules
     WHERE ($1::text IS NULL OR owner = $1) AND ($2::text[] IS NULL OR kind = ANY ($2)) AND ($3::text IS NULL OR name = $3 OR id = $3)
     ORDER BY name, num`,
    [owner ?? null, kinds ?? null, reference ?? null],
  );
  return rows.map(toSchedule);
}

interface Addition {
  readonly schedule: Schedule;
  readonly work: ScheduleWork;
  readonly maxPerOwner: number;
}

const insert = `INSERT INTO longhaul.schedules (id, owner, name, kind, spec, bounds, request, client, next_at, revision, planned_at)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`;

/** Of one owner's one after the other, so that there are never too many. */
async function addSchedule({ withSession }: Connections, { schedule, work, maxPerOwner }: Addition): Promise<void> {
  const { bounds, nextAt, pause: _pause, revision, plannedAt, counts: _counts, ...spec } = schedule;
  const { id, owner, name, kind } = spec;
  const refusal = await withSession(async ({ query }) => {
    const [, , [there]] = await Promise.all([
      query("BEGIN"),
      query("SELECT pg_advisory_xact_lock(hashtextextended('longhaul.schedules ' || $1::text, 0))", [owner]),
      query<{ count: number; known: number }>(
        "SELECT count(*) AS count, count(*) FILTER (WHERE name = $2) AS known FROM longhaul.schedules WHERE owner = $1",
        [owner, name],
      ),
    ]);
    const refused = findRefusal(name, there ?? { count: 0, known: 0 }, maxPerOwner);
    const row = [
      id,
      owner,
      name,
      kind,
      JSON.stringify(spec),
      JSON.stringify(bounds),
      work.request,
      work.client ?? null,
    ];
    const adding = refused === undefined ? [query(insert, [...row, nextAt ?? null, revision, plannedAt])] : [];
    await Promise.all([...adding, query("COMMIT")]);
    return refused;
  });
  if (refusal !== undefined) throw new LonghaulError("conflict", refusal);
}

function findRefusal(
  name: string,
  { count, known }: { count: number; known: number },
  maxPerOwner: number,
): string | undefined {
  if (count >= maxPerOwner) return `There are already ${count} schedules, as many as there may be: delete some first.`;
  return known === 0
    ? undefined
    : `There is already a schedule "${name}": choose another name, or delete that one first.`;
}
