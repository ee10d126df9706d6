import type { JobId } from "../../job/id.ts";
import type { StoredJob } from "../rules/change.ts";

const maxEntries = 2_000;

/**
 * The jobs that were written last, as they stand in the database: a job is claimed, reported on, settled and looked at
 * within moments, and reading it anew each time costs more than writing it. Every write goes through it; it is
 * emptied when writes are undone.
 */
export class JobCache {
  readonly #byId = new Map<JobId, StoredJob>();
  readonly #byNumber = new Map<number, StoredJob>();

  get(id: JobId): StoredJob | undefined {
    return this.#byId.get(id);
  }

  getByNumber(num: number): StoredJob | undefined {
    return this.#byNumber.get(num);
  }

  set(found: StoredJob): void {
    this.#byId.set(found.job.id, found);
    this.#byNumber.set(found.num, found);
    if (this.#byId.size > maxEntries) this.#evictOldest();
  }

  delete(found: StoredJob): void {
    this.#byId.delete(found.job.id);
    this.#byNumber.delete(found.num);
  }

  clear(): void {
    this.#byId.clear();
    this.#byNumber.clear();
  }

  #evictOldest(): void {
    for (const oldest of this.#byId.values()) {
      this.delete(oldest);
      return;
    }
  }
}
