import { setTimeout as delay } from "node:timers/promises";
import { isSameProcess, readProcessRecord, type ProcessEnd, type ProcessRecord } from "./process-record.ts";

const pollMs = 100;
/** What a launcher has seen it writes down at once; if nothing comes for so long, there is no launcher any more. */
const patienceMs = 2_000;

/** The record of a command that somebody else started; undefined if it was never written. */
export function awaitRecord(path: string, signal: AbortSignal): Promise<ProcessRecord | undefined> {
  return lookFor(() => readProcessRecord(path), signal);
}

/** Waits for a process that is nobody's child here. Undefined if it ended and nobody saw how. */
export async function awaitEnd(path: string, signal: AbortSignal): Promise<ProcessEnd | undefined> {
  const record = await awaitRecord(path, signal);
  if (record === undefined) return undefined;
  while (!signal.aborted && (await isSameProcess(record.process))) await pause(signal);
  return lookFor(() => readProcessRecord(path)?.end, signal);
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
