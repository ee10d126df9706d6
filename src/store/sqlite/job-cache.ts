import type { JobId } from "../../job/id.ts";
import type { Found } from "./rows.ts";

const mostEntries = 2_000;

/**
 * The jobs that were written last, as they stand in the database: a job is claimed, reported on, settled and looked at
 * within moments, and reading it anew each time costs more than writing it. Every write goes through it; it is
 * emptied when writes are undone.
 */
export class JobCache {
  readonly #byId = new Map<JobId, Found>();
  readonly #byNumber = new Map<number, Found>();

  get(id: JobId): Found | undefined {
    return this.#byId.get(id);
  }

  getByNumber(num: number): Found | undefined {
    return this.#byNumber.get(num);
  }

  set(found: Found): void {
    this.#byId.set(found.job.id, found);
    this.#byNumber.set(found.num, found);
    if (this.#byId.size > mostEntries) this.#evictOldest();
  }

  delete(found: Found): void {
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
