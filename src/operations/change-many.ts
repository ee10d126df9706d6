import { createHash } from "node:crypto";
import { z } from "zod";
import { LonghaulError } from "../job/error.ts";
import type { Job } from "../job/job.ts";
import type { JobStatus } from "../job/state.ts";
import { countText } from "../text/count-text.ts";
import { countAll, filterSchema, listMatching, type FilterInput } from "./filter.ts";
import { findJobs } from "./job-reference.ts";
import { jobViewSchema, toJobView, type JobView } from "./job-view.ts";
import type { OperationContext } from "./operation.ts";

/** What the verbs take that act on many jobs. */
export const target = {
  ids: z.array(z.string().min(1).describe("Job id, the end of one, or a name.")).min(1).max(1_000).optional(),
  filter: filterSchema.optional().describe("All jobs that match, instead of ids."),
  dry_run: z.boolean().default(false).describe("Change nothing, and say how many jobs it would be done to."),
  token: z
    .string()
    .max(100)
    .optional()
    .describe("Of a dry run with this filter: if it matches another number of jobs by now, nothing is done."),
};

/** More than anybody reads; an action on a filter may concern any number of jobs. */
const maxShown = 10_000;
/** Of a dry run: enough to see what is meant. */
const maxSample = 20;

export const changedSchema = z.object({
  count: z.int().describe(`How many jobs it was done to; \`jobs\` shows at most ${maxShown} of them.`),
  jobs: z.array(jobViewSchema),
  refused_count: z.int().optional().describe("How many it was not done to, because of what they are or have become."),
  refused: z
    .array(z.object({ id: z.string(), code: z.string(), message: z.string() }))
    .optional()
    .describe("Those, and why."),
  dry_run: z.literal(true).optional().describe("Nothing was done; `jobs` are some of those that it would be done to."),
  token: z.string().optional().describe("Of a dry run: given with the action it makes sure that this many are meant."),
});

type Changed = z.infer<typeof changedSchema>;

export interface Targets {
  readonly ids?: string[];
  readonly filter?: FilterInput;
  readonly dry_run?: boolean;
  readonly token?: string;
}

export interface Action {
  /** A name for it, so that one's token does not serve for another. */
  readonly name: string;
  /** In which states a job of a filter is meant. */
  readonly states: readonly JobStatus[];
  readonly change: (job: Job) => Promise<Job>;
}

/** Acts on the jobs with these ids, or on all that match, page by page. Each has an outcome of its own: what is refused for one stops no other. */
export async function changeTargets(context: OperationContext, targets: Targets, action: Action): Promise<Changed> {
  const { ids, filter, token } = targets;
  if ((ids === undefined) === (filter === undefined)) {
    throw new LonghaulError("invalid_input", "Say which jobs: give either ids or a filter.");
  }
  if (token !== undefined && filter === undefined) {
    throw new LonghaulError("invalid_input", "A token goes with the filter of a dry run, not with ids.");
  }
  if (ids !== undefined) return changeByIds(context, ids, action, targets.dry_run === true);
  const wanted = filter ?? {};
  if (targets.dry_run === true) return tryOut(context, wanted, action);
  if (token !== undefined) await requireSameCount(context, wanted, action, token);
  return changeMatching(context, wanted, action);
}

async function changeByIds(
  { engine, actor }: OperationContext,
  ids: readonly string[],
  { states, change }: Action,
  isDryRun: boolean,
): Promise<Changed> {
  const jobs = await findJobs(engine, ids, actor);
  if (isDryRun) {
    const meant = jobs.filter(({ state }) => states.includes(state.status));
    return { count: meant.length, jobs: meant.map(toJobView), dry_run: true };
  }
  const [only, another] = jobs;
  if (only !== undefined && another === undefined) return { count: 1, jobs: [toJobView(await change(only))] };
  const outcomes = new Outcomes();
  await outcomes.changeAll(jobs, change);
  return outcomes.tell();
}

