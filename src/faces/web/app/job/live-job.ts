import { effect, signal } from "@preact/signals";
import { call, isAbort } from "../core/api.ts";
import { mayRun } from "../core/me.ts";
import { readStream } from "../core/stream.ts";
import { connection } from "../core/live.ts";
import type { JobEvent } from "../../../../job/event.ts";
import type { JobAction, JobDetail, JobSource, OutputPart } from "./source.ts";

export interface LiveJob extends JobSource {
  readonly events: { readonly value: readonly JobEvent[] };
  readonly close: () => void;
}

/** Looks again at most so often, however many events come. */
const lookMs = 200;
const maxEvents = 5_000;

/** A job by its event stream: each event means that its view may have changed. */
export function openLiveJob(id: string): LiveJob {
  const job = signal<JobDetail | undefined>(undefined);
  const error = signal<unknown>(undefined);
  const events = signal<readonly JobEvent[]>([]);
  const stop = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let pending: JobEvent[] = [];
  const look = async (): Promise<void> => {
    timer = undefined;
    if (pending.length > 0) {
      const seen = new Set(events.value.map(({ seq }) => seq));
      events.value = [...events.value, ...pending.filter(({ seq }) => !seen.has(seq))].slice(-maxEvents);
      pending = [];
    }
    try {
      job.value = await call("job_get", { id }, stop.signal);
      error.value = undefined;
    } catch (problem) {
      if (!isAbort(problem)) error.value = problem;
    }
  };
  const lookSoon = (): void => {
    timer ??= setTimeout(() => void look(), lookMs);
  };
  void look();
  let watching: AbortController | undefined;
  const dispose = effect(() => {
    // A tab that nobody looks at holds no stream: browsers allow six to one host.
    watching?.abort();
    if (!connection.isWanted.value) return;
    watching = new AbortController();
    const lastSeq = events.peek().at(-1)?.seq ?? 0;
    void readStream({
      path: () => `/v1/jobs/${encodeURIComponent(id)}/events`,
      lastId: String(lastSeq),
      signal: watching.signal,
      onEvent: ({ data }) => {
        pending.push(JSON.parse(data) as JobEvent);
        lookSoon();
      },
    });
  });
  return {
    id,
    job,
    error,
    events,
    get isReadOnly() {
      return !mayRun();
    },
    follow: (request, take, stopped) => followOutput(id, request, take, stopped),
    act: async (action) => {
      await act(id, action);
      await look();
    },
    close: () => {
      dispose();
      watching?.abort();
      clearTimeout(timer);
      stop.abort();
    },
  };
}

/** Of a great output, what comes from so many bytes before the end. */
function followOutput(
  id: string,
  { attempt, stream }: { attempt?: number; stream: string },
  take: (part: OutputPart) => void,
  stopped: AbortSignal,
): void {
  const words = new URLSearchParams({ stream, ...(attempt === undefined ? {} : { attempt: String(attempt) }) });
  let lastId: string | undefined;
  let watching: AbortController | undefined;
  const dispose = effect(() => {
    watching?.abort();
    if (!connection.isWanted.value) return;
    watching = new AbortController();
    void readStream({
      path: () => `/v1/jobs/${encodeURIComponent(id)}/output?${words.toString()}`,
      ...(lastId === undefined ? {} : { lastId }),
      signal: watching.signal,
      onEvent: (event) => {
        lastId = event.id;
        if (event.type === "output") take(JSON.parse(event.data) as OutputPart);
      },
    });
  });
  stopped.addEventListener("abort", () => (dispose(), watching?.abort()), { once: true });
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
