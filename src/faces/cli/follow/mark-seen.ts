import type { JobView } from "../../../operations/job-view.ts";
import type { CliContext } from "../cli-context.ts";
import { isFinished } from "../show/job-text.ts";

const patienceMs = 3_000;

/** Says that somebody was shown how these have ended, so that the inbox lists them no more. What was shown is none the worse if that fails. */
export async function markSeen(
  { client }: Pick<CliContext, "client">,
  jobs: readonly Pick<JobView, "id" | "state">[],
): Promise<void> {
  const ids = jobs.filter(isFinished).map(({ id }) => id);
  if (ids.length === 0) return;
  await client.call("job_seen", { ids }, AbortSignal.timeout(patienceMs)).catch(() => undefined);
}
