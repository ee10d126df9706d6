import { computed, effect, signal } from "@preact/signals";
import type { AnswerOf, InputOf } from "../../../../operations/registry.ts";
import { session } from "./api.ts";
import { readStream } from "./stream.ts";

export type News = AnswerOf<"live_read">;
export type JobFilter = NonNullable<InputOf<"job_cancel">["filter"]>;
type Wish = Readonly<Record<string, string | number | readonly string[] | undefined>>;

const isSeen = signal(!document.hidden);
document.addEventListener("visibilitychange", () => {
  isSeen.value = !document.hidden;
});

/** Rises when jobs have changed: who shows a sum of them looks again. */
export const changes = signal(0);
/** How many jobs are in each state, of each kind. */
export const counts = signal<NonNullable<News["counts"]>>([]);
/** Since when the server is away. */
export const awaySince = signal<number | undefined>(undefined);

interface Follower {
  readonly wish: Wish;
  /** First with what begins the stream, which is nothing new: what is loaded from then on has no gap to what follows. */
  readonly take: (news: News, isFirst: boolean) => void;
}

/** A tab has one stream, because browsers allow six to a host; what it asks for changes with what is shown. */
const jobsFollower = signal<Follower | undefined>(undefined);
const jobFollower = signal<Follower | undefined>(undefined);

export function followJobs(filter: JobFilter, take: Follower["take"]): () => void {
  return hold(jobsFollower, { wish: filter, take });
}

export function followJob(wish: Wish, take: Follower["take"]): () => void {
  return hold(jobFollower, { wish, take });
}

function hold(slot: typeof jobsFollower, follower: Follower): () => void {
  slot.value = follower;
  return () => {
    if (slot.peek() === follower) slot.value = undefined;
  };
}

const path = computed(() => {
  const wish: Wish = { ...jobsFollower.value?.wish, ...jobFollower.value?.wish };
  const words = new URLSearchParams({ counts: "true", jobs: String(jobsFollower.value !== undefined) });
  for (const [name, value] of Object.entries(wish)) if (value !== undefined) words.set(name, String(value));
  return `/v1/live?${words.toString()}`;
});

/** Follows from when somebody has logged in until they log out. */
export function startLive(): () => void {
  let lastPath = "";
  let lastId: string | undefined;
  let changedSoon: ReturnType<typeof setTimeout> | undefined;
  return effect(() => {
    const wanted = path.value;
    if (session.value === undefined || !isSeen.value) return undefined;
    let isFirst = wanted !== lastPath;
    if (isFirst) lastId = undefined;
    lastPath = wanted;
    const stop = new AbortController();
    void readStream({
      path: () => wanted,
      ...(lastId === undefined ? {} : { lastId }),
      signal: stop.signal,
      onState: (state) => {
        awaySince.value = state === "open" ? undefined : (awaySince.peek() ?? Date.now());
      },
      onEvent: ({ id, data }) => {
        lastId = id;
        const news = JSON.parse(data) as News;
        if (news.counts !== undefined) counts.value = news.counts;
        jobsFollower.peek()?.take(news, isFirst);
        jobFollower.peek()?.take(news, isFirst);
        isFirst = false;
        if (news.counts === undefined && news.reset !== true) return;
        // At most twice a second, however much goes on.
        changedSoon ??= setTimeout(() => {
          changedSoon = undefined;
          changes.value++;
        }, 500);
      },
    });
    return () => stop.abort();
  });
}
