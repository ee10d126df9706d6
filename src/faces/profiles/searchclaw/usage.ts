import { isRecord } from "../../../job/is-record.ts";
import type { Job } from "../../../job/job.ts";
import type { OperationContext } from "../../../operations/operation.ts";
import { creditsPerJob, type Reply } from "./reply.ts";

const pageSize = 1_000;
const maxPages = 100;
const kinds: readonly string[] = ["crawl", "agent"];

/** What the caller has had done this month, by what was done, as far as the jobs are still kept. Nothing is charged. */
export async function readUsage({ engine, actor }: Pick<OperationContext, "engine" | "actor">): Promise<Reply> {
  const now = new Date();
  const createdFrom = Date.UTC(now.getUTCFullYear(), now.getUTCMonth());
  const jobs: Record<string, number> = {};
  let total = 0;
  let tokens = 0;
  let cursor: string | undefined;
  for (let page = 0; page < maxPages; page++) {
    const filter = { kinds, createdFrom };
    const found = await engine.list(filter, { limit: pageSize, cursor }, actor);
    // Whoever may see only some kinds is given all of those.
    for (const job of found.jobs.filter(({ kind }) => kinds.includes(kind))) {
      const action = job.kind === "crawl" ? (job.key ?? job.kind) : job.kind;
      tokens += await tokensOf(job, { engine, actor });
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
    tokens,
  };
}

/** Of language models. A crawl tells while it goes on, an agent with its result. */
async function tokensOf(
  { id, kind, state }: Job,
  { engine, actor }: Pick<OperationContext, "engine" | "actor">,
): Promise<number> {
  if (kind === "crawl") return "progress" in state ? (state.progress?.tokens ?? 0) : 0;
  if (state.status !== "succeeded") return 0;
  const { result = null } = await engine.payload(id, actor);
  const tokens = isRecord(result) ? (result["tokens"] ?? null) : null;
  return isRecord(tokens) ? Number(tokens["input"]) + Number(tokens["output"]) : 0;
}
