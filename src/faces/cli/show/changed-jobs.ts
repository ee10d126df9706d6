import type { JobView } from "../../../operations/job-view.ts";
import type { AnswerOf } from "../../../operations/registry.ts";
import { countText } from "../../../text/count-text.ts";
import { exitCodes } from "../exit-code.ts";
import { jobLabel, stateText } from "./job-text.ts";
import type { Screen } from "./screen.ts";

interface Wording {
  /** Said when no job is meant. */
  readonly none: string;
  readonly describe: (job: JobView) => string;
}

/** Tells what became of many jobs, or would become; the exit code says whether all of it was done. */
export function showChanged(
  changed: AnswerOf<"job_cancel">,
  { none, describe }: Wording,
  screen: Screen,
  isJson: boolean | undefined,
): number {
  const { count, jobs, refused = [], refused_count: refusedCount = 0, dry_run: isDryRun } = changed;
  const code = refusedCount > 0 ? exitCodes.failed : exitCodes.done;
  if (isJson === true) {
    screen.printJson(changed);
    return code;
  }
  if (count === 0 && refusedCount === 0) screen.note(none);
  for (const job of jobs) screen.print(`${jobLabel(job)}  ${isDryRun === true ? stateText(job) : describe(job)}`);
  if (count > jobs.length) screen.note(`… and ${count - jobs.length} more.`);
  for (const { message } of refused) screen.note(message);
  if (refusedCount > refused.length) screen.note(`… and ${refusedCount - refused.length} more were left as they are.`);
  if (isDryRun === true && count > 0) screen.note(`${countText(count, "job")} in all; nothing was changed.`);
  return code;
}
