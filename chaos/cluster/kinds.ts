import { appendFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import { defineKind, type JobContext, type Kind } from "../../src/index.ts";

export const maxPerKey = 2;
export const maxStarts = { starts: 6, perMs: 1_000 };
export const tickMs = 40;

/** What a job says of itself while it runs. Times are of the clock that all processes of a machine share, and that nobody sets. */
export interface RunRecord {
  readonly kind: string;
  readonly job: string;
  readonly key: string;
  /** One for each time that the job's code was begun. */
  readonly run: string;
  readonly pid: number;
  readonly atMs: number;
}

const input = z.object({ key: z.string(), ms: z.int(), lines: z.int() });

/** Two kinds whose jobs put on record that they run, again and again. */
export function createChaosKinds(records: string): Kind[] {
  const settings = { input, onInterrupt: "restart" as const, concurrency: 4 };
  const run = (kind: string) => (given: z.output<typeof input>, context: JobContext) =>
    runRecorded({ kind, records, ...given }, context);
  return [
    defineKind({ ...settings, name: "keyed", perKey: maxPerKey, key: ({ key }) => key, run: run("keyed") }),
    defineKind({ ...settings, name: "rated", rate: maxStarts, run: run("rated") }),
  ];
}

interface Work extends z.output<typeof input> {
  readonly kind: string;
  readonly records: string;
}

async function runRecorded({ kind, records, key, ms, lines }: Work, context: JobContext): Promise<{ lines: number }> {
  const run = crypto.randomUUID();
  const output = context.output("stdout");
  for (let passedMs = 0, line = 0; passedMs < ms; passedMs += tickMs) {
    context.signal.throwIfAborted();
    const atMs = Number(process.hrtime.bigint() / 1_000_000n);
    const record: RunRecord = { kind, job: context.id, key, run, pid: process.pid, atMs };
    appendFileSync(records, `${JSON.stringify(record)}\n`);
    if (line < lines) output.write(`line ${++line}\n`);
    await delay(tickMs);
  }
  return { lines };
}
