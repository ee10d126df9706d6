import { existsSync } from "node:fs";
import type { JobContext } from "../../job/kind.ts";
import { awaitEnd, awaitRecord } from "./await-end.ts";
import type { Launched } from "./launch-request.ts";
import { isSameProcess, type ProcessEnd } from "./process-record.ts";
import { listGroup, listByToken } from "./process-tree.ts";

/** The process that an attempt has started: now, or before its server died. */
export interface MainProcess {
  /** Its process group; undefined when nothing is left of it, because then another process may have got its number. */
  readonly group: number | undefined;
  /** Undefined if it ended and nobody saw how. */
  readonly ended: Promise<ProcessEnd | undefined>;
}

/** The variable that marks all processes of a job, wherever they go. */
export const jobVariable = "LONGHAUL_JOB_ID";

export function jobToken(id: string): string {
  return `${jobVariable}=${id}`;
}

/** Starts the command, unless this attempt did so before. */
export async function findOrStart(
  context: JobContext,
  record: string,
  start: () => Promise<Launched | undefined>,
): Promise<MainProcess> {
  const launched = context.isInterrupted && existsSync(record) ? undefined : await start();
  if (launched === undefined) return adopt(record, context.id, context.signal);
  return { group: launched.pid, ended: launched.ended.then((end) => end ?? awaitEnd(record, context.signal)) };
}

async function adopt(path: string, id: string, signal: AbortSignal): Promise<MainProcess> {
  const record = await awaitRecord(path, signal);
  if (record === undefined) return { group: undefined, ended: Promise.resolve(undefined) };
  const { pid } = record.process;
  const isOurs = (await isSameProcess(record.process)) || (await hasToken(pid, id));
  return { group: isOurs ? pid : undefined, ended: awaitEnd(path, signal) };
}

/** Whether a process of the group is marked as one of the job's: its leader is gone, and others may have its number. */
async function hasToken(group: number, id: string): Promise<boolean> {
  const marked = new Set(await listByToken(jobToken(id)));
  return (await listGroup(group)).some(({ pid }) => marked.has(pid));
}
