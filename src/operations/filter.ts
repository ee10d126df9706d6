import { z } from "zod";
import { defined } from "../job/defined.ts";
import { LonghaulError } from "../job/error.ts";
import type { Job } from "../job/job.ts";
import { jobStatuses, type JobStatus } from "../job/state.ts";
import type { JobFilter } from "../store/store.ts";
import type { OperationContext } from "./operation.ts";

const instant = z.iso.datetime({ offset: true });

/** Which jobs: the same filter lists them and is the target of an action on all of them. */
export const filterSchema = z.strictObject({
  state: z.array(z.enum(jobStatuses)).min(1).optional(),
  kind: z.string().optional(),
  batch: z.string().optional(),
  schedule: z.string().optional().describe("Started by this schedule: its name or id."),
  tag: z.string().optional(),
  name: z.string().optional(),
  text: z.string().max(1_000).optional().describe("Words in the name, the input or the last error."),
  created_from: instant.optional(),
  created_before: instant.optional(),
});

export type FilterInput = z.output<typeof filterSchema>;

export async function toFilter(
  input: FilterInput,
  { engine, actor }: Pick<OperationContext, "engine" | "actor">,
): Promise<JobFilter> {
  const { state, kind, batch, schedule, tag, name, text } = input;
  return defined({
    status: state,
    kind,
    batch,
    schedule: schedule === undefined ? undefined : (await engine.schedules.get(schedule, actor)).id,
    tag,
    name,
    text,
    createdFrom: toTime(input.created_from),
    createdBefore: toTime(input.created_before),
  });
}

function toTime(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Date.parse(text);
}

/** Few enough to be changed in one commit that nobody has to wait for. */
const pageSize = 200;

/**
 * All jobs that match and are in one of these states, page by page, for an action on them. An empty filter is refused, because it
 * would mean every job.
 */
export async function* listMatching(
  input: FilterInput,
  states: readonly JobStatus[],
  context: OperationContext,
): AsyncGenerator<readonly Job[]> {
  if (Object.keys(defined(input)).length === 0) {
    throw new LonghaulError(
      "invalid_input",
      "The filter is empty: say which jobs, by state, kind, batch, schedule, tag, name, text or time.",
    );
  }
  const status = states.filter((state) => input.state?.includes(state) ?? true);
  if (status.length === 0) return;
  const { engine, actor } = context;
  const filter = { ...(await toFilter(input, context)), status };
  let cursor: string | undefined;
  do {
    const page = await engine.list(filter, { limit: pageSize, cursor }, actor);
    yield page.jobs;
    cursor = page.cursor;
  } while (cursor !== undefined);
}
