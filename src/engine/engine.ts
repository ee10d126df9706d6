import { randomUUID } from "node:crypto";
import { defined } from "../job/defined.ts";
import type { Artifact } from "../job/artifact.ts";
import type { JobEvent } from "../job/event.ts";
import { createIdSource, type JobId } from "../job/id.ts";
import type { Job } from "../job/job.ts";
import type { Json } from "../job/json.ts";
import type { SentInput, WindowSize } from "../job/kind.ts";
import type { Answer, AskedQuestion } from "../job/question.ts";
import type { OutputSize } from "../job/output.ts";
import type { Delivery, DeliveryFilter, DeliveryKey, DeliveryPage } from "../store/delivery.ts";
import type { ArtifactSlice, OutputSlice } from "../store/output-store.ts";
import type { Rollup, RollupRequest } from "../store/rollup-store.ts";
import type { CountPage, Created, JobFilter, JobPage, PageRequest, StatusCount } from "../store/store.ts";
import type { Member } from "../store/member.ts";
import type { PatternPool } from "../text/pattern-pool.ts";
import type { Access, Actor } from "./access.ts";
import { createActions } from "./actions.ts";
import { createAttemptTokens } from "./attempt-tokens.ts";
import { createCallsHere } from "./calls/attempt-calls.ts";
import { createCalls } from "./calls/calls-elsewhere.ts";
import { startMailbox } from "./calls/mailbox.ts";
import { Feed } from "./feed.ts";
import { startHousekeeping } from "./housekeeping.ts";
import { createMembership } from "./machines/membership.ts";
import { createInside, type Inside } from "./inside.ts";
import type { QueueDiagnosis } from "./queue-diagnosis.ts";
import { createMarks, type Marks } from "./marks.ts";
import { createReads, type ArtifactRequest, type KindFacts, type OutputRequest } from "./reads.ts";
import { LiveChanges, type LiveAnswer, type LiveRequest } from "./live-changes.ts";
import { Attempts } from "./attempts.ts";
import { createScheduleBook, type ScheduleBook } from "./schedules/schedule-book.ts";
import { Scheduler } from "./schedules/scheduler.ts";
import { toKindMap, toLimits, toSettings, type EngineOptions } from "./settings.ts";
import { startStoreClock } from "./machines/store-clock.ts";
import { createSubmitter, type SubmitRequest } from "./submit.ts";
import { createSessionBook, type SessionBook } from "./sessions.ts";
import { createTokenBook, type TokenBook } from "./tokens.ts";
import type { WaitOptions, WaitResult } from "./wait.ts";
import type { TestedTarget } from "./webhooks/formats.ts";
import { Deliverer } from "./webhooks/deliverer.ts";

/**
 * Attempts jobs. Every method that takes an id throws `not_found`, or `expired` once the job's retention has ended. Whoever calls on
 * somebody's behalf says so with `access` or `actor`: here, and nowhere else, is decided what they may (`not_allowed`).
 */
