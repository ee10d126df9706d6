import { existsSync } from "node:fs";
import type { z } from "zod";
import { LonghaulError } from "../../job/error.ts";
import { JobFailure } from "../../job/failure.ts";
import { defineKind, type JobContext, type Kind, type SentInput, type StopCause } from "../../job/kind.ts";
import type { PatternPool } from "../../text/pattern-pool.ts";
import { createShownTexts, type Redactor } from "../../text/redact.ts";
import { openFiles, type AttemptFiles } from "./attempt-files.ts";
import { createInputSender, inputOfAttempt, isInputRepeatable } from "./command-input.ts";
import { createInside } from "./inside.ts";
import { shellContract, type ShellInput } from "./contract.ts";
import { inspectCommand, Supervisor } from "./supervise.ts";
import { writeSize } from "./input-pipe.ts";
import type { Isolation } from "./isolation.ts";
import { endLeftCommands } from "./left-commands.ts";
import { toLaunchRequest, type Launched } from "./launch-request.ts";
import type { Launcher } from "./launcher.ts";
import { findOrStart, terminate, type MainProcess } from "./main-process.ts";
import { checkAllowed, checkDisguise, commandText, resolveCwd, type ShellPolicy } from "./policy.ts";
import type { ProcessEnd } from "./process-record.ts";
import { ReadinessWatch } from "./readiness-watch.ts";

export interface ShellSettings {
  readonly policy: ShellPolicy;
  readonly patterns: PatternPool;
  readonly redactor: Redactor;
  readonly launcher: Launcher;
  /** How commands of others than this machine's user are kept from the server's own files. */
  readonly isolation: Isolation;
  readonly shell: string;
  readonly concurrency: number;
  /** From the polite signal to the one that cannot be ignored. */
  readonly termGraceMs: number;
  /** What a command needs to act on its own job; without it none does. */
  readonly insideVariables?: InsideVariables;
}

export type InsideVariables = (
  command: {
    readonly token: string;
    /** It does not reach the server's own files. */
    readonly isApart: boolean;
    /** Where it looks for programs. */
    readonly searchPath: string | undefined;
  },
  signal: AbortSignal,
) => Promise<Readonly<Record<string, string>>>;

/** Runs commands that outlive the server: they write to files, read from a pipe, and leave their exit code on disk. */
export function createShellKind(settings: ShellSettings): Kind {
  return defineKind({
    ...shellContract,
    onInterrupt: "adopt",
    concurrency: settings.concurrency,
    limits: { graceMs: settings.termGraceMs + 10_000 },
    keeps: ["env"],
    confines: settings.isolation.type !== "none",
    check: (input) => checkInput(input, settings),
    cwdOf: (input, { client, isConfined }) => findFolder(input.cwd, isConfined, settings, client.cwd),
    conceal: (input) => concealInput(input, settings.redactor),
    endLeft: (left) => endLeftCommands(left, settings.termGraceMs),
    run: (input, context) => runCommand(input, context, settings),
  });
}

/** Everything that can be refused is refused before a job is made. */
async function checkInput(input: ShellInput, { policy, patterns }: ShellSettings): Promise<void> {
  if (input.ready?.pattern !== undefined) patterns.check(input.ready.pattern);
  await checkAllowed(policy, commandText(input), patterns);
  checkDisguise(policy, input);
  if (input.stdin !== undefined && input.stdin !== "") await checkAllowed(policy, input.stdin, patterns);
}

/** Where the command runs, and what to put before it. */
function findFolder(
  wanted: string | undefined,
  isConfined: boolean,
  { policy, isolation }: ShellSettings,
  callersCwd?: string,
): string {
  if (!isConfined) return resolveCwd(policy, wanted, { callersCwd });
  isolation.demand();
  return resolveCwd(policy, wanted, { callersCwd, hidden: isolation.type === "none" ? [] : isolation.hidden() });
}

function concealInput(input: ShellInput, redactor: Redactor): ShellInput {
  const show = createShownTexts(redactor);
  return {
    ...input,
    ...(input.command === undefined ? {} : { command: show(input.command) }),
    ...(input.argv === undefined ? {} : { argv: concealWords(input.argv, show) }),
    ...(input.env === undefined ? {} : { env: redactor.env(input.env, show) }),
    ...(input.stdin === undefined ? {} : { stdin: show(input.stdin) }),
  };
}

const longestFlag = 100;

/** Each word is judged with the program and the word before it, because a secret may follow its flag. */
function concealWords(words: readonly string[], show: (text: string) => string): string[] {
  const program = words[0]?.split("/").at(-1)?.slice(0, longestFlag) ?? "";
  return words.map((word, index) => {
    const flag = words[index - 1]?.slice(-longestFlag) ?? "";
    const before = index === 0 ? "" : index === 1 ? `${program} ` : `${program} ${flag} `;
    const shown = show(before + word);
    return shown.startsWith(before) ? shown.slice(before.length) : show(word);
  });
}

