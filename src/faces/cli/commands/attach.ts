import { LonghaulError } from "../../../job/error.ts";
import { isRecord } from "../../../job/is-record.ts";
import type { AnswerOf } from "../../../operations/registry.ts";
import type { CliContext } from "../cli-context.ts";
import { attachLines } from "../attach/attach-lines.ts";
import { attachTerminal } from "../attach/attach-terminal.ts";
import { defineCommand } from "../command.ts";
import { exitCodes, jobExitCode } from "../exit-code.ts";
import { endText, goesOn } from "../follow/follow-job.ts";
import { markSeen } from "../follow/mark-seen.ts";
import { isFinished, jobLabel, shortId } from "../show/job-text.ts";
import { sayStatus } from "../../../job/status-words.ts";

export const attach = defineCommand<object, [id: string]>({
  describe: (command) => {
    command
      .argument("<id>", "id, end of an id, or name")
      .addHelpText(
        "after",
        "\nCtrl-\\ twice leaves the job running. A job without a terminal (run --pty) gets the lines that you type.",
      );
  },
  run: async (cli, _options, id) => {
    const job = await cli.client.call("job_get", { id });
    checkAttachable(cli, job);
    const isPty = isRecord(job.input) && job.input["pty"] === true;
    return tellAttached(cli, job, isPty ? await attachTerminal(cli, job) : await attachLines(cli, job));
  },
});

function checkAttachable({ screen }: CliContext, job: AnswerOf<"job_get">): void {
  const id = shortId(job.id);
  if (isFinished(job)) {
    const message = `Job ${jobLabel(job)} ${sayStatus(job.state)}. See its output: longhaul logs ${id}`;
    throw new LonghaulError("conflict", message);
  }
  if (process.stdin.isTTY && screen.terminal.out.isTerminal) return;
  throw new LonghaulError(
    "invalid_input",
    `attach needs a terminal. Without one: longhaul logs -f ${id}, and longhaul send ${id} TEXT`,
  );
}

/** How the job ended, or that it goes on; answers with the exit code. */
export async function tellAttached(
  cli: CliContext,
  job: Pick<AnswerOf<"job_get">, "id" | "name">,
  ended: AnswerOf<"job_get"> | undefined,
): Promise<number> {
  cli.screen.note(ended === undefined ? goesOn(job, "attach") : endText(cli.screen, ended));
  if (ended === undefined) return exitCodes.done;
  await markSeen(cli, [ended]);
  return jobExitCode(ended);
}
