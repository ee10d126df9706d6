import { LonghaulError } from "../../../job/error.ts";
import { isJobId, lowestIdAt, type JobId } from "../../../job/id.ts";
import type { CountPage, JobFilter, JobPage, PageRequest, StatusCount } from "../../store.ts";
import type { Connections, SqlValue } from "../database/connections.ts";
import { jobColumns, toStored, type JobRow } from "../jobs/rows.ts";
import { toTextQuery } from "./search.ts";

/** Ids order jobs by their creation, so each list is a walk along an index that ends in the id. */
export async function listJobs({ query }: Connections, filter: JobFilter, page: PageRequest): Promise<JobPage> {
  const { sql, values } = toQuery(filter, page.cursor, page.limit + 1, jobColumns);
  const rows = await query<JobRow>(sql, values);
  const jobs = rows.slice(0, page.limit).map((row) => toStored(row).job);
  const last = rows.length > page.limit ? jobs.at(-1) : undefined;
  return { jobs, ...(last === undefined ? {} : { cursor: last.id }) };
}

export async function countMatching(
  { query }: Connections,
  filter: JobFilter,
  { cursor, limit }: PageRequest,
): Promise<CountPage> {
  const { sql, values } = toQuery(filter, cursor, limit, "s.id, s.kind, s.status");
  const rows = await query<StatusCount & { last: JobId }>(
    `SELECT kind, status, count(*) AS count, min(id::text) AS last FROM (${sql}) AS matching GROUP BY kind, status`,
    values,
  );
  const counts = rows.map(({ kind, status, count }) => ({ kind, status, count }));
  const [last] = rows.map((row) => row.last).toSorted((a, b) => (a < b ? -1 : 1));
  const total = counts.reduce((sum, { count }) => sum + count, 0);
  return total < limit || last === undefined ? { counts } : { counts, cursor: last };
}

export function parseIdCursor(cursor: string, id: string | undefined = cursor): JobId {
  if (id !== undefined && isJobId(id)) return id;
  throw new LonghaulError("invalid_input", `The cursor "${cursor}" is not one that a list returned.`);
}

interface Query {
  readonly sql: string;
  readonly values: SqlValue[];
}

function toQuery(filter: JobFilter, cursor: string | undefined, limit: number, columns: string): Query {
  const values: SqlValue[] = [];
  const take = (value: SqlValue): string => `$${values.push(value)}`;
  const conditions = ["true"];
  if (cursor !== undefined) conditions.push(`j.id < ${take(parseIdCursor(cursor))}::uuid`);
  conditions.push(...toConditions(filter, take), ...toTimes(filter, take));
  const where = conditions.join(" AND ");
  const last = take(limit);
  // One ordered search per status, merged: a search over several statuses at once would have to sort all of them.
  const statuses = filter.status === undefined ? [undefined] : [...new Set([...filter.status, "none"])];
  const parts = statuses.map((status) => {
    const isInStatus = status === undefined ? "" : `AND s.status = ${take(status)}`;
    const order = status === undefined ? "j.id" : "s.id";
    return `(SELECT ${columns} FROM longhaul.jobs j JOIN longhaul.states s USING (id)
      WHERE ${where} ${isInStatus} ORDER BY ${order} DESC LIMIT ${last})`;
  });
  const [only = ""] = parts;
  if (parts.length === 1) return { sql: only, values };
  return { sql: `${parts.join(" UNION ALL ")} ORDER BY id DESC LIMIT ${last}`, values };
}

function toConditions(filter: JobFilter, take: (value: SqlValue) => string): string[] {
  const conditions: string[] = [];
  const wanted = [
    ["parent", "uuid", filter.parent],
    ["schedule", "text", filter.schedule],
    ["batch", "text", filter.batch],
    ["name", "text", filter.name],
    ["kind", "text", filter.kind],
    ["owner", "text", filter.owner],
  ] as const;
  for (const [column, type, value] of wanted) {
    if (value !== undefined) conditions.push(`j.${column} = ${take(value)}::${type}`);
  }
  if (filter.kinds !== undefined) conditions.push(`j.kind = ANY (${take(filter.kinds)}::text[])`);
  if (filter.ids !== undefined) conditions.push(`j.id = ANY (${take(filter.ids)}::uuid[])`);
  for (const tag of filter.tags ?? []) {
    conditions.push(`j.id IN (SELECT t.job FROM longhaul.tags t WHERE t.tag = ${take(tag)})`);
  }
  if (filter.text !== undefined) {
    const text = take(toTextQuery(filter.text));
    conditions.push(`j.id IN (SELECT w.job FROM longhaul.words w WHERE w.words @@ ${text}::tsquery)`);
  }
  return conditions;
}

/** Times become bounds on the ids, which rise with time; the exact times are checked besides. */
function toTimes(filter: JobFilter, take: (value: SqlValue) => string): string[] {
  const { createdFrom, createdBefore, finishedFrom, finishedBefore } = filter;
  const conditions: string[] = [];
  if (createdFrom !== undefined) {
    conditions.push(`j.id >= ${take(toBound(createdFrom))}::uuid AND j.created_at >= ${take(toTime(createdFrom))}`);
  }
  if (createdBefore !== undefined) {
    conditions.push(`j.id < ${take(toBound(createdBefore))}::uuid AND j.created_at < ${take(toTime(createdBefore))}`);
  }
  if (finishedFrom !== undefined) conditions.push(`s.finished_at >= ${take(toTime(finishedFrom))}`);
  if (finishedBefore !== undefined) conditions.push(`s.finished_at < ${take(toTime(finishedBefore))}`);
  return conditions;
}

function toTime(at: number): number {
  return Math.ceil(Math.min(at, Number.MAX_SAFE_INTEGER));
}

const latest = 2 ** 48 - 1;

function toBound(atMs: number): string {
  return lowestIdAt(Math.min(Math.floor(atMs), latest));
}
