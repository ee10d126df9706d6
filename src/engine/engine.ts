import { randomUUID } from "node:crypto";
import { defined } from "../job/defined.ts";
import { LonghaulError } from "../job/error.ts";
import type { JobEvent } from "../job/event.ts";
import { isJobId, type JobId } from "../job/id.ts";
import { parseInput } from "../job/issue.ts";
import type { Job } from "../job/job.ts";
import type { Json } from "../job/json.ts";
import type { ChildRequest } from "../job/kind.ts";
import { answerSchema, checkAnswer, type Answer, type AskedQuestion } from "../job/question.ts";
import type { OutputSize, OutputSlice } from "../store/output-store.ts";
import type { JobFilter, JobPage, PageRequest, StatusCount } from "../store/store.ts";
import { Feed } from "./feed.ts";
import { prune, startHousekeeping } from "./housekeeping.ts";
import { diagnoseQueue, type QueueDiagnosis } from "./queue-diagnosis.ts";
import type { Run } from "./run.ts";
import { Runs } from "./runs.ts";
import { toKindMap, toSettings, type EngineOptions } from "./settings.ts";
import { createSubmitter, findKind, type SubmitRequest } from "./submit.ts";
import { waitForJobs, type WaitOptions, type WaitResult } from "./wait.ts";

/** Who asks. With an owner, jobs of other owners look as if they did not exist; without, all are visible. */
export interface Access {
  readonly owner?: string;
}

/** As `Access`, with a name for the record of who did it. */
export interface Actor extends Access {
  readonly by?: string;
}

export interface OutputRequest {
  readonly stream?: string;
  /** The current attempt unless given. */
  readonly attempt?: number;
  readonly from?: number;
  readonly limit?: number;
}

/** Runs jobs. Every method that takes an id throws `not_found`, or `expired` once the job's retention has ended. */
export interface Engine {
  /** Resolves when the job is stored for good; it runs as soon as there is room. */
  readonly submit: (request: SubmitRequest) => Promise<Job>;
  /** All of the requests or none. Jobs come back in the order of the requests. */
  readonly submitMany: (requests: readonly SubmitRequest[]) => Promise<Job[]>;
  readonly get: (id: string, access?: Access) => Promise<Job>;
  readonly list: (filter?: JobFilter, page?: Partial<PageRequest>) => Promise<JobPage>;
  readonly count: (filter?: Pick<JobFilter, "owner" | "batch">) => Promise<StatusCount[]>;
  /** The id that ends with these characters, if there is just one. */
  readonly findId: (suffix: string, access?: Access) => Promise<JobId>;
  readonly input: (id: string, access?: Access) => Promise<Json>;
  /** What a succeeded job returned; refused (`conflict`) for a job that has not succeeded. */
  readonly result: (id: string, access?: Access) => Promise<Json>;
  readonly events: (id: string, after?: number, limit?: number, access?: Access) => Promise<JobEvent[]>;
  /** Events after a sequence number and then as they come, until the job ends or the signal comes. */
  readonly follow: (
    id: string,
    options?: Access & { after?: number; signal?: AbortSignal },
  ) => AsyncGenerator<JobEvent>;
  readonly readOutput: (id: string, request?: OutputRequest, access?: Access) => Promise<OutputSlice>;
  readonly outputSizes: (id: string, attempt?: number, access?: Access) => Promise<Record<string, OutputSize>>;
  readonly wait: (ids: string | readonly string[], options?: WaitOptions & Access) => Promise<WaitResult>;
  /** Idempotent. A running job stays running until it has cleaned up. */
  readonly cancel: (id: string, reason?: string, actor?: Actor) => Promise<Job>;
  readonly retry: (id: string, actor?: Actor) => Promise<Job>;
  readonly questions: (id: string, access?: Access) => Promise<AskedQuestion[]>;
  readonly answer: (id: string, key: string, answer: Answer, actor?: Actor) => Promise<Job>;
  /** Why a queued job has not started; undefined once it has. */
  readonly diagnose: (id: string, access?: Access) => Promise<QueueDiagnosis | undefined>;
  /** Running jobs of the kind go on; queued ones stay queued until it is resumed. */
  readonly pause: (kind: string) => Promise<void>;
  readonly resume: (kind: string) => Promise<void>;
  readonly pausedKinds: () => Promise<string[]>;
  /** Removes finished jobs whose retention has ended, at once instead of at the next round. */
  readonly prune: () => Promise<number>;
  /** Tells running attempts to stop, stores where they are, and closes the store. Jobs go on with the next engine. */
  readonly stop: () => Promise<void>;
}

