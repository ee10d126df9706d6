import type { JobView } from "../../../operations/job-view.ts";
import { LineBuffer } from "../../../text/line-buffer.ts";
import type { AnswerOf } from "../../../operations/registry.ts";
import type { CliContext } from "../cli-context.ts";
import { exitCodes, jobExitCode } from "../exit-code.ts";
import { jobLabel, liveText, outcomeText, shortId } from "../show/job-text.ts";
import { followOutput } from "./follow-output.ts";
import { InterleavedNotes, type Note } from "./interleaved-notes.ts";
import { keepShowing, LiveLine } from "./live-line.ts";
import { markSeen } from "./mark-seen.ts";
import { waitingText } from "./show-waiting.ts";
import { TerminalWriter } from "./terminal-writer.ts";
import { watchQuestions } from "./watch-questions.ts";
import { untilInterrupted } from "./until-interrupted.ts";

export interface FollowJobOptions {
  /** Only the id, and no waiting. */
  readonly detach?: true;
  /** Not a word until the end, which is told as JSON. */
  readonly json?: true;
  /** Passes on what the job writes, as it comes; in a pipe that, and the exit code, say it all. */
  readonly output?: PassedOutput;
  /** Hands over what else comes of the job, until it ends. `makeRoom` is to be called before something is printed. */
  readonly read?: (signal: AbortSignal, makeRoom: () => void) => Promise<void>;
  /** Tells what came of a job that has succeeded. */
  readonly onSuccess?: (job: AnswerOf<"job_get">) => void | Promise<void>;
}

export interface PassedOutput {
  /** The terminal is the job's: no live line. */
  readonly isPty?: boolean;
  /** A stream of lines that are told to whoever looks on, in words of their own; never in a pipe. */
  readonly aside?: { readonly stream: string; readonly tell: (line: string) => Note | undefined };
}

const sliceMs = 60_000;

/** Stays with a job that was just started until it ends: shows where it is and what comes of it, and answers with its exit code. */
export async function followJob(cli: CliContext, job: JobView, options: FollowJobOptions): Promise<number> {
  if (options.detach === true) return tellStarted(cli, job, options.json === true);
  const { client, screen } = cli;
  const { err, columns } = screen.terminal;
  const output = options.json === true ? undefined : options.output;
  const isLive = err.isTerminal && options.json !== true && output?.isPty !== true;
  const writer = new TerminalWriter(screen, new LiveLine(isLive, columns), job.kind);
  if (output !== undefined && err.isTerminal) screen.note(screen.noteStyle.dim(`job ${jobLabel(job)}`));
  const stopShowing = keepShowing(writer, screen.noteStyle.dim, async (signal) =>
    output === undefined
      ? waitingText(client, [job.id], signal)
      : liveText(await client.call("job_get", { id: job.id }, signal)),
  );
  const readToEnd = async (signal: AbortSignal): Promise<AnswerOf<"job_get">> => {
    if (output !== undefined) return passOutput(cli, job, output, { writer, signal });
    await options.read?.(signal, () => writer.clear());
    return waitForEnd(cli, job.id, signal);
  };
  const leave = (): void => writer.note(goesOn(job, options.output === undefined ? "show" : "logs -f"));
  return untilInterrupted(async (signal) => {
    const isOver = new AbortController();
    const asking = { cli, id: job.id, writer, signal: AbortSignal.any([signal, isOver.signal]) };
    if (options.json !== true) watchQuestions(asking).catch(() => undefined);
    const ended = await readToEnd(signal).finally(() => {
      isOver.abort();
      stopShowing();
    });
    if (options.json === true) screen.printJson({ ...ended, ...(await readOutput(cli, ended, options, signal)) });
    else {
      tellEnd(cli, ended, writer, output !== undefined);
      if (ended.state === "succeeded") await options.onSuccess?.(ended);
    }
    await markSeen(cli, [ended]);
    return jobExitCode(ended);
  }, leave);
}

function tellStarted({ screen }: CliContext, job: JobView, isJson: boolean): number {
  if (isJson) screen.printJson(job);
  else screen.print(job.id);
  if (screen.terminal.out.isTerminal) {
    screen.note(screen.noteStyle.dim(`follow it: longhaul logs -f ${shortId(job.id)}`));
  }
  return exitCodes.done;
}

async function passOutput(
  { client, screen }: CliContext,
  job: JobView,
  output: PassedOutput,
  { writer, signal }: { readonly writer: TerminalWriter; readonly signal: AbortSignal },
): Promise<AnswerOf<"job_get">> {
  const aside = screen.terminal.err.isTerminal ? output.aside : undefined;
  const lines = new LineBuffer();
  const notes = new InterleavedNotes(writer);
  const ended = await followOutput({
    client,
    id: job.id,
    attempt: job.attempt,
    streams: ["stdout", "stderr", ...(aside === undefined ? [] : [aside.stream])],
    signal,
    write: async (piece) => {
      if (piece.stream !== aside?.stream) {
        await (piece.stream === "stdout" ? notes : writer).write(piece);
        return;
      }
      for (const told of lines.push(piece.bytes)) {
        const note = aside.tell(told);
        if (note !== undefined) notes.add({ ...note, text: screen.noteStyle.dim(note.text) });
      }
    },
  });
  notes.end();
  return ended;
}

async function waitForEnd({ client }: CliContext, id: string, signal: AbortSignal): Promise<AnswerOf<"job_get">> {
  const request = { ids: [id], timeout_ms: sliceMs };
  while (!(await client.call("job_wait", request, signal)).reached);
  return client.call("job_get", { id }, signal);
}

const maxJsonBytes = 1_000_000;

/** What the job wrote, where a person would have been shown it; of a long stream its end. */
async function readOutput(
  { client }: CliContext,
  { id }: JobView,
  { output }: FollowJobOptions,
  signal: AbortSignal,
): Promise<{ output?: Record<string, string>; output_cut?: number }> {
  if (output === undefined) return {};
  let cut = 0;
  const read = async (stream: string): Promise<string> => {
    const { size } = await client.call("job_output", { id, stream, limit: 1 }, signal);
    const from = Math.max(0, size - maxJsonBytes);
    const { text, from: begins } = await client.call("job_output", { id, stream, from, limit: maxJsonBytes }, signal);
    cut += begins;
    return text;
  };
  const told = { stdout: await read("stdout"), stderr: await read("stderr") };
  return { output: told, ...(cut === 0 ? {} : { output_cut: cut }) };
}

export function goesOn(job: Pick<JobView, "id" | "name">, see: string): string {
  const id = shortId(job.id);
  return `Job ${jobLabel(job)} goes on. See it: longhaul ${see} ${id}   End it: longhaul cancel ${id}`;
}

/** What the output in a pipe and the exit code say, and what a result says, is not told twice. */
function tellEnd({ screen }: CliContext, job: JobView, writer: TerminalWriter, hasOutput: boolean): void {
  const isSuccess = job.state === "succeeded";
  const isPlainExit = isSuccess || job.error?.code === "exit_code";
  if (hasOutput ? isPlainExit && !screen.terminal.err.isTerminal : isSuccess) return;
  writer.note(endText(screen, job));
}

export function endText({ noteStyle }: CliContext["screen"], job: JobView): string {
  return `${job.state === "succeeded" ? noteStyle.green("✓") : noteStyle.red("✗")} ${jobLabel(job)} ${outcomeText(job)}`;
}