export interface Engine {
  /** Resolves when the job is stored for good; it runs as soon as there is room. The actor's owner and name go before the request's. */
  readonly submit: (request: SubmitRequest, actor?: Actor) => Promise<Job>;
  /** All of the requests or none. Jobs come back in the order of the requests. */
  readonly submitMany: (requests: readonly SubmitRequest[], actor?: Actor) => Promise<Job[]>;
  /** As `submitMany`, and tells which jobs were there before under their idempotency key. */
  readonly submitKeyed: (requests: readonly SubmitRequest[], actor?: Actor) => Promise<Created[]>;
  readonly get: (id: string, access?: Access) => Promise<Job>;
  readonly list: (filter?: JobFilter, page?: Partial<PageRequest>, access?: Access) => Promise<JobPage>;
  /** Finished jobs that nobody has looked at: the caller's, or those of this machine's user. The latest end comes first. */
  readonly unseen: (page?: Partial<PageRequest>, access?: Access) => Promise<JobPage>;
  /** Takes finished jobs for seen, those with these ids or all; says of how many that was new. */
  readonly markSeen: (ids: readonly string[] | "all", actor?: Actor) => Promise<number>;
  /** The inputs of listed jobs; those that are long are left out, to be asked for by `input`. */
  readonly inputs: (jobs: readonly Job[], access?: Access) => Promise<ReadonlyMap<JobId, Json>>;
  /** Takes as long for a million jobs as for one. */
  readonly count: (filter?: Pick<JobFilter, "owner" | "kinds" | "batch">, access?: Access) => Promise<StatusCount[]>;
  /** Counts the jobs of a filter, at most `limit` at a time. */
  readonly countMatching: (filter: JobFilter, page: PageRequest, access?: Access) => Promise<CountPage>;
  /** Names of batches, in alphabetical order, after a name. */
  readonly batches: (request: { after?: string; limit: number }, access?: Access) => Promise<string[]>;
  /** The id that ends with these characters, if there is just one. */
  readonly findId: (suffix: string, access?: Access) => Promise<JobId>;
  readonly input: (id: string, access?: Access) => Promise<Json>;
  /** The input, and what the job returned if it has succeeded, with one look. */
  readonly payload: (id: string, access?: Access) => Promise<{ input: Json; result?: Json }>;
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
  /** The files that a job has made. */
  readonly artifacts: (id: string, access?: Access) => Promise<Artifact[]>;
  readonly readArtifact: (
    id: string,
    name: string,
    request?: ArtifactRequest,
    access?: Access,
  ) => Promise<ArtifactSlice>;
  readonly wait: (ids: string | readonly string[], options?: WaitOptions & Access) => Promise<WaitResult>;
  /** Idempotent. A running job stays running until it has cleaned up. */
  readonly cancel: (id: string, reason?: string, actor?: Actor) => Promise<Job>;
  /** Hands text to a running job, as if somebody typed it. Refused (`conflict`) if the job cannot take any. */
  readonly send: (id: string, text: string, actor?: Actor) => Promise<void>;
  /** How long ago a running or waiting job last gave a sign of life; undefined for any other. */
  readonly silentMs: (id: string, access?: Access) => Promise<number | undefined>;
  /** Hands bytes to a running job, and says how many it has taken: of those with a sender maybe only the first. */
  readonly feed: (id: string, input: SentInput, actor?: Actor) => Promise<number>;
  /** Gives the window of a running job's terminal another size; without one, has it drawn anew. */
  readonly resize: (id: string, size?: WindowSize, actor?: Actor) => Promise<void>;
  /** Live facts about a running job, as its kind tells them; empty for any other. */
  readonly inspect: (id: string, access?: Access) => Promise<Record<string, Json>>;
  /** Lets a running job sum itself up, which may cost something. Refused (`conflict`) if its kind cannot. */
  readonly summarize: (id: string, actor?: Actor) => Promise<string>;
  readonly retry: (id: string, actor?: Actor) => Promise<Job>;
  /** A new job like a finished one: the same input, but for what the changes say (a JSON merge patch), and the same options. */
  readonly rerun: (
    id: string,
    options?: { changes?: Json; idempotencyKey?: string },
    actor?: Actor,
  ) => Promise<Created>;
  /** Removes a finished job with its output and files, before its time; returns it as it was. */
  readonly remove: (id: string, actor?: Actor) => Promise<Job>;
  readonly questions: (id: string, access?: Access) => Promise<AskedQuestion[]>;
  readonly answer: (id: string, key: string, answer: Answer, actor?: Actor) => Promise<Job>;
  /** Why a queued job has not started; undefined once it has. */
  readonly diagnose: (id: string, access?: Access) => Promise<QueueDiagnosis | undefined>;
  /** Running jobs of the kind go on; queued ones stay queued until it is resumed. */
  readonly pause: (kind: string, actor?: Actor) => Promise<void>;
  readonly resume: (kind: string, actor?: Actor) => Promise<void>;
  readonly pausedKinds: () => Promise<string[]>;
  /** The engines that have the store open, with what they run, by the names of their machines. */
  readonly machines: () => Promise<Member[]>;
  readonly kinds: readonly KindFacts[];
  /** Calls with each job that ends, once it is stored; returns how to stop. */
  readonly onFinished: (listener: (job: Job) => void) => () => void;
  /** How many jobs ended in each span of time, by kind, and how long they waited and ran. */
  readonly rollups: (request: RollupRequest, access?: Access) => Promise<Rollup[]>;
  /** Which of the jobs that match changed since a place, for readers who follow all of them. */
  readonly changes: (request: LiveRequest, access?: Access) => Promise<LiveAnswer>;
  /** Resolves when jobs have changed or written output, at most four times a second, and at the latest after this time. */
  readonly nextChange: (timeoutMs: number, signal?: AbortSignal) => Promise<void>;
  /** Rejects when nothing can be stored, or the engine has stopped. */
  readonly probe: () => Promise<void>;
  /** What was and is to be posted to webhooks and told to people, for all jobs or for one. */
  readonly deliveries: (filter?: DeliveryFilter, page?: Partial<PageRequest>, access?: Access) => Promise<DeliveryPage>;
  /** Posts one delivery of a job again, or all that were given up. */
  readonly redeliver: (id: string, which?: DeliveryKey, actor?: Actor) => Promise<Delivery[]>;
  /** Tells a receiver of notices something now, and says what came of it: "desktop" or an address, as a job takes them. */
  readonly testNotify: (to: string, actor?: Actor) => Promise<TestedTarget>;
  /** Removes finished jobs whose retention has ended, at once instead of at the next round. */
  readonly prune: (actor?: Actor) => Promise<number>;
  /** Who may come in over the network. */
  readonly tokens: TokenBook;
  /** Who has come in by a browser. */
  readonly sessions: SessionBook;
  /** What a command does to the job that runs it, with the token of its attempt. */
  readonly inside: Inside;
  /** What is started by the clock. */
  readonly schedules: ScheduleBook;
  /** What the servers of one store tell each other. */
  readonly marks: Marks;
  /** Tests texts by the patterns of callers. */
  readonly patterns: PatternPool;
  /** Claims no more jobs, and lets those that run come to their end for at most so long: what `stop` then interrupts goes on elsewhere. */
  readonly drain: (maxMs: number) => Promise<void>;
  /** Tells running attempts to stop, stores where they are, and closes the store. Jobs go on with the next engine. */
  readonly stop: () => Promise<void>;
}

