import { defined } from "../job/defined.ts";
import { LonghaulError } from "../job/error.ts";
import type { JobId } from "../job/id.ts";
import { parseInput } from "../job/issue.ts";
import type { Job } from "../job/job.ts";
import type { Kind, RunHandlers } from "../job/kind.ts";
import { answerSchema, checkAnswer } from "../job/question.ts";
import type { AnswerResult, Store } from "../store/store.ts";
import type { Dispatcher } from "./dispatcher.ts";
import type { Engine } from "./engine.ts";
import { prune } from "./housekeeping.ts";
import type { Settings } from "./settings.ts";
import { findKind, submitAll, type Submitter, type SubmitRequest } from "./submit.ts";

interface ActionParts {
  readonly store: Store;
  readonly kinds: ReadonlyMap<string, Kind>;
  readonly settings: Settings;
  readonly submitter: Submitter;
  readonly dispatcher: Dispatcher;
  readonly handlers: (id: JobId) => RunHandlers;
  readonly get: Engine["get"];
}

type Actions = Pick<
  Engine,
  "submit" | "submitMany" | "cancel" | "send" | "retry" | "answer" | "pause" | "resume" | "prune" | "redeliver"
>;

/** What callers can make the engine do. After `close` nothing new is taken. */
export function createActions(parts: ActionParts): Actions & { close: () => void } {
  const { store, kinds, dispatcher, get } = parts;
  const { clock } = parts.settings;
  let isClosed = false;
  const submitMany = async (requests: readonly SubmitRequest[]): Promise<Job[]> => {
    if (isClosed) throw new LonghaulError("stopped", "The engine has stopped and takes no more jobs.");
    return submitAll(requests, parts);
  };
  const setPaused = async (kind: string, isPaused: boolean): Promise<void> => {
    findKind(kinds, kind);
    // Before it is stored: the hint of that commit sets off a claim, which must leave the kind out already.
    if (isPaused) dispatcher.pause(kind);
    try {
      await store.setPaused(kind, isPaused);
    } finally {
      dispatcher.setPaused(await store.pausedKinds());
    }
  };
  return {
    close: () => {
      isClosed = true;
    },
    submitMany,
    submit: async (request) => {
      const [job] = await submitMany([request]);
      return job as Job;
    },
    cancel: async (id, reason = "cancelled by request", { by, ...access } = {}) => {
      const job = await get(id, access);
      return (await store.cancel(job.id, { reason, at: clock.now(), ...defined({ by }) })) ?? get(id, access);
    },
    send: async (id, text, access) => {
      const job = await get(id, access);
      const { send } = parts.handlers(job.id);
      if (send === undefined) throw refusedText(job);
      await send(text);
    },
    retry: async (id, { by, ...access } = {}) => {
      const job = await get(id, access);
      const retrying = store.retry(job.id, { at: clock.now(), ...defined({ by }) });
      dispatcher.wake();
      return (await retrying) ?? get(id, access);
    },
    answer: async (id, key, given, { by, ...access } = {}) => {
      const job = await get(id, access);
      const answer = parseInput(answerSchema, given, "The answer");
      const asked = (await store.questions(job.id)).find((question) => question.key === key);
      if (asked !== undefined) checkAnswer(asked.question, answer);
      const result = await store.answer(job.id, { key, answer, at: clock.now(), ...defined({ by }) });
      if (result !== "answered") throw refusedAnswer(job, key, result);
      return get(id, access);
    },
    pause: (kind) => setPaused(kind, true),
    resume: (kind) => setPaused(kind, false),
    prune: () => prune(store, clock.now()),
    redeliver: async (id, seq, access) => {
      const job = await get(id, access);
      const again = await store.redeliver(job.id, seq, clock.now());
      if (seq !== undefined && again.length === 0) throw refusedDelivery(job, seq);
      const { deliveries } = await store.listDeliveries({ job: job.id }, { limit: mostRedelivered });
      return deliveries.filter((delivery) => again.includes(delivery.seq));
    },
  };
}

const mostRedelivered = 1_000;

function refusedDelivery(job: Job, seq: number): LonghaulError {
  return new LonghaulError(
    "not_found",
    `Job ${job.id} has no delivery ${seq} that could be sent again: there is none, or it is being sent now.`,
  );
}

function refusedText(job: Job): LonghaulError {
  const why = job.state.status === "running" ? "it takes no input" : `it is ${job.state.status}`;
  return new LonghaulError("conflict", `Job ${job.id} cannot be sent anything: ${why}.`);
}

function refusedAnswer(job: Job, key: string, result: Exclude<AnswerResult, "answered">): LonghaulError {
  const message = {
    already_answered: `Question "${key}" of job ${job.id} was answered before.`,
    not_asked: `Job ${job.id} has not asked a question "${key}".`,
    finished: `Job ${job.id} is ${job.state.status}: its question needs no answer any more.`,
  }[result];
  return new LonghaulError(result === "not_asked" ? "not_found" : "conflict", message);
}
