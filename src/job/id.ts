declare const brand: unique symbol;

/** A job's id: a UUIDv7, so that ids sort by time and their random part cannot be guessed. */
export type JobId = string & { readonly [brand]: "JobId" };

const jobIdPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

export function isJobId(text: string): text is JobId {
  return jobIdPattern.test(text);
}

/** The smallest id that a job created at this time could have: turns a time filter into a range of ids. */
export function lowestIdAt(atMs: number): string {
  return formatId(Math.max(0, atMs), 0, "8000000000000000");
}

/**
 * Makes ids that rise strictly, also within one millisecond and when the clock steps back
 * (12 bits count within the millisecond, 62 bits are random).
 */
export function createIdSource(now: () => number): () => JobId {
  let lastMs = 0;
  let counter = 0;
  const random = createRandomHex();
  return () => {
    const currentMs = now();
    if (currentMs > lastMs) {
      lastMs = currentMs;
      counter = 0;
    } else if (++counter > 0xfff) {
      lastMs += 1;
      counter = 0;
    }
    return formatId(lastMs, counter, random()) as JobId;
  };
}

function formatId(atMs: number, counter: number, tail: string): string {
  const time = atMs.toString(16).padStart(12, "0");
  const count = counter.toString(16).padStart(3, "0");
  return `${time.slice(0, 8)}-${time.slice(8)}-7${count}-${tail.slice(0, 4)}-${tail.slice(4)}`;
}

/** 64 random bits as hex with the UUID variant set; drawn from a pool, because one system call per id is slow. */
function createRandomHex(): () => string {
  const pool = new Uint8Array(4096);
  let used = pool.length;
  return () => {
    if (used === pool.length) {
      globalThis.crypto.getRandomValues(pool);
      used = 0;
    }
    let text = "";
    for (let i = 0; i < 8; i++) {
      const byte = i === 0 ? ((pool[used + i] ?? 0) & 0x3f) | 0x80 : (pool[used + i] ?? 0);
      text += byte.toString(16).padStart(2, "0");
    }
    pool.fill(0, used, used + 8);
    used += 8;
    return text;
  };
}
