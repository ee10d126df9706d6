import { LonghaulError } from "../../job/error.ts";
import type { JobId } from "../../job/id.ts";
import type { HeldOutput, OutputAddress, OutputStore } from "../output-store.ts";
import type { HeldLease } from "../store.ts";
import { Allowance } from "./allowance.ts";
import { maxChunkBytes, StreamPosition, type Chunk } from "./stream-position.ts";

/** Where shipped output goes. Whatever is asked for an attempt counts only while its lease is held. */
export interface Shore {
  /** Keeps chunks, each in place of one with its start; says of which of the jobs the lease is lost. */
  readonly land: (chunks: readonly Chunk[], leases: readonly HeldLease[]) => Promise<ReadonlySet<JobId>>;
  /** Drops what is kept of the stream between two offsets; says how many bytes that was. */
  readonly drop: (address: OutputAddress, lease: HeldLease, from: number, to: number) => Promise<number>;
  /** Takes back what was kept beyond an offset, and maybe some before it; says what is kept then. */
  readonly cutBack: (address: OutputAddress, lease: HeldLease, to: number) => Promise<Omit<ShippedSize, "isWhole">>;
}

/** Of a stream, as everybody sees it. */
export interface ShippedSize {
  readonly size: number;
  readonly kept: number;
  readonly isWhole: boolean;
}

export interface ShipperSettings {
  /** Most bytes kept of one stream that has a cap. */
  readonly capBytes: number;
  readonly maxWholeBytes: number;
  readonly bytesPerSecond: number;
}

export const defaultShipping: Omit<ShipperSettings, "capBytes"> = {
  maxWholeBytes: 256 * 1024 * 1024,
  bytesPerSecond: 4 * 1024 * 1024,
};

interface ShipperParts extends ShipperSettings {
  readonly spool: Pick<OutputStore, "read" | "measure">;
  readonly shore: Shore;
  /** Tells those elsewhere who look. */
  readonly onShipped: (id: JobId) => void;
}

/** An attempt whose output is shipped, as long as its lease is held. */
interface Shipped {
  readonly lease: HeldLease;
  readonly streams: Map<string, StreamPosition>;
  dueAt: number;
  shippedAt: number;
  watchedUntil: number;
  /** Nobody waits for allowance to see its end. */
  flushes: number;
  isLost: boolean;
}

const watchedMs = 100;
const gatherMs = 5;
const unwatchedMs = 1_000;
/** A look from elsewhere counts for so long. */
const lookMs = 6_000;
const roundBytes = 1024 * 1024;

/**
 * Ships what running attempts write to their spool, in order: what somebody elsewhere looks at every 100 ms, the rest every second. Beyond
 * what it may ship in a second it leaves out the middle of what is still to come, which counts as dropped; a stream that must be whole waits.
 */
export class Shipper {
  readonly #parts: ShipperParts;
  readonly #allowance: Allowance;
  readonly #attempts = new Map<string, Shipped>();
  #round: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;
  #timerAt = Infinity;
  #isClosed = false;

  constructor(parts: ShipperParts) {
    this.#parts = parts;
    this.#allowance = new Allowance(parts.bytesPerSecond);
  }

  get maxWholeBytes(): number {
    return this.#parts.maxWholeBytes;
  }

  /** From now on the attempt's output is shipped; `sizes` says how far it is. */
  hold({ lease, attempt }: HeldOutput, sizes: ReadonlyMap<string, ShippedSize> = new Map()): void {
    const streams = new Map<string, StreamPosition>();
    for (const [stream, size] of sizes) {
      streams.set(stream, new StreamPosition({ id: lease.id, attempt, stream }, size, size.isWhole));
    }
    const shipped = {
      lease,
      streams,
      dueAt: Infinity,
      shippedAt: -Infinity,
      watchedUntil: 0,
      flushes: 0,
      isLost: false,
    };
    this.#attempts.set(keyOf(lease.id, attempt), shipped);
  }

  /** Whether this process writes the attempt's output. */
  holds(id: JobId, attempt: number): boolean {
    return this.#attempts.get(keyOf(id, attempt))?.isLost === false;
  }

  /** The lease of an attempt whose output this process writes. */
  leaseOf(id: JobId, attempt: number): HeldLease | undefined {
    return this.#attempts.get(keyOf(id, attempt))?.lease;
  }

  leave(id: JobId, attempt: number): void {
    this.#attempts.delete(keyOf(id, attempt));
  }

