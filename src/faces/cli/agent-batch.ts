import type { JobView } from "../../operations/job-view.ts";
import type { WaitAnswer } from "./answers.ts";
import { totalsText } from "./agent-text.ts";
import { exitCodes } from "./exit-code.ts";
import type { Front } from "./front.ts";
import { listenForInterrupt } from "./interrupt.ts";
import { shortId } from "./job-text.ts";
import { showWaiting } from "./show-waiting.ts";
import { escapeControls } from "./text-width.ts";

interface DigestRow {
  readonly id: string;
  readonly state: JobView["state"];
  readonly model?: string;
  readonly steps?: number;
  readonly tokens?: number;
  readonly cost_usd?: number;
  readonly answer?: string;
}

export interface Digest {
  readonly batch: string;
  readonly jobs: readonly DigestRow[];
}

const sliceMs = 60_000;

/** Waits for a batch of agents, or for the first that succeeds and then ends the others; compares what they said. */
export async function attendBatch(
  front: Front,
  { batch, jobs }: { batch: string; jobs: readonly JobView[] },
  options: { isFirst: boolean; isJson: boolean },
): Promise<number> {
  const { client, screen } = front;
  const ids = jobs.map(({ id }) => id);
  const interrupt = listenForInterrupt();
  const stopShowing = showWaiting(front, ids, options.isJson);
  try {
    const wanted = { ids, for: options.isFirst ? "success" : "all", timeout_ms: sliceMs };
    while (!(await client.call<WaitAnswer>("job_wait", wanted, interrupt.signal)).reached);
    if (options.isFirst) {
      await client.call("job_cancel", { ids, reason: "another agent was first" });
      await client.call("job_wait", { ids, timeout_ms: sliceMs }, interrupt.signal);
    }
  } catch (error) {
    if (!interrupt.signal.aborted) throw error;
    screen.note(`The agents go on. See them: longhaul ps --batch ${batch}`);
    return exitCodes.interrupted;
  } finally {
    stopShowing();
    interrupt.stop();
  }
  const digest = await client.call<Digest>("agent_digest", { batch });
  if (options.isJson) screen.printJson(digest);
  else for (const row of digest.jobs) tellRow(front, row);
  return digest.jobs.some(({ state }) => state === "succeeded") ? exitCodes.done : exitCodes.failed;
}

function tellRow({ screen }: Front, row: DigestRow): void {
  const { style } = screen;
  screen.print(`${style.bold(shortId(row.id))}  ${style.state(row.state)}  ${style.dim(totalsText(row))}`);
  for (const line of (row.answer ?? "").split("\n")) screen.print(`  ${escapeControls(line)}`);
}
