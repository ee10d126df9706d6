import { existsSync, writeFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import type { JobContext } from "../../job/kind.ts";
import type { Launched } from "./launch-request.ts";
import {
  isSameProcess,
  readBootId,
  readProcessRecord,
  readUnnotedEnd,
  unstartedFile,
  type ProcessEnd,
  type ProcessRecord,
} from "./process-record.ts";
import { isCommandAlive, listByTokens, listGroup, signalProcess } from "./process-tree.ts";

/** The process that an attempt has started: now, or before its server died. */
export interface MainProcess {
  /** Its process group; undefined when nothing is left of it, because then another process may have got its number. */
  readonly group: number | undefined;
  /** Undefined if it ended and nobody saw how. */
  readonly ended: Promise<ProcessEnd | undefined>;
}

const markPollMs = 500;

/** The variable that marks all processes of a job, wherever they go. */
export const jobVariable = "LONGHAUL_JOB_ID";

/** Beside it: two attempts of a job may run on one machine, where that has two workers. */
export const attemptVariable = "LONGHAUL_JOB_ATTEMPT";

/** All processes of a job, or those of one attempt. */
interface Mark {
  readonly id: string;
  readonly attempt?: number;
}

function listMarked({ id, attempt }: Mark): Promise<number[]> {
  const job = `${jobVariable}=${id}`;
  return listByTokens(attempt === undefined ? [job] : [job, `${attemptVariable}=${attempt}`]);
}

/** Starts the command, unless this attempt did so before, or may have. */
export async function findOrStart(
  context: JobContext,
  record: string,
  start: () => Promise<Launched | undefined>,
): Promise<MainProcess> {
  const launched = (await mayHaveStarted(context, record)) ? undefined : await start();
  if (launched === undefined) return adopt(record, context.id, context.signal);
  return { group: launched.pid, ended: launched.ended.then((end) => end ?? awaitEnd(record, context.signal)) };
}

/** What is kept of a command in the store, beside its files. */
const noteSchema = z.object({
  attempt: z.int(),
  bootId: z.string(),
  machine: z.string().optional(),
  /** What has become of an input that is streamed: some of it was passed on, or it ended before there was any. */
  input: z.enum(["streamed", "ended"]).optional(),
});

type CommandNote = z.output<typeof noteSchema>;

export async function loadNote({ checkpoint }: JobContext): Promise<CommandNote | undefined> {
  return noteSchema.safeParse(await checkpoint.load()).data;
}

export async function saveNote(context: JobContext, change: Pick<CommandNote, "input">): Promise<void> {
  const note = (await loadNote(context)) ?? {
    attempt: context.attempt,
    bootId: readBootId(),
    machine: context.machine,
  };
  await context.checkpoint.save({ ...note, ...change });
}

/**
 * The record lies among the job's files, which somebody may delete, so its absence alone proves nothing. That the attempt is about to
 * start is noted in the store, after a file was made that says that it has not; whoever starts it removes that file.
 * The file is proof only until the machine is started anew, because its removal may not have reached the disk, and only on this machine.
 */
async function mayHaveStarted(context: JobContext, record: string): Promise<boolean> {
  const { attempt, machine, checkpoint, isInterrupted } = context;
  const bootId = readBootId();
  const noted = isInterrupted || attempt > 1 ? await loadNote(context) : undefined;
  if (isInterrupted && noted?.attempt === attempt) {
    const isSameStart = noted.bootId === bootId && (noted.machine ?? machine) === machine;
    return !isSameStart || !existsSync(unstartedFile(record));
  }
  if (isInterrupted && existsSync(record)) return true;
  writeFileSync(unstartedFile(record), "", { mode: 0o600 });
  await checkpoint.save({ attempt, bootId, machine, ...(noted?.input === "ended" ? { input: noted.input } : {}) });
  return false;
}

async function adopt(path: string, id: string, signal: AbortSignal): Promise<MainProcess> {
  const record = await awaitRecord(path, signal);
  if (record === undefined) return { group: undefined, ended: untilNoneIsMarked(id, signal) };
  const { pid } = record.process;
  const isOurs = (await isSameProcess(record.process)) || (await hasToken(pid, id));
  return { group: isOurs ? pid : undefined, ended: awaitEnd(path, signal) };
}

/** Without its record nobody can tell how the command ends, but its processes may still run. */
async function untilNoneIsMarked(id: string, signal: AbortSignal): Promise<undefined> {
  while (!signal.aborted && (await listMarked({ id })).length > 0) {
    await delay(markPollMs, undefined, { signal }).catch(() => undefined);
  }
}

/** Whether a process of the group is marked as one of the job's: its leader is gone, and others may have its number. */
async function hasToken(group: number, id: string): Promise<boolean> {
  const marked = new Set(await listMarked({ id }));
  return (await listGroup(group)).some(({ pid }) => marked.has(pid));
}

const pollMs = 100;
/** What a launcher has seen it writes down at once; if nothing comes for so long, there is no launcher any more. */
const patienceMs = 2_000;

/** The record of a command that somebody else started; undefined if it was never written. */
function awaitRecord(path: string, signal: AbortSignal): Promise<ProcessRecord | undefined> {
  return lookFor(() => readProcessRecord(path), signal);
}

/** Waits for a process that is nobody's child here. Undefined if it ended and nobody saw how. */
async function awaitEnd(path: string, signal: AbortSignal): Promise<ProcessEnd | undefined> {
  const record = await awaitRecord(path, signal);
  if (record === undefined) return undefined;
  while (!signal.aborted && (await isSameProcess(record.process))) await pause(signal);
  return lookFor(() => readProcessRecord(path)?.end ?? readUnnotedEnd(record.process), signal);
}

async function lookFor<T>(find: () => T | undefined, signal: AbortSignal): Promise<T | undefined> {
  const giveUpAt = performance.now() + patienceMs;
  for (;;) {
    const found = find();
    if (found !== undefined || signal.aborted || performance.now() > giveUpAt) return found;
    await pause(signal);
  }
}

function pause(signal: AbortSignal): Promise<void> {
  return delay(pollMs, undefined, { signal }).catch(() => undefined);
}

const endPollMs = 40;
const killPatienceMs = 5_000;

/**
 * Ends all processes of a job or of one attempt, its group and whatever has left the group but carries its token: asks them to
 * terminate, and after the grace time kills those that are left. Resolves when none is.
 */
export async function terminate(group: number | undefined, mark: Mark, graceMs: number): Promise<void> {
  await signalAll(group, mark, "SIGTERM");
  await untilGone(group, mark, graceMs);
  await signalAll(group, mark, "SIGKILL");
  await untilGone(group, mark, killPatienceMs);
}

async function signalAll(group: number | undefined, mark: Mark, signal: NodeJS.Signals): Promise<void> {
  if (group !== undefined && (await isCommandAlive(group))) {
    signalProcess(-group, signal);
    signalProcess(group, signal);
  }
  for (const pid of await listMarked(mark)) signalProcess(pid, signal);
}

async function untilGone(group: number | undefined, mark: Mark, maxMs: number): Promise<void> {
  const giveUpAt = performance.now() + maxMs;
  while (performance.now() < giveUpAt) {
    const isAlive = group !== undefined && (await isCommandAlive(group));
    if (!isAlive && (await listMarked(mark)).length === 0) return;
    await delay(endPollMs);
  }
}
