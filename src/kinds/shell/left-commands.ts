import type { LeftAttempts, LeftJob } from "../../job/kind.ts";
import { recordFile } from "./attempt-files.ts";
import { jobVariable, terminate } from "./main-process.ts";
import { isSameProcess, readProcessRecord } from "./process-record.ts";
import { listValues } from "./process-tree.ts";

/** Ends the commands whose jobs were given up while this machine was not heard from: they may be started again elsewhere. */
export async function endLeftCommands({ find }: LeftAttempts, graceMs: number): Promise<void> {
  const jobs = await Promise.all([...(await listValues(jobVariable))].map(find));
  const attempts = jobs.flatMap((job) =>
    job === undefined ? [] : job.attempts.map((attempt) => ({ ...job, ...attempt })),
  );
  await Promise.all(attempts.map((attempt) => endLeftCommand(attempt, graceMs)));
}

async function endLeftCommand(
  { id, isEnded, attempt, folder }: LeftJob & LeftJob["attempts"][number],
  graceMs: number,
): Promise<void> {
  const main = readProcessRecord(recordFile(folder))?.process;
  // Another installation on this machine has started it, or another worker.
  if (main === undefined) return;
  const isRunning = await isSameProcess(main);
  // What a job that has ended may have left behind on purpose, as finish_with_main does, is nobody's to end.
  if (!isRunning && isEnded) return;
  await terminate(isRunning ? main.pid : undefined, { id, attempt }, graceMs);
}
