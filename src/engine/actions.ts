import { defined } from "../job/defined.ts";
import { LonghaulError } from "../job/error.ts";
import type { EventBody } from "../job/event.ts";
import { isJobId, type JobId } from "../job/id.ts";
import { parseInput } from "../job/issue.ts";
import type { Job } from "../job/job.ts";
import type { Kind, AttemptHandlers } from "../job/kind.ts";
import { answerSchema, checkAnswer } from "../job/question.ts";
import { isHeld } from "../job/state.ts";
import type { Delivery } from "../store/delivery.ts";
import type { AnswerResult, Created } from "../store/store.ts";
import { demand, demandAllOwners, demandKind, demandSteering, type Actor } from "./access.ts";
import type { Dispatcher } from "./dispatcher.ts";
import type { Engine } from "./engine.ts";
import { prune } from "./housekeeping.ts";
import type { EngineParts } from "./settings.ts";
import { findKind, submitAll, type Submitter, type SubmitRequest } from "./submit.ts";
import { sayStatus } from "../job/status-words.ts";

interface ActionParts extends EngineParts {
  readonly submitter: Submitter;
  readonly dispatcher: Dispatcher;
  readonly handlers: (id: JobId) => AttemptHandlers;
  readonly note: (id: JobId, event: EventBody) => void;
  readonly get: Engine["get"];
}

export type Actions = Pick<
  Engine,
  | "submit"
  | "submitMany"
  | "submitKeyed"
  | "cancel"
  | "send"
  | "summarize"
  | "retry"
  | "answer"
  | "pause"
  | "resume"
  | "prune"
  | "redeliver"
>;

/** What callers can make the engine do. After `close` nothing new is taken. */
export function createActions(parts: ActionParts): Actions & { close: () => void } {
  const { store, kinds, dispatcher, get } = parts;
  const { clock } = parts.settings;
  let isClosed = false;
  const submitKeyed = async (requests: readonly SubmitRequest[], actor?: Actor): Promise<Created[]> => {
    if (isClosed) throw new LonghaulError("stopped", "The engine has stopped and takes no more jobs.");
    return submitAll(actor === undefined ? requests : await onBehalfOf(actor, requests, parts), parts, actor?.client);
  };
  const getToSteer = async (id: string, actor: Actor): Promise<Job> => {
    demand(actor, "run");
    const job = await get(id, actor);
    demandSteering(actor, job, kinds.get(job.kind));
    return job;
  };
  const setPaused = async (kind: string, isPaused: boolean, actor: Actor = {}): Promise<void> => {
    demand(actor, "admin");
    demandAllOwners(actor);
    findKind(kinds, kind);
    demandKind(actor, kind);
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
    submitKeyed,
    submitMany: async (requests, actor) => (await submitKeyed(requests, actor)).map(({ job }) => job),
    submit: async (request, actor) => {
      const [created] = await submitKeyed([request], actor);
      return (created as Created).job;
    },
    cancel: async (id, reason = "cancelled by request", actor = {}) => {
      demand(actor, "run");
      const job = await get(id, actor);
      return (await store.cancel(job.id, { reason, at: clock.now(), by: actor.by })) ?? get(id, actor);
    },
    send: async (id, text, actor = {}) => {
      const job = await getToSteer(id, actor);
      demandKind(actor, job.kind);
      const { send } = parts.handlers(job.id);
      if (send === undefined) throw refusedText(job);
      await send(text);
      parts.note(job.id, { type: "text-sent", bytes: Buffer.byteLength(text), by: actor.by });
    },
    summarize: (id, actor) => sumUp(id, parts, actor),
    retry: async (id, actor = {}) => {
      const job = await getToSteer(id, actor);
      const { input = "null" } = (await store.payload(job.id)) ?? {};
      demandStart(actor, job.kind, JSON.parse(input), kinds);
      const retrying = store.retry(job.id, { at: clock.now(), by: actor.by });
      dispatcher.wake();
      return (await retrying) ?? get(id, actor);
    },
    answer: async (id, key, given, actor = {}) => {
      const job = await getToSteer(id, actor);
      const answer = parseInput(answerSchema, given, "The answer");
      const asked = (await store.questions(job.id)).find((question) => question.key === key);
      if (asked !== undefined) checkAnswer(asked.question, answer);
      const result = await store.answer(job.id, { key, answer, at: clock.now(), by: actor.by });
      if (result !== "answered") throw refusedAnswer(job, key, result);
      return get(id, actor);
    },
    pause: (kind, actor) => setPaused(kind, true, actor),
    resume: (kind, actor) => setPaused(kind, false, actor),
    prune: async (actor = {}) => {
      demand(actor, "admin");
      demandAllOwners(actor);
      return prune(store, clock.now());
    },
    redeliver: (id, seq, actor) => redeliver(id, seq, parts, actor),
  };
}

