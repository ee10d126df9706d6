import { signal } from "@preact/signals";
import type { JobEvent } from "../../../../job/event.ts";
import { call, isAbort } from "../core/api.ts";
import { followJob } from "../core/live.ts";
import { mayRun } from "../core/me.ts";
import { isOpen } from "./job-head.tsx";
import { OutputFeed, type OutputChoice } from "./output-feed.ts";
import type { JobAction, JobDetail, JobSource } from "./source.ts";

export interface LiveJob extends JobSource {
  readonly events: { readonly value: readonly JobEvent[] };
  readonly close: () => void;
}

const maxEvents = 5_000;
/** Of a longer output only its last part is read. */
const maxBytes = 4_000_000;

/** A job by the tab's stream: its view, its events and its output. */
export function openLiveJob(id: string): LiveJob {
  const job = signal<JobDetail | undefined>(undefined);
  const error = signal<unknown>(undefined);
  const events = signal<readonly JobEvent[]>([]);
  const output = new OutputFeed();
  const stop = new AbortController();
  const look = async (): Promise<void> => {
    try {
      job.value = await call("job_get", { id }, stop.signal);
      error.value = undefined;
    } catch (problem) {
      if (!isAbort(problem)) error.value = problem;
    }
  };
  const told = (problem: unknown): undefined => {
    if (!isAbort(problem)) error.value = problem;
  };
  let unfollow: (() => void) | undefined;
  let chosen = "";
  const choose = async (choice: OutputChoice): Promise<void> => {
    if (JSON.stringify(choice) === chosen) return;
    chosen = JSON.stringify(choice);
    const whole = { id, stream: choice.stream, ...(choice.attempt === undefined ? {} : { attempt: choice.attempt }) };
    const size = (await call("job_output", { ...whole, limit: 1 }, stop.signal).catch(told))?.size ?? 0;
    if (stop.signal.aborted || JSON.stringify(choice) !== chosen) return;
    unfollow?.();
    output.clear();
    const { id: _id, ...words } = whole;
    unfollow = followJob({ job: id, ...words, from: Math.max(0, size - maxBytes) }, (news, isFirst) => {
      const seen = isFirst ? [] : events.value;
      const lastSeq = seen.at(-1)?.seq ?? 0;
      if (isFirst || news.events !== undefined) {
        events.value = [...seen, ...(news.events ?? []).filter(({ seq }) => seq > lastSeq)].slice(-maxEvents);
      }
      if (news.output !== undefined) output.take(news.output);
      const before = job.peek();
      if (news.view === undefined) return;
      // Input and files come with a look of their own, when there may be others.
      if (before === undefined || !isOpen(news.view)) void look();
      else {
        const { input, result, artifacts } = before;
        job.value = {
          ...news.view,
          ...(input === undefined ? {} : { input }),
          ...(result === undefined ? {} : { result }),
          ...(artifacts === undefined ? {} : { artifacts }),
        };
      }
    });
  };
  void choose({ stream: "merged" });
  return {
    id,
    job,
    error,
    events,
    output,
    get isReadOnly() {
      return !mayRun();
    },
    choose: (choice) => void choose(choice),
    act: async (action) => {
      await act(id, action);
      await look();
    },
    close: () => {
      unfollow?.();
      stop.abort();
    },
  };
}

async function act(id: string, action: JobAction): Promise<void> {
  switch (action.verb) {
    case "cancel":
      await call("job_cancel", { ids: [id] });
      return;
    case "retry":
      await call("job_retry", { ids: [id] });
      return;
    case "send":
      await call("job_send", { id, text: action.text });
      return;
    case "answer":
      await call("job_answer", { id, key: action.key, answer: action.answer });
  }
}
