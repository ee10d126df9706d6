import { LonghaulError } from "../../../job/error.ts";
import type { JobView } from "../../../operations/job-view.ts";
import type { AnswerOf } from "../../../operations/registry.ts";
import { defineCommand } from "../command.ts";
import { formatDuration } from "../show/duration.ts";
import { exitCodes, jobExitCode } from "../exit-code.ts";
import type { CliContext } from "../cli-context.ts";
import { markSeen } from "../follow/mark-seen.ts";
import { untilInterrupted } from "../follow/until-interrupted.ts";
import { isFinished, jobLabel, outcomeText, shortId } from "../show/job-text.ts";
import { readDuration } from "../options/option-values.ts";
import { showBatch, showWaiting } from "../follow/show-waiting.ts";

interface WaitOptions {
  readonly any?: true;
  readonly all?: true;
  readonly timeout?: number;
  readonly until?: string;
  readonly batch?: string;
}

const longestSliceMs = 24 * 3_600_000;
const conditions = ["done", "ready", "output", "question", "stall"] as const;

export const wait = defineCommand<WaitOptions, [ids: string[]]>({
  describe: (command) => {
    command
      .argument("[id...]", "ids, ends of ids, or names")
      .option("--batch <batch>", "all jobs of a batch, also those that join it meanwhile")
      .option("--any", "until one of them gets there")
      .option("--all", "until all of them get there (the default)")
      .option("--timeout <time>", "give up after this; the jobs go on", readDuration)
      .option("--until <what>", "done, ready, output, question, stall, or a pattern in the output (RE2)", "done")
      .addHelpText(
        "after",
        "\nA job that has ended always counts. Exits with the jobs' own exit code, or 124 when the time runs out.",
      );
  },
  run: async (cli, options, ids) => {
    if (options.any === true && options.all === true) {
      throw new LonghaulError("invalid_input", "Give either --any or --all, not both.");
    }
    const { batch } = options;
    if ((ids.length === 0) === (batch === undefined)) {
      throw new LonghaulError("invalid_input", "Say what to wait for: either ids, such as 1a2b3c4d, or --batch NAME.");
    }
    const [first = ""] = ids;
    return untilInterrupted(
      async (signal) => {
        const waiting =
          batch === undefined ? waitForIds(cli, ids, options, signal) : waitForBatch(cli, batch, options, signal);
        const answer = await waiting;
        if (options.json === true) cli.screen.printJson(answer);
        else tell(cli, answer, options);
        await markSeen(cli, answer.jobs);
        return toExit(cli, answer, options.until ?? "done");
      },
      () =>
        cli.screen.note(
          batch === undefined
            ? `No longer waiting; the jobs go on. See one: longhaul logs -f ${first}   End it: longhaul cancel ${first}`
            : `No longer waiting; the jobs go on. See them: longhaul batch show ${batch}`,
        ),
    );
  },
});

async function waitForIds(
  cli: CliContext,
  ids: string[],
  options: WaitOptions & { readonly json?: true },
  signal: AbortSignal,
): Promise<AnswerOf<"job_wait">> {
  const stopShowing = showWaiting(cli, ids, options.json === true);
  return waitFor(cli, ids, options, signal).finally(stopShowing);
}

const maxWaitedFor = 1_000;

/** Waits until no job of the batch is active, or, for anything else, for the jobs that it has now. */
async function waitForBatch(
  cli: CliContext,
  batch: string,
  options: WaitOptions & { readonly json?: true },
  signal: AbortSignal,
): Promise<AnswerOf<"job_wait">> {
  const { client } = cli;
  await client.call("batch_get", { batch }, signal);
  const isForEnds = options.any !== true && (options.until ?? "done") === "done";
  if (!isForEnds) {
    const { jobs, cursor } = await client.call("job_list", { batch, limit: maxWaitedFor }, signal);
    if (cursor === undefined)
      return waitFor(
        cli,
        jobs.map(({ id }) => id),
        options,
        signal,
      );
    throw new LonghaulError(
      "invalid_input",
      `Batch "${batch}" has more than ${maxWaitedFor} jobs: wait for all of them.`,
    );
  }
  const endsAt = performance.now() + (options.timeout ?? Infinity);
  const stopShowing = showBatch(cli, batch, options.json === true);
  try {
    for (;;) {
      const active = { batch, state: ["queued" as const, "running" as const, "waiting" as const], limit: maxWaitedFor };
      const { jobs } = await client.call("job_list", active, signal);
      const timeout = Math.max(0, endsAt - performance.now());
      if (jobs.length === 0 || timeout === 0) return await readBatch(cli, batch, signal);
      await waitFor(
        cli,
        jobs.map(({ id }) => id),
        { timeout },
        signal,
      );
    }
  } finally {
    stopShowing();
  }
}

