import { messageOf } from "../../../job/failure.ts";
import { isRecord } from "../../../job/is-record.ts";
import type { AnswerOf } from "../../../operations/registry.ts";
import type { CliContext } from "../cli-context.ts";
import { followOutput } from "../follow/follow-output.ts";
import { LiveLine } from "../follow/live-line.ts";
import { TerminalWriter } from "../follow/terminal-writer.ts";
import { jobLabel } from "../show/job-text.ts";

const recentLines = 20;

/** Follows a job that has no terminal, and sends it the lines that are typed, until it ends or Ctrl-C, which leaves it running. */
export async function attachLines(cli: CliContext, job: AnswerOf<"job_get">): Promise<AnswerOf<"job_get"> | undefined> {
  const { client, screen } = cli;
  const writer = new TerminalWriter(screen, new LiveLine(false, screen.terminal.columns), job.kind);
  writer.note(
    screen.noteStyle.dim(
      `job ${jobLabel(job)} has no terminal: lines that you type are sent to it · Ctrl-C leaves it running`,
    ),
  );
  const controller = new AbortController();
  const { signal } = controller;
  const leave = (): void => controller.abort();
  process.once("SIGINT", leave);
  const stopTyping = sendLines(cli, job, (text) => writer.note(text));
  try {
    const { id, attempt } = job;
    const recent = { id, attempt, tail: recentLines, limit: 64_000, encoding: "base64" as const };
    const { text, from, next } = await client.call("job_output", recent, signal);
    const bytes = Buffer.from(text, "base64");
    await writer.write({ stream: "merged", attempt, bytes, from, next, missing: 0 });
    const write = writer.write.bind(writer);
    return await followOutput({ client, id, attempt, streams: ["merged"], from: () => next, signal, write });
  } catch (error) {
    if (signal.aborted) return undefined;
    throw error;
  } finally {
    process.off("SIGINT", leave);
    stopTyping();
  }
}

/** One after the other; the end of the input (Ctrl-D) is passed on where the job's input can end. */
function sendLines(
  { client }: CliContext,
  { id, input }: AnswerOf<"job_get">,
  tell: (text: string) => void,
): () => void {
  let last: Promise<unknown> = Promise.resolve();
  const send = (what: { text: string } | { end: true }): void => {
    last = last
      .then(() => client.call("job_send", { id, newline: false, ...what }))
      .catch((error: unknown) => tell(`Not sent: ${messageOf(error)}`));
  };
  const onData = (bytes: Buffer): void => send({ text: bytes.toString() });
  const onEnd = (): void => {
    if (isRecord(input) && input["stream_stdin"] === true) send({ end: true });
  };
  process.stdin.on("data", onData).once("end", onEnd);
  return () => {
    process.stdin.off("data", onData).off("end", onEnd);
    process.stdin.pause();
    process.stdin.unref();
  };
}
