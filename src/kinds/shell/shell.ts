import type { z } from "zod";
import { LonghaulError } from "../../job/error.ts";
import { JobFailure } from "../../job/failure.ts";
import { defineKind, type JobContext, type Kind, type StopCause } from "../../job/kind.ts";
import { compilePattern } from "../../text/pattern.ts";
import type { Redactor } from "../../text/redact.ts";
import { openFiles, type AttemptFiles } from "./attempt-files.ts";
import { writeToPipe } from "./input-pipe.ts";
import { shellInputSchema, shellResultSchema, type ShellInput } from "./input.ts";
import { inspectCommand } from "./inspect.ts";
import type { Launched } from "./launch-request.ts";
import { toLaunchRequest } from "./launch.ts";
import type { Launcher } from "./launcher.ts";
import { findOrStart, type MainProcess } from "./main-process.ts";
import { checkAllowed, commandText, resolveCwd, type ShellPolicy } from "./policy.ts";
import type { ProcessEnd } from "./process-record.ts";
import { ReadinessWatch } from "./readiness-watch.ts";
import { Supervisor } from "./supervise.ts";
import { terminate } from "./terminate.ts";

export interface ShellSettings {
  readonly policy: ShellPolicy;
  readonly redactor: Redactor;
  readonly launcher: Launcher;
  readonly shell: string;
  readonly concurrency: number;
  /** From the polite signal to the one that cannot be ignored. */
  readonly termGraceMs: number;
}

/** Runs commands that outlive the server: they write to files, read from a pipe, and leave their exit code on disk. */
export function createShellKind(settings: ShellSettings): Kind {
  return defineKind({
    name: "shell",
    input: shellInputSchema,
    result: shellResultSchema,
    onInterrupt: "adopt",
    concurrency: settings.concurrency,
    limits: { graceMs: settings.termGraceMs + 10_000 },
    check: (input) => checkInput(input, settings),
    conceal: (input) => concealInput(input, settings.redactor),
    run: (input, context) => runCommand(input, context, settings),
  });
}

/** Everything that can be refused is refused before a job is made. */
function checkInput(input: ShellInput, { policy }: ShellSettings): void {
  checkAllowed(policy, commandText(input));
  if (input.stdin !== undefined) checkAllowed(policy, input.stdin);
  resolveCwd(policy, input.cwd);
  if (input.ready?.pattern !== undefined) compilePattern(input.ready.pattern);
}

function concealInput(input: ShellInput, redactor: Redactor): ShellInput {
  return {
    ...input,
    ...(input.command === undefined ? {} : { command: redactor.text(input.command) }),
    ...(input.argv === undefined ? {} : { argv: concealWords(input.argv, redactor) }),
    ...(input.env === undefined ? {} : { env: redactor.env(input.env) }),
    ...(input.stdin === undefined ? {} : { stdin: redactor.text(input.stdin) }),
  };
}

/** Each word is judged with the one before it, because a secret may follow its flag. */
function concealWords(words: readonly string[], redactor: Redactor): string[] {
  return words.map((word, index) => {
    const before = index === 0 ? "" : `${words[index - 1]} `;
    const shown = redactor.text(before + word);
    return shown.startsWith(before) ? shown.slice(before.length) : redactor.text(word);
  });
}

async function runCommand(
  input: ShellInput,
  context: JobContext,
  settings: ShellSettings,
): Promise<z.input<typeof shellResultSchema>> {
  const files = openFiles(context);
  const starting = superviseStart(input, context, files, settings);
  // At once, not when it is found or started: whoever sees the job running may send to it.
  context.serve({
    send: async (text) => {
      const { supervisor } = await starting;
      await sendText(text, input, files, settings);
      context.touch();
      supervisor.stir();
    },
    inspect: async () => {
      const { group, supervisor } = await starting;
      return inspectCommand(group, supervisor, settings.redactor);
    },
  });
  const { group, ended, supervisor } = await starting;
  const end = await superviseToEnd(supervisor, ended, input).catch(async (thrown: unknown) => {
    // The engine stops or has lost the job: the command runs on, for whoever adopts it.
    if (!isLeftRunning(context.signal)) {
      await terminate(group, context.id, settings.termGraceMs);
      await supervisor.look();
    }
    throw thrown;
  });
  return toResult(end, commandText(input), settings.redactor);
}

async function superviseStart(
  input: ShellInput,
  context: JobContext,
  files: AttemptFiles,
  settings: ShellSettings,
): Promise<MainProcess & { supervisor: Supervisor }> {
  const main = await findOrStart(context, files.record, () => start(input, context.id, files, settings));
  const readiness = new ReadinessWatch(input.ready, context, files);
  return { ...main, supervisor: new Supervisor(context, files, main.group, readiness) };
}

async function start(
  input: ShellInput,
  id: string,
  files: AttemptFiles,
  { policy, launcher, ...settings }: ShellSettings,
): Promise<Launched | undefined> {
  const place = { id, files, cwd: resolveCwd(policy, input.cwd), shell: input.shell ?? settings.shell };
  return launcher.launch(await toLaunchRequest(input, place));
}

async function sendText(
  text: string,
  input: ShellInput,
  files: AttemptFiles,
  { policy }: ShellSettings,
): Promise<void> {
  checkAllowed(policy, text);
  if (input.stdin !== undefined) {
    throw new LonghaulError("conflict", "The command's input was given when it was started, and takes no more.");
  }
  await writeToPipe(files.stdin, text);
}

async function superviseToEnd(
  supervisor: Supervisor,
  ended: Promise<ProcessEnd | undefined>,
  input: ShellInput,
): Promise<ProcessEnd | undefined> {
  const end = await supervisor.untilMainEnds(ended);
  if (input.finishWithMain !== true) await supervisor.untilChildrenEnd(end);
  await supervisor.look();
  return end;
}

function isLeftRunning(signal: AbortSignal): boolean {
  const cause = signal.reason as StopCause | undefined;
  return cause?.type === "stopping" || cause?.type === "lease_lost";
}

function toResult(end: ProcessEnd | undefined, command: string, redactor: Redactor): z.input<typeof shellResultSchema> {
  if (end?.exitCode === 0) return { exit_code: 0, signal: null };
  const shown = shorten(redactor.text(command));
  if (end === undefined) {
    const message = `"${shown}" ended without leaving an exit code: it was killed, or the machine restarted.`;
    throw new JobFailure("lost", message, { details: { exit_code: null, signal: null } });
  }
  const { exitCode, signal } = end;
  const by = signal === null ? "" : ` (${signal})`;
  throw new JobFailure("exit_code", `"${shown}" exited with code ${exitCode}${by}.`, {
    details: { exit_code: exitCode, signal },
  });
}

const longestShown = 80;

function shorten(text: string): string {
  return text.length > longestShown ? `${text.slice(0, longestShown)}…` : text;
}