/** The requests as the actor may make them. What they depend on must be the actor's to see. */
async function onBehalfOf(
  actor: Actor,
  requests: readonly SubmitRequest[],
  { get, kinds }: Pick<ActionParts, "get" | "kinds">,
): Promise<SubmitRequest[]> {
  demand(actor, "run");
  for (const { kind, input } of requests) demandStart(actor, kind, input, kinds);
  if (actor.owner !== undefined || actor.kinds !== undefined) {
    const needed = new Set(requests.flatMap(({ dependsOn = [], parent = [] }) => dependsOn.concat(parent)));
    await Promise.all([...needed].filter(isJobId).map((id) => get(id, actor)));
  }
  const { owner, by } = actor;
  const bound = owner === undefined ? {} : { owner, isConfined: true };
  return requests.map((request) => ({ ...request, ...bound, ...defined({ by }) }));
}

/** Of the kind, and of every kind that a job with this input may start in its turn. */
export function demandStart(actor: Actor, name: string, input: unknown, kinds: ReadonlyMap<string, Kind>): void {
  demandKind(actor, name);
  const kind = kinds.get(name);
  const parsed = kind?.input.safeParse(input);
  if (kind === undefined || parsed?.success !== true) return;
  for (const started of kind.starts(parsed.data)) demandKind(actor, started);
}

const maxRedelivered = 1_000;

async function redeliver(
  id: string,
  seq: number | undefined,
  { store, settings, get }: ActionParts,
  actor: Actor = {},
): Promise<Delivery[]> {
  demand(actor, "run");
  const job = await get(id, actor);
  const again = await store.redeliver(job.id, seq, settings.clock.now());
  if (seq !== undefined && again.length === 0) throw refusedDelivery(job, seq);
  const { deliveries } = await store.listDeliveries({ job: job.id }, { limit: maxRedelivered });
  return deliveries.filter((delivery) => again.includes(delivery.seq));
}

function refusedDelivery(job: Job, seq: number): LonghaulError {
  return new LonghaulError(
    "not_found",
    `Job ${job.id} has no delivery ${seq} that could be sent again: there is none, or it is being sent now.`,
  );
}

function refusedText(job: Job): LonghaulError {
  const why = job.state.status === "running" ? "takes no input" : sayStatus(job.state.status);
  return new LonghaulError("conflict", `Nothing can be sent to job ${job.id}: it ${why}.`);
}

async function sumUp(id: string, { get, handlers }: ActionParts, actor: Actor = {}): Promise<string> {
  demand(actor, "run");
  const job = await get(id, actor);
  demandKind(actor, job.kind);
  const { summarize } = handlers(job.id);
  if (summarize !== undefined) return summarize();
  const why = isHeld(job.state) ? `jobs of kind "${job.kind}" have no summaries` : `it ${sayStatus(job.state.status)}`;
  throw new LonghaulError("conflict", `Job ${job.id} has no summary: ${why}.`);
}

function refusedAnswer(job: Job, key: string, result: Exclude<AnswerResult, "answered">): LonghaulError {
  const message = {
    already_answered: `Question "${key}" of job ${job.id} has already been answered.`,
    not_asked: `Job ${job.id} has not asked a question "${key}".`,
    finished: `Job ${job.id} ${sayStatus(job.state.status)}, so its question no longer needs an answer.`,
  }[result];
  return new LonghaulError(result === "not_asked" ? "not_found" : "conflict", message);
}
