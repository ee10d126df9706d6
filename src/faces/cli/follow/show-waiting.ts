import type { Client } from "../../door/local-client.ts";
import type { CliContext } from "../cli-context.ts";
import { escapeControls, lastLineOf } from "../../../text/controls.ts";
import { isFinished, jobLabel, liveText } from "../show/job-text.ts";
import { keepShowing, LiveLine } from "./live-line.ts";

const lastLineBytes = 1_000;

/** Shows in a live line how far the jobs are that somebody waits for; answers how to end it. */
export function showWaiting({ client, screen }: CliContext, ids: readonly string[], isJson: boolean): () => void {
  const { terminal, noteStyle } = screen;
  const line = new LiveLine(terminal.err.isTerminal && !isJson, terminal.columns);
  return keepShowing(line, noteStyle.dim, (signal) => waitingText(client, ids, signal));
}

/** The same for a batch, which may have any number of jobs. */
export function showBatch({ client, screen }: CliContext, batch: string, isJson: boolean): () => void {
  const { terminal, noteStyle } = screen;
  const line = new LiveLine(terminal.err.isTerminal && !isJson, terminal.columns);
  return keepShowing(line, noteStyle.dim, async (signal) => {
    const { finished, total, jobs } = await client.call("batch_get", { batch }, signal);
    return `${escapeControls(batch)} ${finished}/${total} ended · ${jobs["running"] ?? 0} running`;
  });
}

/** How many have ended, where the first is that has not, and what it wrote last. */
export async function waitingText(client: Client, ids: readonly string[], signal: AbortSignal): Promise<string> {
  const jobs = await Promise.all(ids.map((id) => client.call("job_get", { id }, signal)));
  const open = jobs.filter((job) => !isFinished(job));
  const [shown = jobs.at(-1)] = open;
  if (shown === undefined) return "";
  const request = { id: shown.id, tail: 1, limit: lastLineBytes };
  const { text } = await client.call("job_output", request, signal);
  const count = jobs.length === 1 ? "" : `${jobs.length - open.length}/${jobs.length} ended · `;
  return `${count}${jobLabel(shown)} ${liveText(shown, lastLineOf(text))}`;
}
