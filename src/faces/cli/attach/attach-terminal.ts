import { setTimeout as delay } from "node:timers/promises";
import { LonghaulError } from "../../../job/error.ts";
import type { AnswerOf } from "../../../operations/registry.ts";
import type { CliContext } from "../cli-context.ts";
import { followOutput } from "../follow/follow-output.ts";
import type { Target } from "../follow/piped-input.ts";
import { jobLabel } from "../show/job-text.ts";
import { Keyboard, leaveKeys } from "./keyboard.ts";
import { openRawTerminal, windowSize } from "./raw-terminal.ts";
import { TerminalModes } from "./terminal-modes.ts";

type Attached = Pick<AnswerOf<"job_get">, "id" | "name" | "attempt">;

/** The terminal of this program is the job's until the job ends, which is answered with, or somebody leaves it. */
export async function attachTerminal(cli: CliContext, job: Attached): Promise<AnswerOf<"job_get"> | undefined> {
  const { client, screen } = cli;
  screen.note(screen.noteStyle.dim(`job ${jobLabel(job)} · ${leaveKeys} leaves it running`));
  const controller = new AbortController();
  const { signal } = controller;
  const modes = new TerminalModes();
  const target: Target = { client, id: job.id, signal };
  const keyboard = new Keyboard(target, () => controller.abort());
  const fit = (): void => void resize(target, windowSize()).catch(() => undefined);
  const terminal = openRawTerminal({
    onKeys: (bytes) => keyboard.type(bytes),
    onResize: fit,
    onSignal: () => controller.abort(),
    leave: () => modes.leave(),
  });
  try {
    const from = await showRecent(target, job.attempt, modes, terminal.write);
    fit();
    // A full-screen program draws all that is on its screen, when it is told that its window has changed.
    if (modes.isFullScreen) void resize(target, undefined).catch(() => undefined);
    const write = async ({ bytes }: { readonly bytes: Uint8Array }): Promise<void> => {
      modes.note(bytes);
      await terminal.write(bytes);
    };
    return await followOutput({ ...target, attempt: job.attempt, streams: ["stdout"], from: () => from, write });
  } catch (error) {
    if (signal.aborted) return undefined;
    throw error;
  } finally {
    controller.abort();
    keyboard.close();
    terminal.close();
  }
}

const retryMs = 100;

/** Waits for a job that has not begun. */
async function resize({ client, id, signal }: Target, size: ReturnType<typeof windowSize> | undefined): Promise<void> {
  for (;;) {
    try {
      await client.call("job_resize", { id, ...size }, signal);
      return;
    } catch (error) {
      if (!(error instanceof LonghaulError) || error.code !== "conflict") throw error;
    }
    const { state, live } = await client.call("job_get", { id }, signal);
    if (live !== undefined || (state !== "queued" && state !== "running")) return;
    await delay(retryMs, undefined, { signal });
  }
}

const pageBytes = 1_000_000;
/** As far back as is looked for what a program has made of its terminal. */
const historyBytes = 8_000_000;

/** Shows the last lines that were written, or the program's own screen, and answers where to read on. */
async function showRecent(
  { client, id, signal }: Target,
  attempt: number,
  modes: TerminalModes,
  write: (bytes: Uint8Array) => Promise<void>,
): Promise<number> {
  const request = { id, attempt, stream: "stdout", limit: pageBytes, encoding: "base64" as const };
  const { size } = await client.call("job_output", { ...request, limit: 1 }, signal);
  let recent: Buffer = Buffer.alloc(0);
  let from = Math.max(0, size - historyBytes);
  while (from < size) {
    const page = await client.call("job_output", { ...request, from }, signal);
    const bytes = Buffer.from(page.text, "base64");
    modes.note(bytes);
    recent = lastLines(Buffer.concat([recent, bytes]), windowSize().rows - 1);
    from = page.next;
  }
  await write(Buffer.from(modes.enter()));
  if (!modes.isFullScreen) await write(recent);
  return from;
}

function lastLines(bytes: Buffer, count: number): Buffer {
  let start = bytes.length;
  for (let lines = 0; start > 0 && lines <= count; lines++) start = bytes.lastIndexOf(0x0a, start - 1);
  return Buffer.from(bytes.subarray(start + 1).subarray(-recentBytes));
}

const recentBytes = 64_000;
