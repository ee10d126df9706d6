import { signal } from "@preact/signals";
import type { InputOf } from "../../../../operations/registry.ts";
import type { JobView } from "../../../../operations/job-view.ts";
import { call, isAbort } from "../core/api.ts";
import { formatCount } from "../core/format.ts";

const firstPage = 100;
const nextPages = 1_000;

export type JobFilter = NonNullable<InputOf<"job_cancel">["filter"]>;

/** The jobs that match a filter, newest first: loaded page by page, and kept up to date. */
export class JobList {
  readonly filter: JobFilter;
  readonly rows = signal<readonly JobView[]>([]);
  readonly isLoaded = signal(false);
  readonly error = signal<unknown>(undefined);
  readonly total = signal("…");
  readonly isPaused = signal(false);
  /** The first row is in sight: what is new may come in without moving what somebody looks at. */
  readonly isAtTop = signal(true);
  /** Changes that wait until somebody wants to see them. */
  readonly news = signal(0);
  #cursor: string | undefined;
  #isLoading = false;
  #stop = new AbortController();

  constructor(filter: JobFilter) {
    this.filter = filter;
  }

  open(): () => void {
    this.#stop = new AbortController();
    void this.reload();
    return () => this.#stop.abort();
  }

  async reload(): Promise<void> {
    const { signal: stopped } = this.#stop;
    try {
      const page = await call("job_list", { ...this.filter, limit: firstPage, explain: true }, stopped);
      if (stopped.aborted) return;
      this.#cursor = page.cursor;
      this.rows.value = page.jobs;
      this.error.value = undefined;
      this.isLoaded.value = true;
      this.total.value = `${formatCount(page.jobs.length)}${page.cursor === undefined ? "" : "+"}`;
      if (page.cursor !== undefined) await this.#count(stopped);
    } catch (error) {
      if (!isAbort(error)) this.error.value = error;
    }
  }

  async loadMore(): Promise<void> {
    if (this.#isLoading || this.#cursor === undefined) return;
    this.#isLoading = true;
    try {
      const page = await call(
        "job_list",
        { ...this.filter, limit: nextPages, cursor: this.#cursor },
        this.#stop.signal,
      );
      this.#cursor = page.cursor;
      this.rows.value = [...this.rows.value, ...page.jobs];
    } catch (error) {
      if (!isAbort(error)) this.error.value = error;
    } finally {
      this.#isLoading = false;
    }
  }

  async #count(stopped: AbortSignal): Promise<void> {
    const { total, is_capped: isCapped } = await call("job_count", this.filter, stopped);
    this.total.value = `${formatCount(total)}${isCapped === true ? "+" : ""}`;
  }

  takeNews(): void {
    this.news.value = 0;
    void this.reload();
  }
}
