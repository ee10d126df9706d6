import { setTimeout as delay } from "node:timers/promises";
import { JobFailure, messageOf } from "../../job/failure.ts";
import { isRecord } from "../../job/is-record.ts";
import type { Json } from "../../job/json.ts";
import type { JobContext, StopCause } from "../../job/kind.ts";
import type { Progress } from "../../job/state.ts";
import type { EndpointHealth } from "./remote-endpoint.ts";
import { Worker, type WorkerCommand, type WorkerListener, type WorkerReply } from "./worker.ts";
import { listByTokens, signalProcess } from "../shell/process-tree.ts";

export interface PoolSettings {
  readonly command: WorkerCommand;
  /** Kept for the next job, instead of one process per job. */
  readonly isWarm: boolean;
  /** How long a warm worker may be without a job. */
  readonly keepMs: number;
  /** How long a job that is told to stop may take before its worker is killed. */
  readonly cancelMs: number;
  /** Resolves when no worker of an earlier server is left. */
  readonly isClear: () => Promise<void>;
}

/** How long a process that has answered its only job may take to end. */
const exitMs = 5_000;
/** Workers in a row that broke down, from which on the endpoint counts as unhealthy. */
const crashLoop = 2;

/** The workers of one local endpoint. How many there are at once is the engine's matter: each job that runs has one. */
export class WorkerPool {
  readonly #settings: PoolSettings;
  readonly #idle = new Map<Worker, NodeJS.Timeout>();
  readonly #busy = new Set<Worker>();
  readonly #counts = { completed: 0, failed: 0 };
  #starting = 0;
  #breakdowns = 0;

  constructor(settings: PoolSettings) {
    this.#settings = settings;
  }

  async run(input: Json, context: JobContext, listener: WorkerListener): Promise<Json> {
    const { isWarm } = this.#settings;
    const worker = await this.#take();
    this.#busy.add(worker);
    let isReusable = false;
    try {
      const replying = worker.run({ id: context.id, input }, listener, !isWarm);
      const reply = await Promise.race([replying, aborted(context.signal)]);
      if (reply === "aborted") {
        isReusable = await this.#stop(worker, replying, context);
        throw context.signal.reason;
      }
      isReusable = reply.type !== "broken";
      return this.#conclude(reply);
    } finally {
      if (isWarm && isReusable && !worker.hasEnded) this.#release(worker);
      else await worker.end(isReusable ? { waitMs: exitMs, termMs: 1_000 } : { waitMs: 0, termMs: 0 });
      this.#busy.delete(worker);
    }
  }

  workers(): EndpointHealth["workers"] {
    const isUnhealthy = this.#breakdowns >= crashLoop;
    return {
      idle: this.#idle.size,
      ready: this.#idle.size,
      initializing: this.#starting,
      running: this.#busy.size,
      throttled: 0,
      unhealthy: isUnhealthy ? 1 : 0,
    };
  }

  /** Each by the id of its process. */
  list(): { id: string; status: "RUNNING" | "IDLE" }[] {
    const busy = [...this.#busy].map(({ pid = "" }) => ({ id: String(pid), status: "RUNNING" as const }));
    return [...busy, ...[...this.#idle.keys()].map(({ pid = "" }) => ({ id: String(pid), status: "IDLE" as const }))];
  }

  counts(): { completed: number; failed: number } {
    return { ...this.#counts };
  }

  async close(): Promise<void> {
    const idle = [...this.#idle];
    this.#idle.clear();
    for (const [, timer] of idle) clearTimeout(timer);
    await Promise.all(idle.map(([worker]) => worker.end({ waitMs: 1_000, termMs: 500 })));
  }

  async #take(): Promise<Worker> {
    for (const [worker, timer] of this.#idle) {
      clearTimeout(timer);
      this.#idle.delete(worker);
      if (!worker.hasEnded) return worker;
    }
    this.#starting += 1;
    try {
      await this.#settings.isClear();
      const worker = await Worker.start(this.#settings.command);
      void this.#watch(worker);
      return worker;
    } catch (error) {
      this.#breakdowns += 1;
      throw new JobFailure("not_started", `The endpoint's command could not be started: ${messageOf(error)}.`, {
        cause: error,
      });
    } finally {
      this.#starting -= 1;
    }
  }

  #release(worker: Worker): void {
    const timer = setTimeout(() => {
      this.#idle.delete(worker);
      void worker.end({ waitMs: exitMs, termMs: 1_000 });
    }, this.#settings.keepMs);
    this.#idle.set(worker, timer);
  }

  /** A worker that ends while nobody needs it leaves its guard, and perhaps children, behind. */
  async #watch(worker: Worker): Promise<void> {
    await worker.ended;
    clearTimeout(this.#idle.get(worker));
    if (this.#idle.delete(worker)) await worker.end({ waitMs: 0, termMs: 0 });
  }

  /** Whether the worker gave up its job by itself, and is good for another. */
  async #stop(worker: Worker, replying: Promise<WorkerReply>, { id, signal }: JobContext): Promise<boolean> {
    const cause = signal.reason as StopCause | undefined;
    const isHurried = cause?.type === "stopping" || cause?.type === "lease_lost";
    if (isHurried) return false;
    const { isWarm, cancelMs } = this.#settings;
    if (!isWarm) {
      await worker.end({ waitMs: 0, termMs: cancelMs });
      return false;
    }
    worker.cancel(id);
    const reply = await Promise.race([replying, delay(cancelMs, undefined, { ref: false })]);
    return reply !== undefined && reply.type !== "broken";
  }

  #conclude(reply: WorkerReply): Json {
    this.#breakdowns = reply.type === "broken" ? this.#breakdowns + 1 : 0;
    this.#counts[reply.type === "output" ? "completed" : "failed"] += 1;
    if (reply.type === "output") return reply.output;
    if (reply.type === "broken") {
      const { exitCode, signal } = reply;
      throw new JobFailure("worker_broken", `${capitalise(reply.why)}.`, { details: { exit_code: exitCode, signal } });
    }
    const { error } = reply;
    throw new JobFailure("handler_error", typeof error === "string" ? error : JSON.stringify(error), {
      details: { error },
    });
  }
}

/** A worker may say how far it is as a number of percent, as a text, or as an object with either. */
export function toProgress(said: Json): Progress {
  if (typeof said === "number") return { percent: said };
  if (typeof said === "string") return { message: said.slice(0, 300) };
  const { percent, message } = isRecord(said) ? said : {};
  if (typeof percent !== "number" && typeof message !== "string")
    return { message: JSON.stringify(said).slice(0, 300) };
  return {
    ...(typeof percent === "number" ? { percent } : {}),
    ...(typeof message === "string" ? { message: message.slice(0, 300) } : {}),
  };
}

function aborted(signal: AbortSignal): Promise<"aborted"> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve("aborted");
    signal.addEventListener("abort", () => resolve("aborted"), { once: true });
  });
}

function capitalise(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

/** The variable that marks all processes of the workers of one server's folder. */
const workersVariable = "LONGHAUL_WORKERS_OF";
const patienceMs = 5_000;

export function workersEnv(home: string): Record<string, string> {
  return { [workersVariable]: home };
}

/** Ends what a server that was killed has left running. To be called before the first worker of this one. */
export async function endLeftoverWorkers(home: string): Promise<void> {
  const giveUpAt = performance.now() + patienceMs;
  for (;;) {
    const left = await listByTokens([`${workersVariable}=${home}`]);
    if (left.length === 0 || performance.now() > giveUpAt) return;
    for (const pid of left) signalProcess(pid, "SIGKILL");
    await delay(20);
  }
}
