import { defined } from "../../../job/defined.ts";
import { LonghaulError } from "../../../job/error.ts";
import type { JobView } from "../../../operations/job-view.ts";
import type { OutputAnswer } from "../answers.ts";
import { defineCommand } from "../command.ts";
import type { Front } from "../front.ts";
import { isFinished } from "../job-text.ts";
import { followLogs, type LogsOptions } from "../follow-logs.ts";
import { readWhole } from "../option-values.ts";

const pageBytes = 1_000_000;

export const logs = defineCommand<LogsOptions, [id: string]>({
  describe: (command) => {
    command
      .argument("<id>", "id, end of an id, or name")
      .option("-f, --follow", "go on as output comes, until the job ends")
      .option("--tail <lines>", "only the last lines (with -f: of each stream)", readWhole(1, 100_000))
      .option("--grep <pattern>", "only lines that match this expression (RE2)")
      .option("--from <offset>", "from this byte on", readWhole(0, Number.MAX_SAFE_INTEGER))
      .option("--stream <stream>", "stdout or stderr alone")
      .option("--attempt <number>", "an earlier attempt", readWhole(1, 1_000));
  },
  run: async (front, options, id) => {
    if (options.follow === true) {
      if (options.from !== undefined && options.stream === undefined) {
        throw new LonghaulError(
          "invalid_input",
          "An offset to follow from belongs to one stream: add --stream stdout or --stream stderr.",
        );
      }
      const job = await front.client.call<JobView>("job_get", { id });
      if (!isFinished(job)) return followLogs(front, job, options);
    }
    await printLogs(front, id, options);
    return undefined;
  },
});

async function printLogs({ client, screen }: Front, id: string, options: LogsOptions & { json?: true }): Promise<void> {
  const { tail, grep, stream, attempt } = options;
  const request = { id, limit: pageBytes, ...defined({ tail, grep, stream, attempt, from: options.from }) };
  if (options.json === true) {
    const answer = await client.call<OutputAnswer>("job_output", request);
    if (options.follow === true) screen.printJsonLine(answer);
    else screen.printJson(answer);
    return;
  }
  let from = options.from ?? 0;
  let end: number | undefined;
  for (;;) {
    const part = tail === undefined ? { from } : {};
    const answer = await client.call<OutputAnswer>("job_output", { ...request, ...part, encoding: "base64" });
    const isCut = tail === undefined && grep === undefined && answer.from > from && answer.text !== "";
    if (isCut) screen.note(screen.noteStyle.dim(`… ${answer.from - from} bytes were dropped here …`));
    await screen.write("stdout", Buffer.from(answer.text, "base64"));
    tellUnshown(screen, answer);
    // What a running job writes while this is printed is left for the next time: it may write faster than we do.
    end ??= answer.size;
    from = answer.next;
    if (tail !== undefined || grep !== undefined || from >= end) return;
  }
}

/** Matching lines beyond what one answer holds are counted, not returned. */
function tellUnshown(screen: Front["screen"], { matches, text }: OutputAnswer): void {
  if (matches === undefined) return;
  const shown = Buffer.from(text, "base64").toString().split("\n").length - 1;
  if (matches > shown) screen.note(`… ${matches - shown} more lines match; a narrower pattern shows them.`);
}
