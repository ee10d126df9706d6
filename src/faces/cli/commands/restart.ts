import { randomUUID } from "node:crypto";
import { LonghaulError } from "../../../job/error.ts";
import type { JobView } from "../../../operations/job-view.ts";
import type { CliContext } from "../cli-context.ts";
import { defineCommand } from "../command.ts";
import { exitCodes } from "../exit-code.ts";
import { untilInterrupted } from "../follow/until-interrupted.ts";
import { isFinished, jobLabel, shortId } from "../show/job-text.ts";

const sliceMs = 60_000;

export const restart = defineCommand<object, [ids: string[]]>({
  describe: (command) => {
    command
      .argument("[id...]", "ids, ends of ids, or names")
      .addHelpText(
        "after",
        "\nA job that runs is cancelled first. It keeps its id, as a new attempt; only one that has succeeded becomes a new job.",
      );
  },
  run: async (cli, options, ids) => {
    const { client, screen } = cli;
    if (ids.length === 0) {
      throw new LonghaulError(
        "invalid_input",
        "Say which job is to run again (longhaul restart ID); the server is restarted with: longhaul server restart",
      );
    }
    const before = await Promise.all(ids.map((id) => client.call("job_get", { id })));
    return untilInterrupted(async (signal) => {
      const jobs: JobView[] = [];
      for (const job of before) {
        const again = await runAgain(cli, isFinished(job) ? job : await endJob(cli, job, signal));
        jobs.push(again);
        const how = again.id === job.id ? `attempt ${again.attempt}` : `a new job, ${shortId(again.id)}`;
        if (options.json !== true) screen.print(`${jobLabel(job)}  runs again: ${how}`);
      }
      if (options.json === true) screen.printJson({ count: jobs.length, jobs });
      return exitCodes.done;
    });
  },
});

async function endJob({ client }: CliContext, { id }: JobView, signal: AbortSignal): Promise<JobView> {
  await client.call("job_cancel", { ids: [id], reason: "it is being restarted" }, signal);
  while (!(await client.call("job_wait", { ids: [id], timeout_ms: sliceMs }, signal)).reached);
  return client.call("job_get", { id }, signal);
}

/** The same job where that can be, so that its id and what is known of it stay. */
async function runAgain({ client }: CliContext, { id, state }: JobView): Promise<JobView> {
  if (state === "succeeded") return client.call("job_rerun", { id, idempotency_key: randomUUID() });
  const { jobs } = await client.call("job_retry", { ids: [id] });
  return jobs[0] ?? client.call("job_get", { id });
}
