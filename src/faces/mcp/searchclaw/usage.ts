import type { OperationContext } from "../../../operations/operation.ts";
import { creditsPerJob, type Reply } from "./reply.ts";

const pageSize = 1_000;
const mostPages = 100;
const kinds: readonly string[] = ["crawl", "agent"];

/** What the caller has had done this month, by what was done, as far as the jobs are still kept. Nothing is charged. */
export async function readUsage({ engine, actor }: OperationContext): Promise<Reply> {
  const now = new Date();
  const createdFrom = Date.UTC(now.getUTCFullYear(), now.getUTCMonth());
  const jobs: Record<string, number> = {};
  let total = 0;
  let cursor: string | undefined;
  for (let page = 0; page < mostPages; page++) {
    const filter = { kinds, createdFrom };
    const found = await engine.list(filter, { limit: pageSize, ...(cursor === undefined ? {} : { cursor }) }, actor);
    // Whoever may see only some kinds is given all of those.
    for (const { kind, key } of found.jobs.filter((job) => kinds.includes(job.kind))) {
      const action = kind === "crawl" ? (key ?? kind) : kind;
      jobs[action] = (jobs[action] ?? 0) + 1;
      total += 1;
    }
    cursor = found.cursor;
    if (cursor === undefined) break;
  }
  return {
    plan: "longhaul",
    billing_period: now.toISOString().slice(0, 7),
    credits_used: total * creditsPerJob,
    credits_limit: null,
    credits_remaining: null,
    rate_limit_per_sec: null,
    jobs,
  };
}
