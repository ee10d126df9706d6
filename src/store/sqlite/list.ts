import { lowestIdAt } from "../../job/id.ts";
import { isTerminalStatus } from "../../job/state.ts";
import { parseCursor, toPage } from "../rules/paging.ts";
import type { CountPage, JobFilter, JobPage, PageRequest, StatusCount } from "../store.ts";
import type { Database } from "./database.ts";
import type { SqlValue } from "./driver.ts";
import { jobColumns, toFound, withSpec, type JobRow } from "./rows.ts";
import { toMatchExpression } from "./search.ts";

export function listJobs(db: Database, filter: JobFilter, page: PageRequest): JobPage {
  const query = toQuery(db, filter, page.cursor, page.limit + 1, { columns: jobColumns, join: withSpec });
  if (query === undefined) return { jobs: [] };
  const rows = db.sql(query.sql).all(...query.values) as JobRow[];
  const { shown, ...next } = toPage(rows, page.limit, ({ num }) => [num]);
  return { jobs: shown.map((row) => toFound(row).job), ...next };
}

export function countMatching(db: Database, filter: JobFilter, { limit, cursor }: PageRequest): CountPage {
  const query = toQuery(db, filter, cursor, limit, { columns: "j.num, j.kind, j.status", join: "" });
  if (query === undefined) return { counts: [] };
  const rows = db
    .sql(`SELECT kind, status, count(*) AS count, min(num) AS num FROM (${query.sql}) GROUP BY kind, status`)
    .all(...query.values) as (StatusCount & { num: number })[];
  const total = rows.reduce((sum, { count }) => sum + count, 0);
  const counts = rows.map(({ kind, status, count }) => ({ kind, status, count }));
  return total < limit ? { counts } : { counts, cursor: String(Math.min(...rows.map(({ num }) => num))) };
}

interface Query {
  sql: string;
  values: SqlValue[];
}

interface Conditions {
  sql: string[];
  values: SqlValue[];
}

/** Undefined when the filter leaves no job. */
function toQuery(
  db: Database,
  filter: JobFilter,
  cursor: string | undefined,
  limit: number,
  { columns, join }: { readonly columns: string; readonly join: string },
): Query | undefined {
  const range = toRange(db, filter, cursor);
  if (range === undefined || filter.status?.length === 0 || filter.kinds?.length === 0) return undefined;
  const source = toSource(filter);
  // One ordered search per status or kind, merged: a search over several at once would have to sort all of them.
  const parts = toParts(filter, source).map((part) => {
    const conditions = toConditions(part, source);
    return {
      sql: `SELECT * FROM (SELECT ${columns} FROM ${source.from} ${join}
            WHERE ${[...conditions.sql, ...range.sql].join(" AND ")} ORDER BY ${source.order} DESC LIMIT ?)`,
      values: [...source.values, ...conditions.values, ...range.values, limit],
    };
  });
  return {
    sql: `${parts.map((part) => part.sql).join(" UNION ALL ")} ORDER BY num DESC LIMIT ?`,
    values: [...parts.flatMap((part) => part.values), limit],
  };
}

/** More are looked for in a search of all kinds. */
const maxKindParts = 16;

function toParts(filter: JobFilter, { driver }: Source): JobFilter[] {
  if (filter.status !== undefined)
    return [...new Set(filter.status)].map((status) => ({ ...filter, status: [status] }));
  const kinds = [...new Set(filter.kinds)];
  if (driver !== "kind" || filter.kind !== undefined || kinds.length > maxKindParts) return [filter];
  return kinds.map((kind) => ({ ...filter, kind, kinds: undefined }));
}

interface Source {
  from: string;
  order: string;
  values: SqlValue[];
  /** The column whose index drives the search; the others are kept from the planner by a unary plus. */
  driver: string | undefined;
}

function toSource(filter: JobFilter): Source {
  if (filter.ids !== undefined) {
    const from = "(SELECT DISTINCT value AS hit FROM json_each(?)) h CROSS JOIN jobs j ON j.id = h.hit";
    return { from, order: "j.num", values: [JSON.stringify(filter.ids)], driver: undefined };
  }
  if (filter.text !== undefined) {
    const from =
      "(SELECT rowid AS hit FROM search WHERE search MATCH ? ORDER BY rowid DESC) h CROSS JOIN jobs j ON j.num = h.hit";
    return { from, order: "h.hit", values: [toMatchExpression(filter.text)], driver: undefined };
  }
  const [tag] = filter.tags ?? [];
  if (tag !== undefined) {
    const from = "(SELECT job AS hit FROM tags WHERE tag = ? ORDER BY job DESC) h CROSS JOIN jobs j ON j.num = h.hit";
    return { from, order: "h.hit", values: [tag], driver: undefined };
  }
  const columns = ["parent", "schedule", "batch", "name", "status", "kind", "owner"] as const;
  const isGiven = (column: (typeof columns)[number]): boolean =>
    filter[column] !== undefined || (column === "kind" && (filter.kinds?.length ?? Infinity) <= maxKindParts);
  return { from: "jobs j", order: "j.num", values: [], driver: columns.find(isGiven) };
}

