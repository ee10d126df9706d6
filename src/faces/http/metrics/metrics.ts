import { monitorEventLoopDelay } from "node:perf_hooks";
import { seesAll, type Access } from "../../../engine/access.ts";
import type { Engine } from "../../../engine/engine.ts";
import { elapsedMs } from "../../../job/elapsed.ts";
import type { Job } from "../../../job/job.ts";
import { isTerminal } from "../../../job/state.ts";
import { Counter, expose, Histogram } from "./exposition.ts";

export interface Metrics {
  readonly countRequest: (method: string, route: string, status: number) => void;
  /** The figures in Prometheus' text format: of the jobs that the caller may see, and of the server for who may see all of it. */
  readonly expose: (access: Access, openReaders: number) => Promise<string>;
  readonly close: () => void;
}

const resolutionMs = 10;

/** Counts what passes from now on; what can be counted at any time is counted when somebody asks. */
export function createMetrics(engine: Engine): Metrics {
  const requests = new Counter();
  const finished = new Counter();
  const waitTimes = new Histogram();
  const runTimes = new Histogram();
  const delay = monitorEventLoopDelay({ resolution: resolutionMs });
  // It measures the time between two looks, of which this much is meant.
  const toLag = (nanoseconds: number): number => Math.max(0, nanoseconds / 1e9 - resolutionMs / 1_000);
  delay.enable();
  const stop = engine.onFinished((job) => {
    finished.add({ kind: job.kind, state: job.state.status });
    observeTimes(job, waitTimes, runTimes);
  });
  const exposeServer = (openReaders: number): string[] => {
    const figures = [
      finished.expose("longhaul_jobs_finished_total", "Jobs that ended since the server started, by kind and state."),
      waitTimes.expose(
        "longhaul_job_wait_seconds",
        "Time from submit to start, of jobs that ended at their first attempt.",
      ),
      runTimes.expose("longhaul_job_run_seconds", "Time from the start of the last attempt to the end."),
      requests.expose("longhaul_http_requests_total", "Requests that were answered, by route and status."),
      expose("longhaul_http_stream_readers", "gauge", "Event streams that are open.", [[{}, openReaders]]),
      expose("longhaul_event_loop_lag_seconds", "gauge", "How late the event loop was since the last look.", [
        [{ quantile: "0.5" }, toLag(delay.percentile(50))],
        [{ quantile: "0.99" }, toLag(delay.percentile(99))],
        [{ quantile: "1" }, toLag(delay.max)],
      ]),
      expose("process_resident_memory_bytes", "gauge", "Memory of the server.", [[{}, process.memoryUsage.rss()]]),
    ];
    delay.reset();
    return figures;
  };
  return {
    countRequest: (method, route, status) => requests.add({ method, route, status: String(status) }),
    expose: async (actor, openReaders) => {
      const counts = await engine.count({}, actor);
      const queued = counts.filter(({ status }) => status === "queued");
      const text = [
        expose(
          "longhaul_jobs",
          "gauge",
          "Jobs that are kept, by kind and state.",
          counts.map(({ kind, status, count }) => [{ kind, state: status }, count]),
        ),
        expose(
          "longhaul_queue_depth",
          "gauge",
          "Jobs that have not started, by kind.",
          queued.map(({ kind, count }) => [{ kind }, count]),
        ),
        ...(seesAll(actor) ? exposeServer(openReaders) : []),
      ];
      return text.join("");
    },
    close: () => {
      stop();
      delay.disable();
    },
  };
}

function observeTimes({ kind, state, createdAt }: Job, waitTimes: Histogram, runTimes: Histogram): void {
  if (!isTerminal(state) || state.startedAt === undefined) return;
  if (state.attempt === 1) waitTimes.observe(kind, elapsedMs(createdAt, state.startedAt) / 1_000);
  runTimes.observe(kind, elapsedMs(state.startedAt, state.finishedAt) / 1_000);
}
