export type QueueName = "longhaul" | "pg-boss" | "graphile-worker" | "bullmq";

/** Something that runs no-op jobs, 50 at once. A method resolves when all its jobs are done, by the word of the queue's store. */
export interface Queue {
  /** So many submitters at once, each of which waits for the end of its job before the next. */
  readonly inFlight: (jobs: number, width: number) => Promise<void>;
  /** Submits all jobs while none runs; resolves with how many milliseconds it then took to run them. */
  readonly drain: (jobs: number) => Promise<number>;
  readonly close: () => Promise<void>;
}

export const slots = 50;

export function inBatches(jobs: number, size = 500): number[] {
  return Array.from({ length: Math.ceil(jobs / size) }, (_, batch) => Math.min(size, jobs - batch * size));
}

/** Resolves when it was called so often. */
export function countDown(times: number): { readonly done: () => void; readonly reached: Promise<void> } {
  let left = times;
  let resolveReached: () => void = () => undefined;
  const reached = new Promise<void>((resolve) => (resolveReached = resolve));
  const done = (): void => {
    left -= 1;
    if (left === 0) resolveReached();
  };
  return { done, reached };
}