function toConditions(filter: JobFilter, source: Source): Conditions {
  const sql: string[] = [];
  const values: SqlValue[] = [];
  const wanted: [column: string, value: string | undefined][] = [
    ["parent", filter.parent],
    ["schedule", filter.schedule],
    ["batch", filter.batch],
    ["name", filter.name],
    ["status", filter.status?.[0]],
    ["kind", filter.kind],
    ["owner", filter.owner],
  ];
  for (const [column, value] of wanted) {
    if (value === undefined) continue;
    sql.push(`${column === source.driver ? "" : "+"}j.${column} = ?`);
    values.push(value);
  }
  if (filter.kinds !== undefined) {
    sql.push("+j.kind IN (SELECT value FROM json_each(?))");
    values.push(JSON.stringify(filter.kinds));
  }
  if (filter.ids !== undefined && filter.text !== undefined) {
    sql.push("j.num IN (SELECT rowid FROM search WHERE search MATCH ?)");
    values.push(toMatchExpression(filter.text));
  }
  for (const tag of filter.tags ?? []) {
    sql.push("EXISTS (SELECT 1 FROM tags t WHERE t.tag = ? AND t.job = j.num)");
    values.push(tag);
  }
  const [status] = filter.status ?? [];
  if (status !== undefined) sql.push(`j.expires_at IS ${isTerminalStatus(status) ? "NOT " : ""}NULL`);
  return { sql, values };
}

/** Times become bounds on `num` through the ids, which rise with time; the exact times are checked besides. */
function toRange(db: Database, filter: JobFilter, cursor: string | undefined): Conditions | undefined {
  const sql = ["+j.num > 0"];
  const values: SqlValue[] = [];
  const bound = (condition: string, ...bounds: SqlValue[]): void => {
    sql.push(condition);
    values.push(...bounds);
  };
  if (cursor !== undefined) {
    const [before = 0] = parseCursor(cursor, 1);
    bound("j.num < ?", before);
  }
  if (filter.createdFrom !== undefined) {
    const first = db
      .sql("SELECT num FROM jobs WHERE id >= ? ORDER BY id LIMIT 1")
      .get(lowestIdAt(filter.createdFrom)) as { num: number } | undefined;
    if (first === undefined) return undefined;
    bound("j.num >= ?", first.num);
    bound("+j.created_at >= ?", filter.createdFrom);
  }
  if (filter.createdBefore !== undefined) {
    const last = db
      .sql("SELECT num FROM jobs WHERE id < ? ORDER BY id DESC LIMIT 1")
      .get(lowestIdAt(filter.createdBefore)) as { num: number } | undefined;
    if (last === undefined) return undefined;
    bound("j.num <= ?", last.num);
    bound("+j.created_at < ?", filter.createdBefore);
  }
  if (filter.finishedFrom !== undefined || filter.finishedBefore !== undefined) {
    const found = findFinished(db, filter);
    if (found === undefined) return undefined;
    if (found.isAll) bound("j.num BETWEEN ? AND ?", found.first, found.last);
    bound("+j.finished_at >= ?", filter.finishedFrom ?? 0);
    bound("+j.finished_at < ?", filter.finishedBefore ?? Number.MAX_SAFE_INTEGER);
  }
  return { sql, values };
}

/** Of so many the first and the last are found at once; more are so common that a list meets them soon anyway. */
const maxFinished = 10_000;

interface FoundEnds {
  readonly first: number;
  readonly last: number;
  readonly isAll: boolean;
}

/** Between which numbers the jobs are that ended in a time; undefined if there are none. */
function findFinished(
  db: Database,
  { finishedFrom = 0, finishedBefore = Number.MAX_SAFE_INTEGER }: JobFilter,
): FoundEnds | undefined {
  const { count, ...found } = db
    .sql(
      `SELECT min(num) AS first, max(num) AS last, count(*) AS count FROM (
         SELECT num FROM jobs INDEXED BY jobs_finished
         WHERE finished_at IS NOT NULL AND finished_at >= ? AND finished_at < ? LIMIT ?)`,
    )
    .get(finishedFrom, finishedBefore, maxFinished) as { first: number; last: number; count: number };
  return count === 0 ? undefined : { ...found, isAll: count < maxFinished };
}
