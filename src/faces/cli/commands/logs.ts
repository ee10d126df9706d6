import { LonghaulError } from "../../../job/error.ts";
import type { JobView } from "../../../operations/job-view.ts";
import type { AnswerOf } from "../../../operations/registry.ts";
import type { CliContext } from "../cli-context.ts";
import { defineCommand } from "../command.ts";
import { exitCodes } from "../exit-code.ts";
import { followOutput, type OutputPiece } from "../follow/follow-output.ts";
import { markSeen } from "../follow/mark-seen.ts";
import { untilInterrupted } from "../follow/until-interrupted.ts";
import { readWhole } from "../options/option-values.ts";
import { isFinished, jobLabel, shortId } from "../show/job-text.ts";
import { displayWidth, padEnd } from "../show/text-width.ts";
import { escapeControls } from "../../../text/controls.ts";
import { LineBuffer } from "../../../text/line-buffer.ts";
import { countText } from "../../../text/count-text.ts";

const pageBytes = 1_000_000;

export const logs = defineCommand<LogsOptions, [ids: string[]]>({
  describe: (command) => {
    command
      .argument("[id...]", "ids, ends of ids, or names; the newest job unless given")
      .option("-f, --follow", "follow the output until the job ends")
      .option("-n, --tail <lines>", "only the last lines (with -f: of each stream)", readWhole(1, 100_000))
      .option("--grep <pattern>", "only lines that match this expression (RE2)")
      .option("--from <offset>", "start at this byte", readWhole(0, Number.MAX_SAFE_INTEGER))
      .option("--stream <stream>", "stdout or stderr alone")
      .option("--attempt <number>", "an earlier attempt", readWhole(1, 1_000));
  },
  run: async (cli, options, ids) => {
    if (options.follow === true && options.from !== undefined && options.stream === undefined) {
      throw new LonghaulError(
        "invalid_input",
        "--from counts the bytes of one stream: add --stream stdout or --stream stderr.",
      );
    }
    const jobs = ids.length === 0 ? [await findNewest(cli)] : await findAll(cli, ids);
    if (options.follow !== true) {
      for (const job of jobs) await printLogs(cli, job, options);
      await markSeen(cli, jobs);
      return exitCodes.done;
    }
    return untilInterrupted(async (signal) => {
      const ended = await Promise.all(
        jobs.map(async (job) => {
          if (!isFinished(job)) return followLogs(cli, job, { ...options, signal });
          await printLogs(cli, job, options);
          return job;
        }),
      );
      await markSeen(cli, ended);
      return exitCodes.done;
    });
  },
});

/** A job, and how its lines begin where they stand among those of others. */
type Source = JobView & { readonly prefix?: string };

async function findNewest({ client, screen }: CliContext): Promise<Source> {
  const [newest] = (await client.call("job_list", { limit: 1 })).jobs;
  if (newest === undefined) {
    throw new LonghaulError("not_found", "There is no job yet: start one with longhaul run -- COMMAND");
  }
  screen.note(screen.noteStyle.dim(`job ${jobLabel(newest)}`));
  return newest;
}

async function findAll({ client }: CliContext, ids: readonly string[]): Promise<Source[]> {
  const jobs = await Promise.all(ids.map((id) => client.call("job_get", { id })));
  if (jobs.length === 1) return jobs;
  const labels = jobs.map(({ id, name }) => (name === undefined ? shortId(id) : escapeControls(name)));
  const width = Math.max(...labels.map(displayWidth));
  return jobs.map((job, index) => ({ ...job, prefix: `${padEnd(labels[index] ?? "", width)} | ` }));
}

async function printLogs(
  { client, screen }: CliContext,
  job: Source,
  options: LogsOptions & { json?: true },
): Promise<void> {
  const { id } = job;
  const { tail, grep, stream, attempt } = options;
  const request = { id, limit: pageBytes, tail, grep, stream, attempt, from: options.from };
  if (options.json === true) {
    const answer = await client.call("job_output", request);
    if (options.follow === true || job.prefix !== undefined) screen.printJsonLine(answer);
    else screen.printJson(answer);
    return;
  }
  const { write, end } = openWriter(screen, job);
  let from = options.from ?? 0;
  let size: number | undefined;
  for (;;) {
    const part = tail === undefined ? { from } : {};
    const answer = await client.call("job_output", { ...request, ...part, encoding: "base64" });
    const isCut = tail === undefined && grep === undefined && answer.from > from && answer.text !== "";
    if (isCut) screen.note(screen.noteStyle.dim(`… ${countText(answer.from - from, "byte")} dropped here …`));
    await write(Buffer.from(answer.text, "base64"));
    tellUnshown(screen, answer);
    // What a running job writes while this is printed is left for the next time: it may write faster than we do.
    size ??= answer.size;
    from = answer.next;
    if (tail !== undefined || grep !== undefined || from >= size) return end();
  }
}

