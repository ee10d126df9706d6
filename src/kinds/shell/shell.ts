import { join } from "node:path";
import type { z } from "zod";
import { JobFailure } from "../../job/failure.ts";
import { defineKind, type JobContext, type Kind, type StopCause } from "../../job/kind.ts";
import type { Redactor } from "../../text/redact.ts";
import { writeToPipe, type InputPipes } from "./input-pipe.ts";
import { shellInputSchema, shellResultSchema, type ShellInput } from "./input.ts";
import { inspectCommand } from "./inspect.ts";
import { jobToken, launchCommand } from "./launch.ts";
import type { Launched, Launcher, ProcessEnd } from "./launcher.ts";
import { buildEnv, checkAllowed, commandText, resolveCwd, type ShellPolicy } from "./policy.ts";
import { isSameProcess, readEnd, readProcessRecord, type ProcessRecord } from "./process-record.ts";
import { compilePattern } from "../../text/pattern.ts";
import { ReadinessWatch } from "./readiness-watch.ts";
import { Supervisor } from "./supervise.ts";
import { terminate } from "./terminate.ts";

export interface ShellSettings {
  readonly policy: ShellPolicy;
  readonly redactor: Redactor;
  readonly pipes: InputPipes;
  readonly launcher: Launcher;
  /** The environment that commands may inherit from. */
  readonly env: NodeJS.ProcessEnv;
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
    ...(input.argv === undefined ? {} : { argv: input.argv.map(redactor.text) }),
    ...(input.env === undefined ? {} : { env: redactor.env(input.env) }),
    ...(input.stdin === undefined ? {} : { stdin: redactor.text(input.stdin) }),
  };
}

async function runCommand(
  input: ShellInput,
  context: JobContext,
  settings: ShellSettings,
): Promise<z.input<typeof shellResultSchema>> {
  const folder = context.folder();
  const main = (await findRunning(folder, context)) ?? (await start(input, context, folder, settings));
  const group = main.pid;
  const supervisor = new Supervisor(context, folder, group);
  const readiness = new ReadinessWatch(input.ready, context);
  context.serve({
    send: async (text) => {
      checkAllowed(settings.policy, text);
      await writeToPipe(join(folder, "stdin"), text);
      context.touch();
    },
    inspect: () => inspectCommand(group, supervisor, settings.redactor),
  });
  try {
    const end = "end" in main ? main.end : await supervisor.untilMainEnds(main, () => readiness.look());
    if (input.finishWithMain !== true) await supervisor.untilChildrenEnd(end);
    await supervisor.look();
    return toResult(end, commandText(input), settings.redactor);
  } catch (thrown) {
    if (!context.signal.aborted) throw thrown;
    const cause = context.signal.reason as StopCause;
    // The engine stops or has lost the job: the command runs on, for whoever adopts it.
    if (cause.type === "cancelled" || cause.type === "timed_out") {
      await terminate(group, context.id, settings.termGraceMs);
      await supervisor.look();
    }
    throw thrown;
  }
}

/** The command of an attempt that ran before: still running, or ended while nobody looked. */
async function findRunning(
  folder: string,
  context: JobContext,
): Promise<ProcessRecord | { pid: number; end: ProcessEnd } | undefined> {
  const record = context.isInterrupted ? await readProcessRecord(folder) : undefined;
  if (record === undefined) return undefined;
  if (await isSameProcess(record)) return record;
  return { pid: record.pid, end: readEnd(folder) };
}

async function start(
  input: ShellInput,
  context: JobContext,
  folder: string,
  settings: ShellSettings,
): Promise<Launched> {
  const { policy } = settings;
  const shell = input.shell ?? settings.shell;
  const [name = "", value = ""] = jobToken(context.id).split("=");
  const env = { ...buildEnv(policy, settings.env, input.env), [name]: value };
  const ptyEnv = input.pty === true ? { SHELL: shell, TERM: "xterm-256color" } : {};
  return launchCommand({
    input,
    context,
    folder,
    shell,
    cwd: resolveCwd(policy, input.cwd),
    env: { ...env, ...ptyEnv },
    pipes: settings.pipes,
    launcher: settings.launcher,
  });
}

function toResult(end: ProcessEnd, command: string, redactor: Redactor): z.input<typeof shellResultSchema> {
  const { exitCode, signal } = end;
  if (exitCode === 0) return { exit_code: 0, signal: null };
  const shown = redactor.text(command.length > 80 ? `${command.slice(0, 80)}…` : command);
  if (exitCode !== undefined) {
    const by = signal === null ? "" : ` (${signal})`;
    throw new JobFailure("exit_code", `"${shown}" exited with code ${exitCode}${by}.`, {
      details: { exit_code: exitCode, signal },
    });
  }
  if (signal !== null)
    throw new JobFailure("killed", `"${shown}" was ended by ${signal}.`, { details: { exit_code: null, signal } });
  throw new JobFailure(
    "lost",
    `"${shown}" ended without leaving an exit code: it was killed, or the machine restarted.`,
    {
      details: { exit_code: null, signal: null },
    },
  );
}
