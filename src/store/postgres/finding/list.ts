import { LonghaulError } from "../../../job/error.ts";
import { isJobId, lowestIdAt, type JobId } from "../../../job/id.ts";
import type { JobFilter, JobPage, PageRequest } from "../../store.ts";
import type { Connections, SqlValue } from "../database/connections.ts";
import { jobColumns, toStored, type JobRow } from "../jobs/rows.ts";
import { toTextQuery } from "./search.ts";

/** Ids order jobs by their creation, so each list is a walk along an index that ends in the id. */
export async function listJobs({ query }: Connections, filter: JobFilter, page: PageRequest): Promise<JobPage> {
  if (filter.status?.length === 0) return { jobs: [] };
  const { sql, values } = toQuery(filter, page);
  const rows = await query<JobRow>(sql, values);
  const jobs = rows.slice(0, page.limit).map((row) => toStored(row).job);
  const last = rows.length > page.limit ? jobs.at(-1) : undefined;
  return { jobs, ...(last === undefined ? {} : { cursor: last.id }) };
}

export function parseIdCursor(cursor: string, id: string | undefined = cursor): JobId {
  if (id !== undefined && isJobId(id)) return id;
  throw new LonghaulError("invalid_input", `The cursor "${cursor}" is not one that a list returned.`);
}

function toQuery(filter: JobFilter, { cursor, limit }: PageRequest): { sql: string; values: SqlValue[] } {
  const values: SqlValue[] = [];
  const take = (value: SqlValue): string => `$${values.push(value)}`;
  const conditions: string[] = [];
  if (cursor !== undefined) conditions.push(`j.id < ${take(parseIdCursor(cursor))}::uuid`);
  conditions.push(...toConditions(filter, take), ...toTimes(filter, take));
  const where = conditions.length === 0 ? "" : `WHERE ${conditions.join(" AND ")}`;
  const last = take(limit + 1);
  // One ordered search per status, merged: a search over several statuses at once would have to sort all of them.
  const parts = [...new Set(filter.status ?? [undefined])].map((status) => {
    const isInStatus = status === undefined ? "" : `${where === "" ? "WHERE" : "AND"} s.status = ${take(status)}`;
    const order = status === undefined ? "j.id" : "s.id";
    return `(SELECT ${jobColumns} FROM longhaul.jobs j JOIN longhaul.states s USING (id) ${where} ${isInStatus} ORDER BY ${order} DESC LIMIT ${last})`;
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
  if (filter.tag !== undefined) {
    conditions.push(`j.id IN (SELECT t.job FROM longhaul.tags t WHERE t.tag = ${take(filter.tag)})`);
  }
  if (filter.text !== undefined) {
    const text = take(toTextQuery(filter.text));
    conditions.push(`j.id IN (SELECT w.job FROM longhaul.words w WHERE w.words @@ ${text}::tsquery)`);
  }
  return conditions;
}

/** Times become bounds on the ids, which rise with time; the exact times are checked besides. */
function toTimes({ createdFrom, createdBefore }: JobFilter, take: (value: SqlValue) => string): string[] {
  const conditions: string[] = [];
  if (createdFrom !== undefined) {
    conditions.push(`j.id >= ${take(toBound(createdFrom))}::uuid AND j.created_at >= ${take(Math.ceil(createdFrom))}`);
  }
  if (createdBefore !== undefined) {
    conditions.push(
      `j.id < ${take(toBound(createdBefore))}::uuid AND j.created_at < ${take(Math.ceil(createdBefore))}`,
    );
  }
  return conditions;
}

const latest = 2 ** 48 - 1;

function toBound(atMs: number): string {
  return lowestIdAt(Math.min(Math.floor(atMs), latest));
}