async function readBatch({ client }: CliContext, batch: string, signal: AbortSignal): Promise<AnswerOf<"job_wait">> {
  const jobs: JobView[] = [];
  let cursor: string | undefined;
  do {
    const page = await client.call("job_list", { batch, limit: maxWaitedFor, cursor }, signal);
    jobs.push(...page.jobs);
    cursor = page.cursor;
  } while (cursor !== undefined);
  const met = jobs.filter(isFinished).map(({ id }) => id);
  return { reached: met.length === jobs.length, met, jobs: jobs.toReversed() };
}

async function waitFor(
  { client }: CliContext,
  ids: string[],
  options: WaitOptions,
  signal: AbortSignal,
): Promise<AnswerOf<"job_wait">> {
  const until = options.until ?? "done";
  const known = conditions.find((condition) => condition === until);
  const condition = known === undefined ? { pattern: until } : { until: known };
  const endsAt = performance.now() + (options.timeout ?? Infinity);
  for (;;) {
    const leftMs = Math.max(0, Math.ceil(endsAt - performance.now()));
    const timeoutMs = Math.min(leftMs, longestSliceMs);
    const request = {
      ids,
      for: options.any === true ? ("any" as const) : ("all" as const),
      timeout_ms: timeoutMs,
      ...condition,
    };
    const answer = await client.call("job_wait", request, signal);
    if (answer.reached || performance.now() >= endsAt) return answer;
  }
}

const maxTold = 1_000;

function tell({ screen }: CliContext, { reached, jobs }: AnswerOf<"job_wait">, options: WaitOptions): void {
  for (const job of jobs.slice(0, maxTold))
    screen.print(`${jobLabel(job)}  ${screen.style.state(job.state, outcomeText(job))}`);
  if (jobs.length > maxTold) screen.print(`… and ${jobs.length - maxTold} more`);
  if (reached) return;
  const job = jobs.find((each) => !isFinished(each));
  const again = job === undefined ? "" : ` See one: longhaul logs -f ${shortId(job.id)}`;
  screen.note(`Not there after ${formatDuration(options.timeout ?? 0)}; the jobs go on.${again}`);
}

/** Of the jobs for which it came true, the first that says something other than success. */
async function toExit(cli: CliContext, { reached, met, jobs }: AnswerOf<"job_wait">, until: string): Promise<number> {
  if (!reached) return exitCodes.waitTimedOut;
  const ended = jobs.filter((job) => met.includes(job.id) && isFinished(job));
  const codes = ended.map(jobExitCode);
  const missed = until === "done" ? [] : await Promise.all(ended.map((job) => hasMissed(cli, job, until)));
  return codes.find((code) => code !== exitCodes.done) ?? (missed.includes(true) ? exitCodes.failed : exitCodes.done);
}

/** Whether the job ended without what was waited for. */
async function hasMissed({ client, screen }: CliContext, job: JobView, until: string): Promise<boolean> {
  if (until === "output" || until === "stall") return false;
  const isMissed =
    until === "ready"
      ? job.progress?.phase !== "ready"
      : until === "question" || !(await hasPrinted({ client, screen }, job, until));
  if (isMissed) screen.note(`${jobLabel(job)} ended before it got there: ${until}`);
  return isMissed;
}

async function hasPrinted(
  { client, screen }: Pick<CliContext, "client" | "screen">,
  { id }: JobView,
  pattern: string,
): Promise<boolean> {
  const { matches = 0, note } = await client.call("job_output", { id, grep: pattern, limit: 1 });
  if (matches === 0 && note !== undefined) screen.note(`… ${note} …`);
  return matches > 0;
}
