import { isRecord } from "../../../job/is-record.ts";
import type { Job } from "../../../job/job.ts";
import type { Json } from "../../../job/json.ts";
import { isTerminal } from "../../../job/state.ts";
import type { OperationContext } from "../../../operations/operation.ts";
import { createPacer } from "../../../text/pacer.ts";
import { creditsOf } from "./credits.ts";
import type { Reply } from "./reply.ts";

const pageSize = 1_000;
const maxPages = 100;
const kinds: readonly string[] = ["crawl", "agent"];

/** SearchClaw's limits are numbers: this one is never reached. */
const noLimit = Number.MAX_SAFE_INTEGER;

/** What the caller has had done this month, by what was done, as far as the jobs are still kept. Nothing is charged. */
export async function readUsage({ engine, actor }: Pick<OperationContext, "engine" | "actor">): Promise<Reply> {
  const now = new Date();
  const createdFrom = Date.UTC(now.getUTCFullYear(), now.getUTCMonth());
  const jobs: Record<string, number> = {};
  let credits = 0;
  let tokens = 0;
  let cursor: string | undefined;
  const pace = createPacer();
  for (let page = 0; page < maxPages; page++) {
    const filter = { kinds, createdFrom };
    const found = await engine.list(filter, { limit: pageSize, cursor }, actor);
    // Whoever may see only some kinds is given all of those.
    for (const job of found.jobs.filter(({ kind }) => kinds.includes(kind))) {
      await pace();
      const action = job.kind === "crawl" ? (job.key ?? job.kind) : job.kind;
      const { result = null } = isTerminal(job.state) ? await engine.payload(job.id, actor) : {};
      credits += creditsOf(job, result);
      tokens += tokensOf(job, result);
      jobs[action] = (jobs[action] ?? 0) + 1;
    }
    cursor = found.cursor;
    if (cursor === undefined) break;
  }
  return {
    plan: "longhaul",
    billing_period: now.toISOString().slice(0, 7),
    credits_used: credits,
    credits_limit: noLimit,
    credits_remaining: noLimit - credits,
    rate_limit_per_sec: noLimit,
    is_unlimited: true,
    jobs,
    tokens,
  };
}

/** Of language models. A crawl tells while it goes on, an agent with its result. */
function tokensOf({ kind, state }: Job, result: Json): number {
  if (kind === "crawl") return "progress" in state ? (state.progress?.tokens ?? 0) : 0;
  const tokens = isRecord(result) ? (result["tokens"] ?? null) : null;
  return isRecord(tokens) ? Number(tokens["input"]) + Number(tokens["output"]) : 0;
}