/** Starts an engine on a store: continues what was interrupted, then runs what is queued. The engine closes the store. */
export async function createEngine(options: EngineOptions): Promise<Engine> {
  const { store } = options;
  const kinds = toKindMap(options.kinds);
  const given = toSettings(options);
  const storeClock = store.capabilities.isExclusive ? undefined : await startStoreClock(store, given.clock);
  const settings = storeClock === undefined ? given : { ...given, clock: storeClock };
  const feed = new Feed(store, settings.clock, settings.pollMs);
  const live = new LiveChanges(store, settings.clock);
  const submitter = createSubmitter(kinds, settings);
  const attemptTokens = createAttemptTokens(options.attemptSecret);
  const worker = randomUUID();
  const parts = { store, kinds, settings };
  const issuing = defined({ issueToken: attemptTokens.issue });
  const runs = new Attempts({ ...parts, worker, feed, submitter, calls: () => calls, ...issuing });
  const here = createCallsHere({ handlers: (id) => runs.handlers(id), note: (id, event) => runs.note(id, event) });
  const calls = createCalls(here, { store, settings, feed, worker });
  const silentMs = (id: JobId): number | undefined => runs.silentMs(id);
  const reads = createReads({ ...parts, feed, live, dispatcher: runs.dispatcher, calls, silentMs });
  const { dispatcher } = runs;
  const { webhooks } = options;
  const actions = createActions({ ...parts, submitter, calls, dispatcher, get: reads.get, webhooks });

  await runs.beat();
  await runs.continueLeft();
  const membership = createMembership({ ...parts, worker, dispatcher });
  await membership.tell();
  const isRunning = (id: JobId): boolean => runs.attemptOf(id) !== undefined;
  const stopMailbox = startMailbox({ store, settings, worker, here, isRunning });
  const stopHousekeeping = startHousekeeping({ store, kinds, runs, membership, settings, syncClock: storeClock?.sync });
  await Promise.all(options.kinds.map((kind) => store.limits(kind.name, toLimits(kind))));
  dispatcher.start();
  const deliverer = webhooks && new Deliverer({ ...parts, webhooks });
  const planning = { ...parts, submitter, dispatcher, newId: createIdSource(settings.clock.now) };
  const scheduler = new Scheduler(planning);

  const stop = once(async () => {
    actions.close();
    await scheduler.stop();
    stopMailbox();
    await stopHousekeeping();
    await runs.stop();
    await deliverer?.stop();
    await membership.leave();
    for (const readers of [feed, live]) readers.close();
    await settings.patterns.close();
    await store.close();
  });
  const tokens = createTokenBook(parts);
  const sessions = createSessionBook(store.tokens, settings);
  const inside = createInside(attemptTokens, runs);
  const schedules = createScheduleBook({ ...planning, onPlanned: () => scheduler.wake() });
  const drain = (maxMs: number): Promise<void> => runs.drain(maxMs);
  const marks = createMarks({ store, settings });
  return {
    ...reads,
    ...actions,
    tokens,
    sessions,
    inside,
    schedules,
    marks,
    patterns: settings.patterns,
    drain,
    stop,
  };
}

/** However often it is asked for, it is done once. */
function once(work: () => Promise<void>): () => Promise<void> {
  let working: Promise<void> | undefined;
  return () => (working ??= work());
}
