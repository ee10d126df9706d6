import { randomUUID } from "node:crypto";
import { LonghaulError } from "../job/error.ts";
import type { JobId } from "../job/id.ts";
import type { Job } from "../job/job.ts";
import type { Hint, JobFilter, Store } from "../store/store.ts";
import { maySee, narrow, seesAll, type Access } from "./access.ts";
import type { Clock } from "./clock.ts";

/** What has changed of all jobs since a place. */
export interface LiveAnswer {
  /** Where to go on. */
  readonly place: string;
  /** The place is too far back, or of another run of the engine: whoever comes with it has to look at everything again. */
  readonly isReset: boolean;
  /** Jobs that changed and match, as they are now, the latest change first. */
  readonly jobs: readonly Job[];
  /** Jobs that changed so that they match no more, or were removed. */
  readonly gone: readonly JobId[];
  /** How many more changed and match. */
  readonly more: number;
}

export interface LiveRequest {
  /** From now on unless given. */
  readonly place?: string;
  readonly filter: JobFilter;
}

type Changed = { readonly id: JobId; readonly removed?: { readonly owner: string; readonly kind: string } };

/** Who comes back after more than this looks at everything again. */
const maxKept = 10_000;
/** Of one look. */
const maxChanged = 1_000;
const maxTold = 200;
/** Readers hear at most four times a second, of all that changed in between. */
const tickMs = 250;

/**
 * Which jobs changed last, kept in memory, for readers who follow all of them. It costs no write; what the jobs are now is read from the
 * store when somebody asks, with what the asker may see.
 */
export class LiveChanges {
  readonly #store: Store;
  readonly #clock: Clock;
  /** Tells places from those of another run, and from those before changes that nobody heard of. */
  #run = randomUUID().slice(0, 8);
  readonly #kept: Changed[] = [];
  /** How many changes there were. */
  #count = 0;
  /** How many of them readers have been shown. */
  #shown = 0;
  #tickedAt = -Infinity;
  #cancelTick: (() => void) | undefined;
  readonly #waiting = new Set<() => void>();
  readonly #unsubscribe: () => void;

  constructor(store: Store, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
    this.#unsubscribe = store.subscribe((hint) => this.#note(hint));
  }

  async since({ place, filter }: LiveRequest, access: Access = {}): Promise<LiveAnswer> {
    this.#showMore();
    const now = `${this.#run}:${this.#shown}`;
    const changed = place === undefined ? [] : this.#changedSince(place);
    const nothing = { place: now, isReset: changed === undefined, jobs: [], gone: [], more: 0 };
    return changed === undefined || changed.length === 0
      ? nothing
      : { ...nothing, ...(await this.#tell(changed, filter, access)) };
  }

  /** Resolves when there may be something new, at the latest after this time. */
  next(timeoutMs: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const settle = (): void => {
        cancelTimer();
        signal?.removeEventListener("abort", settle);
        this.#waiting.delete(settle);
        resolve();
      };
      const cancelTimer = this.#clock.after(timeoutMs, settle);
      if (signal?.aborted === true) return settle();
      signal?.addEventListener("abort", settle);
      this.#waiting.add(settle);
      if (this.#count > this.#shown) this.#scheduleTick();
      return undefined;
    });
  }

  close(): void {
    this.#unsubscribe();
    this.#cancelTick?.();
    for (const settle of this.#waiting) settle();
  }

  #note(hint: Hint): void {
    if (hint.type === "job-changed") this.#keep({ id: hint.id });
    else if (hint.type === "job-removed") this.#keep({ id: hint.id, removed: hint });
    else if (hint.type === "hints-lost") this.#run = randomUUID().slice(0, 8);
    else if (hint.type !== "output-grown") return;
    if (this.#waiting.size > 0) this.#scheduleTick();
  }

  #keep(changed: Changed): void {
    this.#kept[this.#count % maxKept] = changed;
    this.#count += 1;
  }

  #scheduleTick(): void {
    if (this.#cancelTick !== undefined) return;
    const inMs = Math.max(0, this.#tickedAt + tickMs - this.#clock.monotonic());
    this.#cancelTick = this.#clock.after(inMs, () => {
      this.#cancelTick = undefined;
      this.#showMore();
      for (const settle of [...this.#waiting]) settle();
    });
  }

  #showMore(): void {
    const now = this.#clock.monotonic();
    if (now - this.#tickedAt < tickMs) return;
    this.#tickedAt = now;
    this.#shown = this.#count;
  }

  /** Each job once, with its last change, the latest first; undefined if that is not known any more, or too much. */
  #changedSince(place: string): Changed[] | undefined {
    const [, run, number] = /^([\da-f]{8}):(\d{1,15})$/.exec(place) ?? [];
    if (run === undefined) throw new LonghaulError("invalid_input", `The place "${place}" is not one that was told.`);
    const from = Number(number);
    if (run !== this.#run || from > this.#count || from < this.#count - maxKept) return undefined;
    const changed = new Map<JobId, Changed>();
    for (let at = this.#shown - 1; at >= from && changed.size <= maxChanged; at--) {
      const each = this.#kept[at % maxKept];
      if (each !== undefined && !changed.has(each.id)) changed.set(each.id, each);
    }
    return changed.size > maxChanged ? undefined : [...changed.values()];
  }

  async #tell(
    changed: readonly Changed[],
    filter: JobFilter,
    access: Access,
  ): Promise<Omit<LiveAnswer, "place" | "isReset">> {
    const ids = changed.filter(({ removed }) => removed === undefined).map(({ id }) => id);
    const isUnfiltered = Object.keys(filter).length === 0;
    // Where all jobs are told there is no need to look at more of them than are shown.
    const looked = isUnfiltered && seesAll(access) ? ids.slice(0, maxTold) : ids;
    const matching = new Map((await this.#list({ ...filter, ids: looked }, access)).map((job) => [job.id, job]));
    const others = looked.filter((id) => !matching.has(id));
    // Without a filter only the jobs of others, or such as were just removed, are missing.
    const left = isUnfiltered || others.length === 0 ? [] : await this.#list({ ids: others }, access);
    const removed = changed.filter(
      ({ removed: whose }) => whose !== undefined && (seesAll(access) || maySee(access, whose)),
    );
    const jobs = ids.flatMap((id) => matching.get(id) ?? []);
    return {
      jobs: jobs.slice(0, maxTold),
      gone: [...left, ...removed].map(({ id }) => id),
      more: Math.max(0, jobs.length - maxTold) + ids.length - looked.length,
    };
  }

  async #list(filter: JobFilter, access: Access): Promise<Job[]> {
    return (await this.#store.list(narrow(filter, access), { limit: maxChanged })).jobs;
  }
}