interface LogsWriter {
  readonly write: (bytes: Uint8Array) => Promise<void>;
  /** Nothing more comes: a last line without an end is written, too. */
  readonly end: () => Promise<void>;
}

function openWriter(screen: CliContext["screen"], { kind, prefix }: Source): LogsWriter {
  const pass = screen.writer(kind);
  if (prefix === undefined) return { write: (bytes) => pass("stdout", bytes), end: async () => undefined };
  const lines = new LineBuffer();
  const put = async (texts: readonly string[]): Promise<void> => {
    if (texts.length > 0) await pass("stdout", Buffer.from(texts.map((text) => `${prefix}${text}\n`).join("")));
  };
  return { write: (bytes) => put(lines.push(bytes)), end: () => put(lines.rest === "" ? [] : [lines.rest]) };
}

/** Matching lines beyond what one answer holds are counted, not returned. */
function tellUnshown(screen: CliContext["screen"], { matches, note, text }: AnswerOf<"job_output">): void {
  if (matches === undefined) return;
  if (note !== undefined) screen.note(`… ${note} …`);
  const shown = Buffer.from(text, "base64").toString().split("\n").length - 1;
  if (matches > shown)
    screen.note(
      `… ${countText(matches - shown, "more line matches", "more lines match")}; a narrower pattern shows ${matches - shown === 1 ? "it" : "them"}.`,
    );
}

interface LogsOptions {
  readonly follow?: true;
  readonly tail?: number;
  readonly grep?: string;
  readonly from?: number;
  readonly stream?: string;
  readonly attempt?: number;
}

const tailBytes = 1_000_000;

/** Prints a running job's output as it comes, until the job ends or the signal. */
async function followLogs(
  cli: CliContext,
  job: Source,
  options: LogsOptions & { json?: true; signal: AbortSignal },
): Promise<JobView> {
  const { client } = cli;
  // Pieces of JSON say which stream they are from; for a reader, the order in which things were written counts.
  const all = options.json === true ? ["stdout", "stderr"] : ["merged"];
  const streams = options.stream === undefined ? all : [options.stream];
  const attempt = options.attempt ?? job.attempt;
  const { write: writeBytes, end } = openWriter(cli.screen, job);
  const write = options.json === true ? jsonLines(cli, job.id) : plainBytes(cli, writeBytes);
  const starts = new Map<string, number>();
  for (const stream of streams) {
    starts.set(stream, options.from ?? (await writeTail(cli, { id: job.id, stream, attempt }, options, write)));
  }
  const ended = await followOutput({
    client,
    id: job.id,
    attempt,
    isOneAttempt: options.attempt !== undefined,
    streams,
    from: (stream) => starts.get(stream) ?? 0,
    grep: options.grep,
    signal: options.signal,
    write,
    note: (text) => cli.screen.note(`… ${text} …`),
  });
  await end();
  return ended;
}

type Write = (piece: OutputPiece) => Promise<void>;

/** Writes the last lines, if they are wanted, and answers where to go on. */
async function writeTail(
  { client }: CliContext,
  target: { id: string; stream: string; attempt: number },
  { tail, grep }: LogsOptions,
  write: Write,
): Promise<number> {
  if (tail === undefined) return 0;
  const request = { ...target, tail, limit: tailBytes, encoding: "base64" as const, grep };
  const { text, from, next } = await client.call("job_output", request);
  const { stream, attempt } = target;
  if (text !== "") await write({ stream, attempt, bytes: Buffer.from(text, "base64"), from, next, missing: 0 });
  return next;
}

function plainBytes({ screen }: CliContext, write: LogsWriter["write"]): Write {
  return async ({ bytes, missing }) => {
    if (missing > 0) screen.note(screen.noteStyle.dim(`… ${countText(missing, "byte")} dropped here …`));
    await write(bytes);
  };
}

/** Characters that were cut in two by the end of a piece are put together again. */
function jsonLines({ screen }: CliContext, id: string): Write {
  const decoders = new Map<string, InstanceType<typeof globalThis.TextDecoder>>();
  return async ({ stream, attempt, bytes, from, next }) => {
    const key = `${stream}.${attempt}`;
    const decoder = decoders.get(key) ?? new globalThis.TextDecoder();
    decoders.set(key, decoder);
    screen.printJsonLine({ id, attempt, stream, text: decoder.decode(bytes, { stream: true }), from, next });
  };
}
