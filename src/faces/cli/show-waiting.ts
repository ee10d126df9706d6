import type { JobView } from "../../operations/job-view.ts";
import type { OutputAnswer } from "./answers.ts";
import type { Front } from "./front.ts";
import { isFinished, jobLabel } from "./job-text.ts";
import { LiveLine } from "./live-line.ts";
import { liveText } from "./live-text.ts";
import { repeatEvery } from "./repeat.ts";

const lookMs = 1_000;
const lastLineBytes = 1_000;

/** Shows in a live line how far the jobs are that somebody waits for; answers how to end it. */
export function showWaiting({ client, screen }: Front, ids: readonly string[], isJson: boolean): () => void {
  const { terminal, noteStyle } = screen;
  const line = new LiveLine(terminal.err.isTerminal && !isJson, terminal.columns);
  if (!line.isOn) return () => undefined;
  const stop = repeatEvery(lookMs, async (signal) => {
    const jobs = await Promise.all(ids.map((id) => client.call<JobView>("job_get", { id }, signal)));
    const open = jobs.filter((job) => !isFinished(job));
    const [shown = jobs.at(-1)] = open;
    if (shown === undefined || signal.aborted) return;
    const request = { id: shown.id, tail: 1, limit: lastLineBytes };
    const { text } = await client.call<OutputAnswer>("job_output", request, signal);
    const count = jobs.length === 1 ? "" : `${jobs.length - open.length}/${jobs.length} ended · `;
    if (!signal.aborted) line.show(`${count}${jobLabel(shown)} ${liveText(shown, text.trim())}`, noteStyle.dim);
  });
  return () => {
    stop();
    line.clear();
  };
}