async function changeMatching(context: OperationContext, filter: FilterInput, action: Action): Promise<Changed> {
  const outcomes = new Outcomes();
  for await (const page of listMatching(filter, action.states, context)) await outcomes.changeAll(page, action.change);
  return outcomes.tell();
}

async function tryOut(context: OperationContext, filter: FilterInput, action: Action): Promise<Changed> {
  const count = await countAll(filter, action.states, context);
  const jobs: JobView[] = [];
  for await (const page of listMatching(filter, action.states, context)) {
    jobs.push(...page.slice(0, maxSample).map(toJobView));
    break;
  }
  return { count, jobs, dry_run: true, token: toToken(context, filter, action, count) };
}

async function requireSameCount(
  context: OperationContext,
  filter: FilterInput,
  action: Action,
  token: string,
): Promise<void> {
  const [, before] = /^(\d{1,12})-[\w-]{22}$/.exec(token) ?? [];
  if (before === undefined || token !== toToken(context, filter, action, Number(before))) {
    throw new LonghaulError(
      "invalid_input",
      "The token is not of a dry run of this with this filter: make one first.",
      {
        details: { field: "token" },
      },
    );
  }
  const count = await countAll(filter, action.states, context);
  if (count === Number(before)) return;
  throw new LonghaulError(
    "conflict",
    `The filter matched ${countText(Number(before), "job")} at the dry run and matches ${count} now, so nothing was done: look again, and send the new token.`,
    { details: { count, token: toToken(context, filter, action, count) } },
  );
}

/** It is no secret: it only says what somebody was shown. */
function toToken({ actor }: OperationContext, filter: FilterInput, { name }: Action, count: number): string {
  const fields = Object.entries(filter).toSorted(([one], [other]) => (one < other ? -1 : 1));
  const meant = JSON.stringify([name, fields, actor.owner, actor.kinds, count]);
  return `${count}-${createHash("sha256").update(meant).digest("base64url").slice(0, 22)}`;
}

/** What became of each job. */
class Outcomes {
  readonly #jobs: JobView[] = [];
  readonly #refused: NonNullable<Changed["refused"]> = [];
  #count = 0;
  #refusedCount = 0;

  async changeAll(jobs: readonly Job[], change: Action["change"]): Promise<void> {
    const settled = await Promise.allSettled(jobs.map(change));
    let fault: unknown;
    for (const [index, outcome] of settled.entries()) {
      if (outcome.status === "fulfilled") this.#changed(outcome.value);
      else if (isRefusal(outcome.reason)) this.#refuse(jobs[index]?.id ?? "", outcome.reason);
      else fault ??= outcome.reason;
    }
    if (fault !== undefined) throw this.#stopped(fault);
  }

  tell(): Changed {
    const refused = { refused_count: this.#refusedCount, refused: this.#refused };
    return { count: this.#count, jobs: this.#jobs, ...(this.#refusedCount === 0 ? {} : refused) };
  }

  #changed(job: Job): void {
    this.#count += 1;
    if (this.#jobs.length < maxShown) this.#jobs.push(toJobView(job));
  }

  #refuse(id: string, { code, message }: LonghaulError): void {
    this.#refusedCount += 1;
    if (this.#refused.length < maxShown) this.#refused.push({ id, code, message });
  }

  /** What stops it, a full disk for instance, is told with how far it had come. */
  #stopped(fault: unknown): unknown {
    if (!(fault instanceof LonghaulError)) return fault;
    const done = this.#count === 0 ? "Nothing was done." : `It was done to ${countText(this.#count, "job")} before.`;
    const details = { ...fault.details, count: this.#count };
    return new LonghaulError(fault.code, `${fault.message} ${done}`, { cause: fault, details });
  }
}

/** What concerns one job alone: that it has changed or gone since it was listed, or is not the caller's to change. */
function isRefusal(error: unknown): error is LonghaulError {
  return error instanceof LonghaulError && ["conflict", "not_found", "expired", "not_allowed"].includes(error.code);
}
