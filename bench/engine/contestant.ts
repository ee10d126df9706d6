import { setTimeout as sleep } from "node:timers/promises";

/** Something that runs no-op jobs. A method resolves when all its jobs are done, by the word of the contestant's store. */
export interface Contestant {
  /** Each job is submitted after the one before is done. */
  readonly oneByOne: (jobs: number) => Promise<void>;
  /** So many submitters at once, each of which works one by one. */
  readonly inFlight: (jobs: number, width: number) => Promise<void>;
  /** The jobs are submitted many at a time, and run by `concurrency` at once. */
  readonly bulk: (jobs: number) => Promise<void>;
  /** Milliseconds from submitting to the first line of the job's code, with nothing else going on. */
  readonly idleStarts: (samples: number) => Promise<number[]>;
  readonly close: () => Promise<void>;
}

/** How many jobs a contestant runs at once. */
export const concurrency = 50;

const bulkSize = 1_000;
const idleMs = 5;

/** How many jobs go into each call of a bulk. */
export function splitBulk(jobs: number): number[] {
  const calls = Math.ceil(jobs / bulkSize);
  return Array.from({ length: calls }, (_, call) => Math.min(bulkSize, jobs - call * bulkSize));
}

/** Takes each sample after an idle time. */
export async function sampleIdle(samples: number, sample: () => Promise<number>): Promise<number[]> {
  const taken: number[] = [];
  await repeat(samples, async () => {
    await sleep(idleMs);
    taken.push(await sample());
  });
  return taken;
}

export async function repeat(times: number, run: () => Promise<unknown>): Promise<void> {
  for (let done = 0; done < times; done++) await run();
}

export async function repeatInFlight(times: number, width: number, run: () => Promise<unknown>): Promise<void> {
  let left = times;
  const submitter = async (): Promise<void> => {
    while (left-- > 0) await run();
  };
  await Promise.all(Array.from({ length: width }, submitter));
}
