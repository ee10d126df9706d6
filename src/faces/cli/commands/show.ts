import { setTimeout as delay } from "node:timers/promises";
import type { JobEvent } from "../../../job/event.ts";
import { escapeControls, lastLineOf } from "../../../text/controls.ts";
import { crawlContract } from "../../../kinds/crawl/contract.ts";
import { pageContract } from "../../../kinds/page/contract.ts";
import type { Client } from "../../door/local-client.ts";
import type { AnswerOf } from "../../../operations/registry.ts";
import type { CliContext } from "../cli-context.ts";
import { defineCommand } from "../command.ts";
import { exitCodes } from "../exit-code.ts";
import { markSeen } from "../follow/mark-seen.ts";
import { untilInterrupted } from "../follow/until-interrupted.ts";
import { describeEvent } from "../show/event-text.ts";
import { describeJob } from "../show/job-description.ts";
import { droppedPagesText } from "../show/dropped-pages.ts";
import { isFinished } from "../show/job-text.ts";
import { pageText } from "../show/page-text.ts";
import type { Style } from "../show/style.ts";

const lastLineBytes = 1_000;

export const show = defineCommand<{ readonly summary?: true }, [id: string]>({
  describe: (command) => {
    command
      .argument("<id>", "id, end of an id, or name")
      .option("--summary", "let a model summarise a running agent instead of showing the facts; costs tokens");
  },
  run: async ({ client, screen }, options, id) => {
    if (options.summary === true) {
      const answer = await client.call("job_summary", { id });
      if (options.json === true) screen.printJson(answer);
      else screen.print(escapeControls(answer.summary));
      return;
    }
    const job = await client.call("job_get", { id });
    if (options.json === true) screen.printJson(job);
    else screen.print(await describe(job, client, screen.style));
    await markSeen({ client }, [job]);
  },
});

/**
 * An analysis of a page is told in the words of the command that makes one, and not as the JSON that it is; a crawl's result says
 * first how many pages there are, and below it which were dropped.
 */
async function describe(job: AnswerOf<"job_get">, client: Client, style: Style): Promise<string> {
  const lastLine = await readLastLine(client, job);
  const analysis = job.kind === pageContract.name ? pageContract.result.safeParse(job.result).data : undefined;
  if (analysis === undefined) {
    const dropped = job.kind === crawlContract.name ? droppedPagesText(job) : "";
    return [describeJob(job, lastLine, style), dropped].filter((part) => part !== "").join("\n");
  }
  const { result: _result, ...facts } = job;
  return `${describeJob(facts, lastLine, style)}\n${pageText(analysis, style)}`;
}

async function readLastLine(client: Client, { id }: AnswerOf<"job_get">): Promise<string> {
  const { text } = await client.call("job_output", { id, tail: 1, limit: lastLineBytes });
  return lastLineOf(text);
}

const lookMs = 500;
const pageSize = 1_000;

export const events = defineCommand<{ follow?: true }, [id: string]>({
  describe: (command) => {
    command
      .argument("<id>", "id, end of an id, or name")
      .option("-f, --follow", "follow what happens until the job ends");
  },
  run: async (cli, options, id) => {
    const { screen } = cli;
    const print = (event: JobEvent): void =>
      options.json === true ? screen.printJsonLine(event) : screen.print(describeEvent(event, screen.style));
    return untilInterrupted(async (signal) => {
      for await (const event of readEvents(cli, id, options.follow === true, signal)) print(event);
      return exitCodes.done;
    });
  },
});

async function* readEvents(
  { client }: CliContext,
  id: string,
  isFollowing: boolean,
  signal: AbortSignal,
): AsyncGenerator<JobEvent> {
  let after = 0;
  for (;;) {
    // The state is read first: what a finished job has to tell is there by then.
    const job = isFollowing ? await client.call("job_get", { id }, signal) : undefined;
    let page: { events: JobEvent[] };
    do {
      page = await client.call("job_events", { id: job?.id ?? id, after, limit: pageSize }, signal);
      yield* page.events;
      after = page.events.at(-1)?.seq ?? after;
    } while (page.events.length === pageSize);
    if (job === undefined || isFinished(job)) return;
    await delay(lookMs, undefined, { signal });
  }
}
