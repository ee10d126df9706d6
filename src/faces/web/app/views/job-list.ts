import { signal } from "@preact/signals";
import type { JobView } from "../../../../operations/job-view.ts";
import { call, isAbort } from "../core/api.ts";
import { formatCount } from "../core/format.ts";
import { followJobs, type JobFilter, type News } from "../core/live.ts";

const firstPage = 100;
const nextPages = 1_000;

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
  #isCounting = false;
  #stop = new AbortController();

  constructor(filter: JobFilter) {
    this.filter = filter;
  }

  open(): () => void {
    this.#stop = new AbortController();
    const unfollow = followJobs(this.filter, (news, isFirst) => {
      if (isFirst || news.reset === true) void this.reload();
      else this.#take(news);
    });
    // What is wrong with the filter is told by the list; the stream only breaks.
    if (this.filter.q !== undefined) void this.reload();
    return () => {
      unfollow();
      this.#stop.abort();
    };
  }

  /** Rows change where they are; what is new comes in at the top while that is in sight, and waits otherwise. */
  #take({ jobs = [], gone = [], more = 0 }: News): void {
    if (this.isPaused.value) {
      this.news.value += jobs.length + gone.length + more;
      return;
    }
    const changed = new Map(jobs.map((job) => [job.id, job]));
    const left = new Set(gone);
    const rows = this.rows.value.flatMap((row) => {
      const now = changed.get(row.id);
      changed.delete(row.id);
      return left.has(row.id) ? [] : [now ?? row];
    });
    const newest = rows[0]?.id ?? "";
    // Ids rise with time: what is older than the first row belongs to pages that are loaded later.
    const fresh = [...changed.values()]
      .filter(({ id }) => id > newest)
      .toSorted((one, other) => (one.id < other.id ? 1 : -1));
    const isShown = this.isAtTop.value;
    this.rows.value = isShown ? [...fresh, ...rows] : rows;
    this.news.value += more + (isShown ? 0 : fresh.length);
    this.#recount();
  }

  #recount(): void {
    if (this.#cursor === undefined) this.total.value = formatCount(this.rows.value.length);
    else if (!this.#isCounting) {
      this.#isCounting = true;
      setTimeout(() => {
        this.#isCounting = false;
        void this.#count(this.#stop.signal).catch(() => undefined);
      }, 1_000);
    }
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
