import { randomUUID } from "node:crypto";
import { defined } from "../job/defined.ts";
import { LonghaulError } from "../job/error.ts";
import { isJobId } from "../job/id.ts";
import { parseInput } from "../job/issue.ts";
import { localOwner, type Job } from "../job/job.ts";
import type { Kind } from "../job/kind.ts";
import { answerSchema, checkAnswer } from "../job/question.ts";
import type { Delivery, DeliveryKey } from "../store/delivery.ts";
import type { AnswerResult, Created } from "../store/store.ts";
import { demand, demandAllOwners, demandKind, demandSteering, narrow, type Actor } from "./access.ts";
import type { AttemptCalls } from "./calls/attempt-calls.ts";
import type { Dispatcher } from "./dispatcher.ts";
import type { Engine } from "./engine.ts";
import { prune } from "./housekeeping.ts";
import { createInputActions } from "./input-actions.ts";
import { toRerun } from "./rerun.ts";
import type { EngineParts } from "./settings.ts";
import { defaultTimeoutMs, describeError } from "./webhooks/attempt.ts";
import { testTarget, type TestedTarget } from "./webhooks/formats.ts";
import type { WebhookSettings } from "./webhooks/webhook-settings.ts";
import { findKind, submitAll, type Submitter, type SubmitRequest } from "./submit.ts";
import { sayStatus } from "../job/status-words.ts";

interface ActionParts extends EngineParts {
  readonly submitter: Submitter;
  readonly dispatcher: Dispatcher;
  readonly calls: AttemptCalls;
  readonly get: Engine["get"];
  readonly webhooks: WebhookSettings | undefined;
}

export type Actions = Pick<
  Engine,
  | "submit"
  | "submitMany"
  | "submitKeyed"
  | "cancel"
  | "send"
  | "feed"
  | "resize"
  | "summarize"
  | "retry"
  | "rerun"
  | "remove"
  | "answer"
  | "pause"
  | "resume"
  | "prune"
  | "redeliver"
  | "testNotify"
  | "markSeen"
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
    ...createInputActions({ ...parts, getToSteer }),
    summarize: (id, actor) => sumUp(id, parts, actor),
    retry: async (id, actor = {}) => {
      const job = await getToSteer(id, actor);
      const { input = "null" } = (await store.payload(job.id)) ?? {};
      demandStart(actor, job.kind, JSON.parse(input), kinds);
      const retrying = store.retry(job.id, { at: clock.now(), by: actor.by });
      dispatcher.wake();
      return (await retrying) ?? get(id, actor);
    },
    rerun: async (id, { changes, idempotencyKey } = {}, actor = {}) => {
      const job = await getToSteer(id, actor);
      const { request, client } = await toRerun(job, changes, parts);
      const [created] = await submitKeyed([{ ...request, idempotencyKey }], { ...actor, client });
      return created as Created;
    },
    remove: async (id, actor = {}) => {
      const job = await getToSteer(id, actor);
      await store.remove(job.id, clock.now());
      return job;
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
    pause: (kind, actor) => setPaused(kind, true, parts, actor),
    resume: (kind, actor) => setPaused(kind, false, parts, actor),
    prune: async (actor = {}) => {
      demand(actor, "admin");
      demandAllOwners(actor);
      return prune(store, clock.now());
    },
    redeliver: (id, which, actor) => redeliver(id, which, parts, actor),
    testNotify: (to, actor) => testNotify(to, parts, actor),
    markSeen: (ids, actor) => markSeen(ids, parts, actor),
  };
}

async function setPaused(
  kind: string,
  isPaused: boolean,
  { store, kinds }: ActionParts,
  actor: Actor = {},
): Promise<void> {
  demand(actor, "admin");
  demandAllOwners(actor);
  findKind(kinds, kind);
  demandKind(actor, kind);
  await store.setPaused(kind, isPaused);
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
  which: DeliveryKey | undefined,
  { store, settings, get }: ActionParts,
  actor: Actor = {},
): Promise<Delivery[]> {
  demand(actor, "run");
  const job = await get(id, actor);
  const again = await store.redeliver(job.id, which, settings.clock.now());
  if (which !== undefined && again.length === 0) throw refusedDelivery(job, which);
  const { deliveries } = await store.listDeliveries({ job: job.id }, { limit: maxRedelivered });
  return deliveries.filter((delivery) => again.some(({ seq, target }) => isSame(delivery, { seq, target })));
}

function isSame(one: DeliveryKey, other: DeliveryKey): boolean {
  return one.seq === other.seq && one.target === other.target;
}

function refusedDelivery(job: Job, { seq, target }: DeliveryKey): LonghaulError {
  const shown = target === 0 ? seq : `${seq}.${target}`;
  return new LonghaulError(
    "not_found",
    `Job ${job.id} has no delivery ${shown} that could be sent again: there is none, or it is being sent now.`,
  );
}

async function testNotify(to: string, { settings, webhooks }: ActionParts, actor: Actor = {}): Promise<TestedTarget> {
  demand(actor, "run");
  const target = settings.notifyRules.accept(to, { isConfined: actor.owner !== undefined });
  if (webhooks === undefined) throw new Error("What is accepted can be sent.");
  const limit = new AbortController();
  const cancelTimer = settings.clock.after(webhooks.timeoutMs ?? defaultTimeoutMs, () => limit.abort());
  const describe = (error: unknown): string => (limit.signal.aborted ? "no answer in time" : describeError(error));
  return testTarget(target, webhooks, { id: `test-${randomUUID()}`, signal: limit.signal, describe }).finally(
    cancelTimer,
  );
}

/** Few enough for one commit that nobody has to wait for. */
const maxMarkedAtOnce = 500;

async function markSeen(
  ids: readonly string[] | "all",
  { store, get }: ActionParts,
  actor: Actor = {},
): Promise<number> {
  demand(actor, "run");
  if (ids !== "all") return store.markSeen(await Promise.all(ids.map(async (id) => (await get(id, actor)).id)));
  const filter = narrow({ owner: actor.owner ?? localOwner }, actor);
  let count = 0;
  for (let cursor: string | undefined, isFirst = true; isFirst || cursor !== undefined; isFirst = false) {
    const page = await store.unseen(filter, { limit: maxMarkedAtOnce, ...defined({ cursor }) });
    count += await store.markSeen(page.jobs.map(({ id }) => id));
    ({ cursor } = page);
  }
  return count;
}

async function sumUp(id: string, { get, calls }: ActionParts, actor: Actor = {}): Promise<string> {
  demand(actor, "run");
  const job = await get(id, actor);
  demandKind(actor, job.kind);
  return calls.summarize(job);
}

function refusedAnswer(job: Job, key: string, result: Exclude<AnswerResult, "answered">): LonghaulError {
  const message = {
    already_answered: `Question "${key}" of job ${job.id} has already been answered.`,
    not_asked: `Job ${job.id} has not asked a question "${key}".`,
    finished: `Job ${job.id} ${sayStatus(job.state.status)}, so its question no longer needs an answer.`,
  }[result];
  return new LonghaulError(result === "not_asked" ? "not_found" : "conflict", message);
}
