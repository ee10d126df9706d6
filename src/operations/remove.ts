import { z } from "zod";
import { LonghaulError } from "../job/error.ts";
import type { Job } from "../job/job.ts";
import { isTerminal, isTerminalStatus, jobStatuses } from "../job/state.ts";
import { sayStatus } from "../job/status-words.ts";
import { findJobs } from "./job-reference.ts";
import { changedSchema, changeTargets, target } from "./change-many.ts";
import { defineOperation, type OperationContext } from "./operation.ts";

const finishedStates = jobStatuses.filter(isTerminalStatus);

/** How long a job that is removed by force may take to end. */
const endMs = 60_000;

export const jobDelete = defineOperation({
  name: "job_delete",
  scope: "run",
  description: "Remove finished jobs now, with their output and files. By force, others are cancelled first.",
  input: z.strictObject({
    ...target,
    force: z.boolean().default(false).describe("Cancel jobs that have not ended, and remove them once they have."),
  }),
  output: changedSchema,
  run: async (context, { ids, filter, force, dry_run, token }) => {
    const { engine, actor } = context;
    const wanted = ids === undefined ? undefined : await findJobs(engine, ids, actor);
    const open = force || dry_run ? undefined : wanted?.find(({ state }) => !isTerminal(state));
    if (open !== undefined) throw refuse(open);
    const which = { ids: wanted && [...new Set(wanted.map(({ id }) => id))], filter, dry_run, token };
    return changeTargets(context, which, {
      name: force ? "delete by force" : "delete",
      states: force ? jobStatuses : finishedStates,
      change: async (job) => {
        if (force) await endJob(job, context);
        return engine.remove(job.id, actor);
      },
    });
  },
});

async function endJob({ id, state }: Job, { engine, actor, signal }: OperationContext): Promise<void> {
  if (isTerminal(state)) return;
  await engine.cancel(id, "it is being removed", actor);
  await engine.wait(id, { timeoutMs: endMs, ...actor, signal });
}

function refuse({ id, state }: Job): LonghaulError {
  return new LonghaulError(
    "conflict",
    `Job ${id} ${sayStatus(state.status)}: cancel it first, or remove it by force. Nothing was removed.`,
  );
}
