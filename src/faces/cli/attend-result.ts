import type { JobView } from "../../operations/job-view.ts";
import { exitCodes, jobExitCode } from "./exit-code.ts";
import type { Front } from "./front.ts";
import { listenForInterrupt } from "./interrupt.ts";
import { jobLabel, outcomeText, shortId } from "./job-text.ts";
import { LiveLine } from "./live-line.ts";
import { liveText } from "./live-text.ts";
import { repeatEvery } from "./repeat.ts";
import { waitForEnd } from "./wait-for-end.ts";

/** Waits for a job that is asked for its result, and prints that; shows where the job is meanwhile. */
export async function attendResult(
  { client, screen }: Front,
  job: JobView,
  { json }: { readonly json?: true },
  print: (result: unknown) => void,
): Promise<number> {
  const interrupt = listenForInterrupt();
  const line = new LiveLine(screen.terminal.err.isTerminal, screen.terminal.columns);
  const stopLooking = line.isOn
    ? repeatEvery(500, async (signal) => {
        const now = await client.call<JobView>("job_get", { id: job.id }, signal);
        if (!signal.aborted) line.show(liveText(now), screen.noteStyle.dim);
      })
    : () => undefined;
  try {
    const ended = await waitForEnd(client, job.id, interrupt.signal);
    stopLooking();
    line.clear();
    if (json === true) screen.printJson(ended);
    else if (ended.state === "succeeded") print(ended.result);
    else screen.note(`${jobLabel(ended)} ${outcomeText(ended)}`);
    return jobExitCode(ended);
  } catch (error) {
    if (!interrupt.signal.aborted) throw error;
    screen.note(`Job ${jobLabel(job)} goes on. See it: longhaul show ${shortId(job.id)}`);
    return exitCodes.interrupted;
  } finally {
    stopLooking();
    line.clear();
    interrupt.stop();
  }
}