  /** The stream has grown. A file that was cut short when it was opened again says so with its size, before more is written. */
  grew(address: OutputAddress, { size, isWhole = false }: { size?: number; isWhole?: boolean } = {}): void {
    const attempt = this.#attempts.get(keyOf(address.id, address.attempt));
    if (attempt === undefined || attempt.isLost) return;
    const stream = attempt.streams.get(address.stream) ?? new StreamPosition(address, { size: 0, kept: 0 }, isWhole);
    attempt.streams.set(address.stream, stream);
    if (size === stream.shippedTo && !stream.isDirty) return;
    if (size !== undefined && size < stream.shippedTo) stream.cutTo = Math.min(size, stream.cutTo ?? Infinity);
    stream.isDirty = true;
    this.#due(attempt);
    if (isWhole && size !== undefined && size > this.#parts.maxWholeBytes) throw tooLarge(this.#parts.maxWholeBytes);
  }

  /** Somebody elsewhere looks at the job's output. */
  look(id: JobId): void {
    for (const attempt of this.#attempts.values()) {
      if (attempt.lease.id !== id) continue;
      attempt.watchedUntil = performance.now() + lookMs;
      if (attempt.dueAt !== Infinity) this.#due(attempt);
    }
  }

  /** Resolves once all that was written so far is shipped, or the lease is lost. Undefined if that is so already. */
  flush(id: JobId, attempt: number): Promise<void> | undefined {
    const shipped = this.#attempts.get(keyOf(id, attempt));
    const dirty = shipped === undefined ? [] : listDirty([shipped]);
    return shipped === undefined || dirty.length === 0 ? undefined : this.#flush(shipped, dirty);
  }

  async #flush(attempt: Shipped, dirty: readonly DirtyStream[]): Promise<void> {
    attempt.flushes++;
    try {
      const ends = new Map<StreamPosition, number>();
      for (const { stream } of dirty) ends.set(stream, (await this.#parts.spool.measure(stream.address)).size);
      // A kind that was given up may write on: nobody waits for that.
      while (!attempt.isLost && !this.#isClosed && [...ends].some(isBehind)) await this.#startRound(() => [attempt]);
    } finally {
      attempt.flushes--;
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#round.catch(() => undefined);
  }

  #due(attempt: Shipped): void {
    const now = performance.now();
    const isWatched = now < attempt.watchedUntil;
    // Who looks gets what comes after a quiet while at once.
    const dueAt = isWatched ? Math.max(now + gatherMs, attempt.shippedAt + watchedMs) : now + unwatchedMs;
    attempt.dueAt = Math.min(attempt.dueAt, dueAt);
    this.#wakeAt(attempt.dueAt);
  }

  #wakeAt(at: number): void {
    if (at >= this.#timerAt || this.#isClosed) return;
    clearTimeout(this.#timer);
    this.#timerAt = at;
    this.#timer = setTimeout(() => this.#shipDue(), Math.max(0, Math.ceil(at - performance.now())));
  }

  #shipDue(): void {
    this.#timerAt = Infinity;
    const due = (): Shipped[] => {
      const now = performance.now();
      return [...this.#attempts.values()].filter(({ dueAt }) => dueAt <= now);
    };
    // What could not be shipped is tried again; whoever has to know waits for `flush`. A timer may be early.
    this.#startRound(due)
      .catch(() => undefined)
      .finally(() => this.#wakeAt(Math.min(...[...this.#attempts.values()].map(({ dueAt }) => dueAt))));
  }

  /** One round at a time, so that a stream's chunks arrive in order. */
  #startRound(choose: () => readonly Shipped[]): Promise<void> {
    const round = this.#round.catch(() => undefined).then(() => this.#ship(choose()));
    this.#round = round;
    return round;
  }

  async #ship(attempts: readonly Shipped[]): Promise<void> {
    const now = performance.now();
    for (const attempt of attempts) Object.assign(attempt, { dueAt: Infinity, shippedAt: now });
    try {
      await this.#cutBack(attempts);
      while (!this.#isClosed) {
        const chunks = await this.#gather(attempts);
        if (chunks.size === 0) break;
        await this.#land(chunks, attempts);
      }
      await this.#skip(attempts);
    } finally {
      for (const attempt of attempts) if (listDirty([attempt]).length > 0) this.#due(attempt);
    }
  }

  async #cutBack(attempts: readonly Shipped[]): Promise<void> {
    for (const { stream, lease } of listDirty(attempts)) {
      if (stream.cutTo === undefined) continue;
      const { size, kept } = await this.#parts.shore.cutBack(stream.address, lease, stream.cutTo);
      stream.cutTo = undefined;
      stream.kept = kept;
      stream.moveTo(size);
    }
  }

  /** A chunk of each stream in turns, as much as one transaction should carry and the allowance lets through. */
  async #gather(attempts: readonly Shipped[]): Promise<Map<StreamPosition, Chunk>> {
    const chunks = new Map<StreamPosition, Chunk>();
    let bytes = 0;
    for (const { stream, flushes } of listDirty(attempts)) {
      if (bytes >= roundBytes) break;
      if (flushes === 0 && !stream.isWhole && this.#allowance.left() <= 0) continue;
      // Whatever comes after this look makes it dirty again.
      stream.isDirty = false;
      const limit = stream.isWhole ? this.#parts.maxWholeBytes - stream.shippedTo : maxChunkBytes;
      const slice = await this.#parts.spool
        .read(stream.address, stream.shippedTo, Math.max(0, Math.min(limit, maxChunkBytes)))
        .catch((error: unknown) => {
          stream.isDirty = true;
          throw error;
        });
      if (slice.bytes.length === 0) continue;
      stream.isDirty = true;
      this.#allowance.take(slice.bytes.length);
      bytes += slice.bytes.length;
      chunks.set(stream, stream.next(slice));
    }
    return chunks;
  }

  async #land(chunks: ReadonlyMap<StreamPosition, Chunk>, attempts: readonly Shipped[]): Promise<void> {
    const { shore, onShipped } = this.#parts;
    const jobs = new Set([...chunks.keys()].map(({ address }) => address.id));
    const leases = attempts.map(({ lease }) => lease).filter(({ id }) => jobs.has(id));
    const lost = await shore.land([...chunks.values()], leases);
    for (const attempt of attempts) if (lost.has(attempt.lease.id)) attempt.isLost = true;
    const now = performance.now();
    for (const [stream, chunk] of chunks) if (!lost.has(stream.address.id)) stream.shipped(chunk);
    for (const { lease, watchedUntil, isLost } of attempts) {
      if (!isLost && now < watchedUntil && jobs.has(lease.id)) onShipped(lease.id);
    }
    await this.#dropMiddles(attempts);
  }

  async #dropMiddles(attempts: readonly Shipped[]): Promise<void> {
    const { capBytes, shore } = this.#parts;
    const headBytes = this.#headBytes();
    for (const { stream, lease } of listDirty(attempts)) {
      if (stream.isWhole || stream.kept <= capBytes + capBytes / 16) continue;
      const to = stream.shippedTo - (capBytes - headBytes);
      stream.kept -= await shore.drop(stream.address, lease, headBytes, to);
    }
  }

