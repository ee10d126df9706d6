import { lowestIdAt } from "../../job/id.ts";
import { isTerminalStatus } from "../../job/state.ts";
import { parseCursor, toPage } from "../rules/paging.ts";
import type { JobFilter, JobPage, PageRequest } from "../store.ts";
import type { Database } from "./database.ts";
import type { SqlValue } from "./driver.ts";
import { jobColumns, toFound, withSpec, type JobRow } from "./rows.ts";
import { toMatchExpression } from "./search.ts";

export function listJobs(db: Database, filter: JobFilter, page: PageRequest): JobPage {
  if (filter.status?.length === 0) return { jobs: [] };
  const query = toQuery(db, filter, page);
  if (query === undefined) return { jobs: [] };
  const rows = db.sql(query.sql).all(...query.values) as JobRow[];
  const { shown, ...next } = toPage(rows, page.limit, ({ num }) => [num]);
  return { jobs: shown.map((row) => toFound(row).job), ...next };
}

interface Query {
  sql: string;
  values: SqlValue[];
}

interface Conditions {
  sql: string[];
  values: SqlValue[];
}

/** Undefined when the times asked for leave no job. */
function toQuery(db: Database, filter: JobFilter, page: PageRequest): Query | undefined {
  const range = toRange(db, filter, page);
  if (range === undefined) return undefined;
  const source = toSource(filter);
  const limit = page.limit + 1;
  // One ordered search per status, merged: a search over several statuses at once would have to sort all of them.
  const parts = [...new Set(filter.status ?? [undefined])].map((status) => {
    const conditions = toConditions(status === undefined ? filter : { ...filter, status: [status] }, source);
    return {
      sql: `SELECT * FROM (SELECT ${jobColumns} FROM ${source.from} ${withSpec}
            WHERE ${[...conditions.sql, ...range.sql].join(" AND ")} ORDER BY ${source.order} DESC LIMIT ?)`,
      values: [...source.values, ...conditions.values, ...range.values, limit],
    };
  });
  return {
    sql: `${parts.map((part) => part.sql).join(" UNION ALL ")} ORDER BY num DESC LIMIT ?`,
    values: [...parts.flatMap((part) => part.values), limit],
  };
}

interface Source {
  from: string;
  order: string;
  values: SqlValue[];
  /** The column whose index drives the search; the others are kept from the planner by a unary plus. */
  driver: string | undefined;
}

function toSource(filter: JobFilter): Source {
  if (filter.text !== undefined) {
    const from =
      "(SELECT rowid AS hit FROM search WHERE search MATCH ? ORDER BY rowid DESC) h CROSS JOIN jobs j ON j.num = h.hit";
    return { from, order: "h.hit", values: [toMatchExpression(filter.text)], driver: undefined };
  }
  if (filter.tag !== undefined) {
    const from = "(SELECT job AS hit FROM tags WHERE tag = ? ORDER BY job DESC) h CROSS JOIN jobs j ON j.num = h.hit";
    return { from, order: "h.hit", values: [filter.tag], driver: undefined };
  }
  const driver = (["parent", "schedule", "batch", "name", "status", "kind", "owner"] as const).find(
    (column) => filter[column] !== undefined,
  );
  return { from: "jobs j", order: "j.num", values: [], driver };
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
  if (filter.text !== undefined && filter.tag !== undefined) {
    sql.push("EXISTS (SELECT 1 FROM tags t WHERE t.tag = ? AND t.job = j.num)");
    values.push(filter.tag);
  }
  const [status] = filter.status ?? [];
  if (status !== undefined) sql.push(`j.expires_at IS ${isTerminalStatus(status) ? "NOT " : ""}NULL`);
  return { sql, values };
}

/** Times become bounds on `num` through the ids, which rise with time; the exact times are checked besides. */
function toRange(db: Database, filter: JobFilter, page: PageRequest): Conditions | undefined {
  const sql = ["+j.num > 0"];
  const values: SqlValue[] = [];
  const bound = (condition: string, value: SqlValue): void => {
    sql.push(condition);
    values.push(value);
  };
  if (page.cursor !== undefined) {
    const [before = 0] = parseCursor(page.cursor, 1);
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
  return { sql, values };
}
