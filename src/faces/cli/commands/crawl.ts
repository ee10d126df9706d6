import { Option, type Command } from "commander";
import { randomUUID } from "node:crypto";
import type { Json } from "../../../job/json.ts";
import type { JobView } from "../../../operations/job-view.ts";
import { escapeControls } from "../../../text/controls.ts";
import type { Client } from "../../door/local-client.ts";
import type { AnswerOf, InputOf } from "../../../operations/registry.ts";
import type { CliContext } from "../cli-context.ts";
import { defineCommand } from "../command.ts";
import { followJob, type FollowJobOptions } from "../follow/follow-job.ts";
import {
  addPageOptions,
  addSiteOptions,
  renderOption,
  toPageRequest,
  toSiteRequest,
  type PageOptions,
  type SiteOptions,
} from "../options/crawl-options.ts";
import { addNotifyOptions, toNotifyRequest, type NotifyOptions } from "../options/notify-options.ts";
import { readWhole } from "../options/option-values.ts";
import { jobLabel, runningTime, shortId, stateText } from "../show/job-text.ts";
import { openPageFiles, type CrawledPage } from "../show/page-files.ts";
import { countText } from "../../../text/count-text.ts";

interface CrawlOptions extends SiteOptions, PageOptions, NotifyOptions {
  readonly maxPages?: number;
  readonly out?: string;
  readonly html?: true;
  readonly prompt?: string;
  readonly duplicates?: InputOf<"crawl_site">["duplicates"];
  readonly nearDuplicates?: InputOf<"crawl_site">["near_duplicates"];
  readonly detach?: true;
}

export const crawl = defineCommand<CrawlOptions, [urls: string[]]>({
  describe,
  run: async (cli, options, urls) => {
    const { client, screen } = cli;
    const fields: NonNullable<InputOf<"crawl_site">["fields"]> = ["markdown"];
    if (options.out !== undefined) fields.push("links", "metadata");
    if (options.html === true) fields.push("html");
    const job = await client.call("crawl_site", {
      urls,
      fields,
      idempotency_key: randomUUID(),
      ...toSiteRequest(options),
      ...toPageRequest(options),
      max_pages: options.maxPages,
      prompt: options.prompt,
      duplicates: options.duplicates,
      near_duplicates: options.nearDuplicates,
      ...toNotifyRequest(options),
    });
    const { detach, json, out } = options;
    return followJob(cli, job, {
      detach,
      json,
      // As JSON its end is told alone, unless its pages are kept as well.
      ...(json === true && out === undefined ? {} : { read: readPages(cli, job, out, fields) }),
      onSuccess: (ended) => screen.note(summary(ended, out)),
    });
  },
});

const dropOrKeep = ["drop", "keep"];

function describe(command: Command): void {
  addPageOptions(addSiteOptions(command.argument("<url...>", "where to start")))
    .option("--max-pages <number>", "maximum number of pages to keep (100 unless given)", readWhole(1, 1_000_000))
    .option("--out <place>", "a folder for Markdown files, or a file ….jsonl; without it the pages are listed")
    .option("--prompt <text>", "data to extract, in words for a language model")
    .option("--html", "keep the HTML too")
    .addOption(new Option("--duplicates <what>", "pages that say the same (dropped unless given)").choices(dropOrKeep))
    .addOption(
      new Option("--near-duplicates <what>", "pages that differ in next to nothing (dropped unless given)").choices(
        dropOrKeep,
      ),
    )
    .option("-d, --detach", "print the id and do not wait")
    .addHelpText("after", "\nCtrl-C leaves the crawl running.");
  addNotifyOptions(command);
}

type PageFields = NonNullable<InputOf<"crawl_pages">["fields"]>;

/** Lists a crawl's pages as they come, or keeps them in files. */
function readPages(
  { client, screen }: CliContext,
  { id }: JobView,
  out: string | undefined,
  fields: PageFields,
): NonNullable<FollowJobOptions["read"]> {
  if (out === undefined) {
    return (signal, makeRoom) =>
      followPages(client, { id, fields: ["url", "title", "note"], signal }, ({ url, title = "", note }) => {
        makeRoom();
        const mark = note === undefined ? "" : "(not rendered)";
        screen.print(escapeControls(`${url}  ${title} ${mark}`.trimEnd()));
      });
  }
  const kept: PageFields = [
    "url",
    "title",
    "description",
    "language",
    "status",
    "data",
    "missing",
    "is_valid",
    "model_error",
    "read_by",
    "note",
  ];
  return (signal) => followPages(client, { id, fields: [...kept, ...fields], signal }, openPageFiles(out));
}

