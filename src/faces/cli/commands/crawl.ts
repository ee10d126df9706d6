import { randomUUID } from "node:crypto";
import type { Command } from "commander";
import { defined } from "../../../job/defined.ts";
import type { JobView } from "../../../operations/job-view.ts";
import type { JobAnswer } from "../answers.ts";
import { attendSilently } from "../attend.ts";
import { defineCommand } from "../command.ts";
import {
  addPageOptions,
  addSiteOptions,
  toPageRequest,
  toSiteRequest,
  type PageOptions,
  type SiteOptions,
} from "../crawl-options.ts";
import { exitCodes, jobExitCode } from "../exit-code.ts";
import { followPages } from "../follow-pages.ts";
import type { Front } from "../front.ts";
import { listenForInterrupt } from "../interrupt.ts";
import { jobLabel, outcomeText, runningTime, shortId, stateText } from "../job-text.ts";
import { LiveLine } from "../live-line.ts";
import { liveText } from "../live-text.ts";
import { readWhole } from "../option-values.ts";
import { openPageFiles, type CrawledPage } from "../page-files.ts";
import { repeatEvery } from "../repeat.ts";
import { escapeControls } from "../text-width.ts";

interface CrawlOptions extends SiteOptions, PageOptions {
  readonly maxPages?: number;
  readonly out?: string;
  readonly html?: true;
  readonly prompt?: string;
  readonly detach?: true;
}

export const crawl = defineCommand<CrawlOptions, [urls: string[]]>({
  describe,
  run: async (front, options, urls) => {
    const { client, screen } = front;
    const fields = [
      "markdown",
      ...(options.out === undefined ? [] : ["links", "metadata"]),
      ...(options.html === true ? ["html"] : []),
    ];
    const job = await client.call<JobView>("crawl_site", {
      urls,
      fields,
      idempotency_key: randomUUID(),
      ...toSiteRequest(options),
      ...toPageRequest(options),
      ...defined({ max_pages: options.maxPages, prompt: options.prompt }),
    });
    if (options.detach === true) {
      if (options.json === true) screen.printJson(job);
      else screen.print(job.id);
      return undefined;
    }
    if (options.json === true && options.out === undefined) return attendSilently(front, job);
    return attendCrawl(front, job, options, fields);
  },
});

function describe(command: Command): void {
  addPageOptions(addSiteOptions(command.argument("<url...>", "where to start")))
    .option("--max-pages <number>", "most pages to keep (100 unless given)", readWhole(1, 1_000_000))
    .option("--out <place>", "a folder for Markdown files, or a file ….jsonl; without it the pages are listed")
    .option("--prompt <text>", "data to extract, in words for a language model")
    .option("--html", "keep the HTML too")
    .option("-d, --detach", "print the id and do not wait")
    .addHelpText("after", "\nCtrl-C leaves the crawl running.");
}

/** Stays with a crawl until it ends: lists or keeps its pages as they come, and shows where it is. */
async function attendCrawl(
  { client, screen }: Front,
  job: JobView,
  { out, json }: CrawlOptions & { readonly json?: true },
  fields: readonly string[],
): Promise<number> {
  const interrupt = listenForInterrupt();
  const line = new LiveLine(screen.terminal.err.isTerminal, screen.terminal.columns);
  const keep = out === undefined ? undefined : openPageFiles(out);
  const onPage = (page: CrawledPage): void => {
    if (keep !== undefined) return keep(page);
    line.clear();
    screen.print(escapeControls(`${page.url}  ${page.title ?? ""}`.trimEnd()));
  };
  const stopLooking = line.isOn ? showState(client, job.id, line, screen.noteStyle.dim) : () => undefined;
  const wanted = [
    "url",
    "title",
    ...(keep === undefined
      ? []
      : ["description", "language", "status", "data", "missing", "is_valid", "model_error", ...fields]),
  ];
  try {
    await followPages(client, { id: job.id, fields: wanted, signal: interrupt.signal }, onPage);
    stopLooking();
    const ended = await client.call<JobAnswer>("job_get", { id: job.id });
    if (json === true) screen.printJson(ended);
    else screen.note(summary(ended, out));
    return jobExitCode(ended);
  } catch (error) {
    stopLooking();
    if (!interrupt.signal.aborted) throw error;
    const id = shortId(job.id);
    screen.note(`Job ${jobLabel(job)} goes on. See it: longhaul show ${id}   End it: longhaul cancel ${id}`);
    return exitCodes.interrupted;
  } finally {
    interrupt.stop();
  }
}

function showState(client: Front["client"], id: string, line: LiveLine, paint: (text: string) => string): () => void {
  const stop = repeatEvery(500, async (signal) => {
    const job = await client.call<JobView>("job_get", { id }, signal);
    if (!signal.aborted) line.show(liveText(job), paint);
  });
  return () => {
    stop();
    line.clear();
  };
}

interface CrawlDigest {
  readonly pages?: number;
  readonly failed?: number;
  readonly duplicates?: Readonly<Record<string, number>>;
  readonly skipped?: { readonly robots?: number };
}

function summary(job: JobAnswer, out: string | undefined): string {
  const { pages = 0, failed = 0, duplicates = {}, skipped = {} } = (job.result ?? {}) as CrawlDigest;
  const twins = Object.values(duplicates).reduce((sum, count) => sum + count, 0);
  const parts = [
    `${pages} ${pages === 1 ? "page" : "pages"}`,
    failed > 0 ? `${failed} failed` : "",
    twins > 0 ? `${twins} ${twins === 1 ? "duplicate" : "duplicates"}` : "",
    (skipped.robots ?? 0) > 0 ? `${skipped.robots} not allowed by robots.txt` : "",
    out === undefined ? "" : `in ${out}`,
  ];
  if (job.state !== "succeeded") return `${jobLabel(job)} ${outcomeText(job)}`;
  return `${jobLabel(job)} ${stateText(job)} after ${runningTime(job)}: ${parts.filter((part) => part !== "").join(", ")}`;
}
