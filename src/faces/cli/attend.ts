import type { JobView } from "../../operations/job-view.ts";
import { LineBuffer } from "../../text/line-buffer.ts";
import { exitCodes, jobExitCode } from "./exit-code.ts";
import { followOutput } from "./follow-output.ts";
import type { Front } from "./front.ts";
import { listenForInterrupt } from "./interrupt.ts";
import { jobLabel, outcomeText, shortId } from "./job-text.ts";
import { LiveLine } from "./live-line.ts";
import { liveText } from "./live-text.ts";
import { NotesInOrder, type Note } from "./notes-in-order.ts";
import { OutputPlace } from "./output-place.ts";
import { repeatEvery } from "./repeat.ts";
import { waitForEnd } from "./wait-for-end.ts";

const lookMs = 1_000;

export interface AttendOptions {
  readonly isPty: boolean;
  /** A stream of lines that are told to whoever looks on, in words of their own; never in a pipe. */
  readonly aside?: { readonly stream: string; readonly tell: (line: string) => Note | undefined };
}

/** Stays with a job until it ends: passes its output on, shows where it is, and answers with its exit code. */
export async function attend(front: Front, job: JobView, options: AttendOptions): Promise<number> {
  const { client, screen } = front;
  const { terminal } = screen;
  const interrupt = listenForInterrupt();
  const line = new LiveLine(terminal.err.isTerminal && !options.isPty, terminal.columns);
  const place = new OutputPlace(screen, line);
  if (terminal.err.isTerminal) screen.note(screen.noteStyle.dim(`job ${jobLabel(job)}`));
  const aside = terminal.err.isTerminal ? options.aside : undefined;
  const lines = new LineBuffer();
  const notes = new NotesInOrder(place);
  const stopLooking = line.isOn ? showState(front, job.id, place) : () => undefined;
  try {
    const ended = await followOutput({
      client,
      id: job.id,
      attempt: job.attempt,
      streams: ["stdout", "stderr", ...(aside === undefined ? [] : [aside.stream])],
      signal: interrupt.signal,
      write: async (piece) => {
        if (piece.stream !== aside?.stream) {
          await (piece.stream === "stdout" ? notes : place).write(piece);
          return;
        }
        for (const told of lines.push(piece.bytes)) {
          const note = aside.tell(told);
          if (note !== undefined) notes.add({ ...note, text: screen.noteStyle.dim(note.text) });
        }
      },
    });
    notes.end();
    stopLooking();
    tellEnd(front, ended, place);
    return jobExitCode(ended);
  } catch (error) {
    stopLooking();
    if (!interrupt.signal.aborted) throw error;
    place.note(goesOn(job));
    return exitCodes.interrupted;
  } finally {
    interrupt.stop();
  }
}

/** The same without a word until the end, which is told as JSON. */
export async function attendSilently({ client, screen }: Front, job: JobView): Promise<number> {
  const interrupt = listenForInterrupt();
  try {
    const ended = await waitForEnd(client, job.id, interrupt.signal);
    screen.printJson(ended);
    return jobExitCode(ended);
  } catch (error) {
    if (!interrupt.signal.aborted) throw error;
    screen.note(goesOn(job));
    return exitCodes.interrupted;
  } finally {
    interrupt.stop();
  }
}

function goesOn(job: JobView): string {
  const id = shortId(job.id);
  return `Job ${jobLabel(job)} goes on. See it: longhaul logs -f ${id}   End it: longhaul cancel ${id}`;
}

function showState({ client, screen }: Front, id: string, place: OutputPlace): () => void {
  const stop = repeatEvery(lookMs, async (signal) => {
    const job = await client.call<JobView>("job_get", { id }, signal);
    if (!signal.aborted) place.show(liveText(job), screen.noteStyle.dim);
  });
  return () => {
    stop();
    place.clear();
  };
}

/** In a pipe the command speaks for itself, unless its exit code does not say how it ended. */
function tellEnd({ screen }: Front, job: JobView, place: OutputPlace): void {
  const { noteStyle, terminal } = screen;
  const isPlainExit = job.state === "succeeded" || job.error?.code === "exit_code";
  if (isPlainExit && !terminal.err.isTerminal) return;
  const mark = job.state === "succeeded" ? noteStyle.green("✓") : noteStyle.red("✗");
  place.note(`${mark} ${jobLabel(job)} ${outcomeText(job)}`);
}
