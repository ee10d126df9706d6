import { LonghaulError } from "../../../job/error.ts";
import type { JobView } from "../../../operations/job-view.ts";
import type { OutputAnswer, WaitAnswer } from "../answers.ts";
import { defineCommand } from "../command.ts";
import { formatDuration } from "../duration.ts";
import { exitCodes, jobExitCode } from "../exit-code.ts";
import type { Front } from "../front.ts";
import { listenForInterrupt } from "../interrupt.ts";
import { isFinished, jobLabel, outcomeText, shortId } from "../job-text.ts";
import { readDuration } from "../option-values.ts";
import { showWaiting } from "../show-waiting.ts";

interface WaitOptions {
  readonly any?: true;
  readonly all?: true;
  readonly timeout?: number;
  readonly until?: string;
}

const longestSliceMs = 24 * 3_600_000;
const conditions: ReadonlySet<string> = new Set(["done", "ready", "output", "question", "stall"]);

export const wait = defineCommand<WaitOptions, [ids: string[]]>({
  describe: (command) => {
    command
      .argument("<id...>", "ids, ends of ids, or names")
      .option("--any", "until one of them is there")
      .option("--all", "until all of them are there (the default)")
      .option("--timeout <time>", "give up after this; the jobs go on", readDuration)
      .option("--until <what>", "done, ready, output, question, stall, or a pattern in the output (RE2)", "done")
      .addHelpText(
        "after",
        "\nA job that has ended always counts. Exits with the jobs' own exit code, or 124 when the time runs out.",
      );
  },
  run: async (front, options, ids) => {
    if (options.any === true && options.all === true) {
      throw new LonghaulError("invalid_input", "Give either --any or --all, not both.");
    }
    const interrupt = listenForInterrupt();
    const stopShowing = showWaiting(front, ids, options.json === true);
    try {
      const answer = await waitFor(front, ids, options, interrupt.signal);
      stopShowing();
      if (options.json === true) front.screen.printJson(answer);
      else tell(front, answer, options);
      return await toExit(front, answer, options.until ?? "done");
    } catch (error) {
      stopShowing();
      if (!interrupt.signal.aborted) throw error;
      const [first = ""] = ids;
      front.screen.note(
        `No longer waiting; the jobs go on. See one: longhaul logs -f ${first}   End it: longhaul cancel ${first}`,
      );
      return exitCodes.interrupted;
    } finally {
      interrupt.stop();
    }
  },
});

async function waitFor(
  { client }: Front,
  ids: readonly string[],
  options: WaitOptions,
  signal: AbortSignal,
): Promise<WaitAnswer> {
  const until = options.until ?? "done";
  const condition = conditions.has(until) ? { until } : { pattern: until };
  const endsAt = performance.now() + (options.timeout ?? Infinity);
  for (;;) {
    const leftMs = Math.max(0, Math.ceil(endsAt - performance.now()));
    const timeoutMs = Math.min(leftMs, longestSliceMs);
    const request = { ids, for: options.any === true ? "any" : "all", timeout_ms: timeoutMs, ...condition };
    const answer = await client.call<WaitAnswer>("job_wait", request, signal);
    if (answer.reached || performance.now() >= endsAt) return answer;
  }
}

function tell({ screen }: Front, { reached, jobs }: WaitAnswer, options: WaitOptions): void {
  for (const job of jobs) screen.print(`${jobLabel(job)}  ${screen.style.state(job.state, outcomeText(job))}`);
  if (reached) return;
  const job = jobs.find((each) => !isFinished(each));
  const again = job === undefined ? "" : ` See one: longhaul logs -f ${shortId(job.id)}`;
  screen.note(`Not reached within ${formatDuration(options.timeout ?? 0)}; the jobs go on.${again}`);
}

/** Of the jobs for which it came true, the first that says something other than success. */
async function toExit(front: Front, { reached, met, jobs }: WaitAnswer, until: string): Promise<number> {
  if (!reached) return exitCodes.waitTimedOut;
  const ended = jobs.filter((job) => met.includes(job.id) && isFinished(job));
  const codes = ended.map(jobExitCode);
  const missed = until === "done" ? [] : await Promise.all(ended.map((job) => hasMissed(front, job, until)));
  return codes.find((code) => code !== exitCodes.done) ?? (missed.includes(true) ? exitCodes.failed : exitCodes.done);
}

/** Whether the job ended without what was waited for. */
async function hasMissed({ client, screen }: Front, job: JobView, until: string): Promise<boolean> {
  if (until === "output" || until === "stall") return false;
  const isMissed =
    until === "ready"
      ? job.progress?.phase !== "ready"
      : until === "question" || !(await hasPrinted(client, job, until));
  if (isMissed) screen.note(`${jobLabel(job)} ended before it was there: ${until}`);
  return isMissed;
}

async function hasPrinted(client: Front["client"], { id }: JobView, pattern: string): Promise<boolean> {
  const { matches = 0 } = await client.call<OutputAnswer>("job_output", { id, grep: pattern, limit: 1 });
  return matches > 0;
}