async function runCommand(
  given: ShellInput,
  context: JobContext,
  settings: ShellSettings,
): Promise<z.input<typeof shellContract.result>> {
  const input = await inputOfAttempt(given, context);
  const files = openFiles(context);
  const starting = superviseStart(input, context, files, settings);
  const write = createInputSender(input, context, { files, ...settings });
  const feed = async (sent: SentInput): Promise<number> => {
    const { supervisor } = await starting;
    const taken = await write(sent);
    context.touch();
    supervisor.stir();
    return taken;
  };
  // At once, not when it is found or started: whoever sees the job running may send to it.
  context.serve({
    send: async (text) => void (await feed({ bytes: Buffer.from(text) })),
    feed,
    resize: async (size) => {
      await starting;
      demandTerminal(input, files);
      await writeSize(files.frames, size);
    },
    inside: createInside(context, settings.redactor),
    inspect: async () => {
      const { group, supervisor } = await starting;
      return inspectCommand({ group, stdin: files.stdin }, supervisor, settings.redactor);
    },
  });
  const { group, ended, supervisor } = await starting;
  const end = await superviseToEnd(supervisor, ended, input).catch(async (thrown: unknown) => {
    // The engine stops: the command runs on, for the next one. One that was given up may be started again elsewhere, so it ends here.
    if (!isLeftRunning(context.signal)) {
      // Of a job that was given up another attempt may run on this very machine.
      const { id, attempt } = context;
      await terminate(group, isGivenUp(context.signal) ? { id, attempt } : { id }, settings.termGraceMs);
      await supervisor.look();
    }
    throw thrown;
  });
  if (end?.exitCode === 0) return { exit_code: 0, signal: null };
  throw toFailure(end, settings.redactor.text(commandText(input)), await isInputRepeatable(input, context));
}

function demandTerminal({ pty, stdin }: ShellInput, { frames }: AttemptFiles): void {
  if (pty === true && stdin === undefined && existsSync(frames)) return;
  const why = pty === true ? "the window of this command's terminal has a fixed size" : "the command has no terminal";
  throw new LonghaulError("conflict", `Nothing can be resized: ${why}.`);
}

async function superviseStart(
  input: ShellInput,
  context: JobContext,
  files: AttemptFiles,
  settings: ShellSettings,
): Promise<MainProcess & { supervisor: Supervisor }> {
  const main = await findOrStart(context, files.record, () => start(input, context, files, settings));
  const readiness = new ReadinessWatch(input.ready, context, files, settings.patterns);
  return { ...main, supervisor: new Supervisor(context, files, main.group, readiness) };
}

async function start(
  input: ShellInput,
  context: JobContext,
  files: AttemptFiles,
  settings: ShellSettings,
): Promise<Launched | undefined> {
  const { id, attempt, client, isConfined } = context;
  const { launcher } = settings;
  const cwd = findFolder(input.cwd ?? context.cwd, isConfined, settings);
  const wrapper = isConfined ? settings.isolation.wrap(cwd) : undefined;
  const inheritedEnv = client?.env;
  const searchPath = input.env?.["PATH"] ?? (inheritedEnv ?? launcher.env)["PATH"];
  const insideEnv = await findInsideEnv(context, { isApart: wrapper !== undefined, searchPath }, settings);
  const place = { id, attempt, files, cwd, wrapper, shell: input.shell ?? settings.shell, inheritedEnv, insideEnv };
  return launcher.launch(await toLaunchRequest(input, place));
}

async function findInsideEnv(
  { token, signal }: JobContext,
  command: Omit<Parameters<InsideVariables>[0], "token">,
  { insideVariables }: ShellSettings,
): Promise<Readonly<Record<string, string>>> {
  return token === undefined ? {} : ((await insideVariables?.({ token, ...command }, signal)) ?? {});
}

async function superviseToEnd(
  supervisor: Supervisor,
  ended: Promise<ProcessEnd | undefined>,
  input: ShellInput,
): Promise<ProcessEnd | undefined> {
  const end = await supervisor.untilMainEnds(ended);
  if (input.finish_with_main !== true) await supervisor.untilChildrenEnd(end);
  await supervisor.look();
  return end;
}

function isGivenUp(signal: AbortSignal): boolean {
  return (signal.reason as StopCause | undefined)?.type === "lease_lost";
}

function isLeftRunning(signal: AbortSignal): boolean {
  return (signal.reason as StopCause | undefined)?.type === "stopping";
}

function toFailure(end: ProcessEnd | undefined, command: string, isRepeatable: boolean): JobFailure {
  const shown = shorten(command);
  const why = isRepeatable ? "" : " What was piped into it is gone, so it is not tried again.";
  if (end === undefined) {
    const message = `"${shown}" ended without leaving an exit code: it was killed, its files were deleted, or the machine restarted.${why}`;
    return new JobFailure("lost", message, { retryable: isRepeatable, details: { exit_code: null, signal: null } });
  }
  const { exitCode, signal } = end;
  const by = signal === null ? "" : ` (${signal})`;
  return new JobFailure("exit_code", `"${shown}" exited with code ${exitCode}${by}.${why}`, {
    retryable: isRepeatable,
    details: { exit_code: exitCode, signal },
  });
}

const longestShown = 80;

function shorten(text: string): string {
  return text.length > longestShown ? `${text.slice(0, longestShown)}…` : text;
}