  /** Of streams that grow faster than they may be shipped, the beginning and what is new is worth more than what lies between. */
  async #skip(attempts: readonly Shipped[]): Promise<void> {
    const late = listDirty(attempts).filter(({ stream, flushes }) => !stream.isWhole && flushes === 0);
    const maxBehind = (2 * this.#parts.bytesPerSecond) / Math.max(1, late.length);
    for (const { stream } of late) {
      const { size } = await this.#parts.spool.measure(stream.address);
      if (stream.shippedTo < this.#headBytes() || size - stream.shippedTo <= maxBehind) continue;
      stream.moveTo(Math.floor(size - maxBehind / 8));
    }
  }

  #headBytes(): number {
    return Math.floor(this.#parts.capBytes / 8);
  }
}

function isBehind([stream, end]: readonly [StreamPosition, number]): boolean {
  return stream.isDirty && (stream.shippedTo < end || stream.cutTo !== undefined);
}

function keyOf(id: JobId, attempt: number): string {
  return `${id}/${attempt}`;
}

interface DirtyStream {
  readonly stream: StreamPosition;
  readonly lease: HeldLease;
  readonly flushes: number;
}

function listDirty(attempts: readonly Shipped[]): DirtyStream[] {
  return attempts.flatMap(({ streams, lease, flushes, isLost }) =>
    isLost ? [] : [...streams.values()].filter(({ isDirty }) => isDirty).map((stream) => ({ stream, lease, flushes })),
  );
}

function tooLarge(maxBytes: number): LonghaulError {
  return new LonghaulError(
    "too_large",
    `A stream of which everything is kept may have at most ${maxBytes / 1024 / 1024} MB where several machines share the jobs, and this one has more: do the work in smaller jobs.`,
  );
}