const mostListed = 1_000;
const mostRead = 1_000_000;

export async function createEngine(options: EngineOptions): Promise<Engine> {
  const { store } = options;
  const kinds = toKindMap(options.kinds);
  const settings = toSettings(options);
  const { clock } = settings;
  const worker = randomUUID();
  const feed = new Feed(store, clock, settings.pollMs);
  const submitter = createSubmitter(kinds, settings);
  let stopping: Promise<void> | undefined;

  const submitMany = async (requests: readonly SubmitRequest[]): Promise<Job[]> => {
    if (stopping !== undefined) throw new LonghaulError("stopped", "The engine has stopped and takes no more jobs.");
    const { drafts, ids } = submitter.draft(requests);
    const creating = store.create(drafts);
    runs.dispatcher.wake();
    const created = new Map((await creating).map(({ job }, index) => [drafts[index]?.spec.id, job]));
    return ids.map((id) => created.get(id) as Job);
  };
  const submit = async (request: SubmitRequest): Promise<Job> => {
    const [job] = await submitMany([request]);
    return job as Job;
  };
  const spawn = async (run: Run, child: ChildRequest): Promise<JobId> => {
    const { key, ...request } = child;
    const idempotencyKey = `child ${run.id} ${run.job.state.attempt} ${key}`;
    return (await submit({ ...request, owner: run.job.owner, parent: run.id, idempotencyKey })).id;
  };
  const runs = new Runs({ store, kinds, settings, worker, feed, spawn });

  const get = async (id: string, { owner }: Access = {}): Promise<Job> => {
    const job = isJobId(id) ? await store.get(id) : undefined;
    if (job !== undefined && (owner === undefined || job.owner === owner)) return job;
    throw await missing(id, owner);
  };
  const missing = async (id: string, owner: string | undefined): Promise<LonghaulError> => {
    const tombstone = isJobId(id) ? await store.tombstone(id) : undefined;
    if (tombstone === undefined || (owner !== undefined && tombstone.owner !== owner)) {
      return new LonghaulError("not_found", `There is no job ${id}.`, { details: { job: id } });
    }
    const at = new Date(tombstone.purgedAt).toISOString();
    return new LonghaulError(
      "expired",
      `Job ${id} has expired: it finished, was kept for its time, and was removed at ${at}.`,
    );
  };
  const setPaused = async (kind: string, isPaused: boolean): Promise<void> => {
    findKind(kinds, kind);
    await store.setPaused(kind, isPaused);
    runs.dispatcher.setPaused(await store.pausedKinds());
  };

  const engine: Engine = {
    submit,
    submitMany,
    get,
    list: (filter = {}, page = {}) =>
      store.list(filter, { ...page, limit: Math.min(mostListed, Math.max(1, page.limit ?? 20)) }),
    count: (filter = {}) => store.count(filter),
    findId: async (suffix, { owner } = {}) => {
      const found = await store.idsEndingWith(suffix.toLowerCase(), owner, 2);
      const [id] = found;
      if (id === undefined) throw new LonghaulError("not_found", `There is no job whose id ends with "${suffix}".`);
      if (found.length > 1)
        throw new LonghaulError("conflict", `More than one job's id ends with "${suffix}": give more of it.`);
      return id;
    },
    input: async (id, access) => {
      const payload = await store.payload((await get(id, access)).id);
      return JSON.parse(payload?.input ?? "null") as Json;
    },
    result: async (id, access) => {
      const job = await get(id, access);
      if (job.state.status !== "succeeded") {
        throw new LonghaulError("conflict", `Job ${id} has no result: it is ${job.state.status}.`);
      }
      return JSON.parse((await store.payload(job.id))?.result ?? "null") as Json;
    },
    events: async (id, after = 0, limit = 200, access) =>
      store.read((await get(id, access)).id, after, Math.min(limit, mostListed)),
    follow: async function* follow(id, { after = 0, signal, ...access } = {}) {
      yield* feed.follow((await get(id, access)).id, after, signal);
    },
    readOutput: async (id, { stream = "stdout", from = 0, limit = 64 * 1024, ...request } = {}, access) => {
      const job = await get(id, access);
      const address = { id: job.id, attempt: request.attempt ?? job.state.attempt, stream };
      return store.output.read(address, Math.max(0, from), Math.min(mostRead, limit));
    },
    outputSizes: async (id, attempt, access) => {
      const job = await get(id, access);
      const at = attempt ?? job.state.attempt;
      const streams = await store.output.streams(job.id, at);
      const measure = async (stream: string): Promise<[string, OutputSize]> => [
        stream,
        await store.output.measure({ id: job.id, attempt: at, stream }),
      ];
      return Object.fromEntries(await Promise.all(streams.map(measure)));
    },
    wait: async (ids, { owner, ...waitOptions } = {}) => {
      const wanted = [...new Set(typeof ids === "string" ? [ids] : ids)];
      const load = (id: string): Promise<Job> => get(id, defined({ owner }));
      return waitForJobs(wanted as JobId[], waitOptions, { feed, clock, output: store.output, load });
    },
    cancel: async (id, reason = "cancelled by request", { by, ...access } = {}) => {
      const job = await get(id, access);
      const cancelled = await store.cancel(job.id, { reason, at: clock.now(), ...defined({ by }) });
      return cancelled ?? get(id, access);
    },
    retry: async (id, { by, ...access } = {}) => {
      const job = await get(id, access);
      const retrying = store.retry(job.id, { at: clock.now(), ...defined({ by }) });
      runs.dispatcher.wake();
      return (await retrying) ?? get(id, access);
    },
    questions: async (id, access) => store.questions((await get(id, access)).id),
    answer: async (id, key, given, { by, ...access } = {}) => {
      const job = await get(id, access);
      const answer = parseInput(answerSchema, given, "The answer");
      const asked = (await store.questions(job.id)).find((question) => question.key === key);
      if (asked !== undefined) checkAnswer(asked.question, answer);
      const result = await store.answer(job.id, { key, answer, at: clock.now(), ...defined({ by }) });
      if (result === "answered") return get(id, access);
      throw refusedAnswer(job, key, result);
    },
    diagnose: async (id, access) => {
      const job = await get(id, access);
      return diagnoseQueue(job, kinds.get(job.kind), { store, settings, dispatcher: runs.dispatcher });
    },
    pause: (kind) => setPaused(kind, true),
    resume: (kind) => setPaused(kind, false),
    pausedKinds: () => store.pausedKinds(),
    prune: () => prune(store, clock.now()),
    stop: () => {
      stopping ??= (async () => {
        await stopHousekeeping();
        await runs.stop();
        feed.close();
        await store.close();
      })();
      return stopping;
    },
  };

  runs.dispatcher.setPaused(await store.pausedKinds());
  await runs.rescue(store.capabilities.isExclusive ? Infinity : clock.now());
  const stopHousekeeping = startHousekeeping(store, runs, settings);
  runs.dispatcher.wake();
  return engine;
}

function refusedAnswer(job: Job, key: string, result: "already_answered" | "not_asked" | "finished"): LonghaulError {
  const message = {
    already_answered: `Question "${key}" of job ${job.id} was answered before.`,
    not_asked: `Job ${job.id} has not asked a question "${key}".`,
    finished: `Job ${job.id} is ${job.state.status}: its question needs no answer any more.`,
  }[result];
  return new LonghaulError(result === "not_asked" ? "not_found" : "conflict", message);
}