interface CrawlDigest {
  readonly pages?: number;
  readonly rendered?: number;
  readonly not_rendered?: number;
  readonly failed?: number;
  readonly duplicates?: { readonly exact?: number; readonly near?: number; readonly canonical?: number };
  readonly skipped?: { readonly robots?: number };
}

function summary(job: AnswerOf<"job_get">, out: string | undefined): string {
  const {
    pages = 0,
    rendered = 0,
    not_rendered: unread = 0,
    failed = 0,
    duplicates = {},
    skipped = {},
  } = (job.result ?? {}) as CrawlDigest;
  const { exact = 0, near = 0, canonical = 0 } = duplicates;
  const twins = exact + near + canonical;
  const parts = [
    countText(pages, "page"),
    rendered > 0 ? `${rendered} read in the browser` : "",
    unread > 0 ? `${unread} made by scripts and not rendered` : "",
    failed > 0 ? `${failed} failed` : "",
    twins > 0 ? `${countText(twins, "duplicate")} dropped (longhaul show ${shortId(job.id)} lists them)` : "",
    (skipped.robots ?? 0) > 0 ? `${skipped.robots} not allowed by robots.txt` : "",
    out === undefined ? "" : `in ${out}`,
  ];
  return `${jobLabel(job)} ${stateText(job)} after ${runningTime(job)}: ${parts.filter((part) => part !== "").join(", ")}`;
}

interface MapOptions extends SiteOptions, Pick<PageOptions, "render"> {
  readonly maxUrls?: number;
  readonly search?: string;
}

export const map = defineCommand<MapOptions, [url: string]>({
  describe: (command) => {
    addSiteOptions(command.argument("<url>", "the website"))
      .option("--max-urls <number>", "maximum number of URLs to list (1000 unless given)", readWhole(1, 20_000))
      .option("--search <words>", "only URLs or titles that contain these words")
      .addOption(renderOption());
  },
  run: async (cli, options, url) => {
    const { maxUrls, search, render } = options;
    const request = {
      url,
      idempotency_key: randomUUID(),
      ...toSiteRequest(options),
      max_urls: maxUrls,
      search,
      render,
    };
    const job = await cli.client.call("map_site", request);
    const onSuccess = ({ result }: AnswerOf<"job_get">): void => {
      const { urls } = result as { urls: { url: string }[] };
      for (const found of urls) cli.screen.print(escapeControls(found.url));
    };
    return followJob(cli, job, { json: options.json, onSuccess });
  },
});

export const markdown = defineCommand<PageOptions, [url: string]>({
  describe: (command) => {
    addPageOptions(command.argument("<url>", "the page"));
  },
  run: async (cli, options, url) => {
    const request = { url, idempotency_key: randomUUID(), ...toPageRequest(options) };
    const job = await cli.client.call("page_markdown", request);
    const onSuccess = ({ result }: AnswerOf<"job_get">): void => {
      const page = result as { markdown: string; data?: Json; note?: string };
      if (page.note !== undefined) cli.screen.note(escapeControls(page.note));
      if (page.data === undefined) cli.screen.printData(page.markdown);
      else cli.screen.printJson(page.data);
    };
    return followJob(cli, job, { json: options.json, onSuccess });
  },
});

const sliceMs = 5_000;

/** Hands over a crawl's pages as they come, until it has ended. */
async function followPages(
  client: Client,
  request: { readonly id: string; readonly fields: PageFields; readonly signal: AbortSignal },
  onPage: (page: CrawledPage) => void,
): Promise<void> {
  const { id, fields, signal } = request;
  for (let cursor = 0; ;) {
    const call = { id, fields, cursor, limit: 200, wait_ms: sliceMs };
    const answer = await client.call("crawl_pages", call, signal);
    answer.pages.forEach((page) => onPage(page));
    cursor = answer.next;
    if (answer.is_complete) return;
  }
}
