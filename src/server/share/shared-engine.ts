import { randomUUID } from "node:crypto";
import { basename } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Access } from "../../engine/access.ts";
import type { Engine } from "../../engine/engine.ts";
import { listTimes } from "../../engine/schedules/schedule-book.ts";
import { toKindFacts } from "../../engine/reads.ts";
import { defaultConcurrency } from "../../engine/settings.ts";
import type { SubmitRequest } from "../../engine/submit.ts";
import { toTypedEngine, type TypedEngine } from "../../engine/typed-engine.ts";
import type { WaitOptions } from "../../engine/wait.ts";
import { LonghaulError } from "../../job/error.ts";
import type { Job } from "../../job/job.ts";
import { NotRunningError } from "../../faces/door/local-client.ts";
import { isBroken } from "../../faces/share/owner-link.ts";
import {
  bookMethods,
  nextEvents,
  plainMethods,
  type NextEvents,
  type PlainMethod,
  type RemoteMethod,
} from "../../faces/share/engine-methods.ts";
import { createPatternPool } from "../../text/pattern-pool.ts";
import type { OpenOptions } from "../open-engine.ts";
import { Place } from "./place.ts";
import type { Seat } from "./seat.ts";
import { createSharedWait } from "./shared-wait.ts";

export interface SharedOptions extends OpenOptions {
  /** How the program calls itself to those who look into the home: the name of its file unless given. */
  readonly program?: string;
}

export interface SharedEngine extends TypedEngine {
  /** Whether this process owns the home now, and so runs the jobs. */
  readonly isOwner: () => boolean;
}

/** How long a call waits for somebody to own the home. */
const patienceMs = 60_000;
const repeatAfterMs = 20;
/** How often it is looked whether jobs have changed that run in another process. */
const lookMs = 500;

/**
 * An engine that any number of processes may open on one home. The first owns it and runs the jobs; the others work through that
 * process, and when it ends or dies one of them takes over.
 */
export async function createSharedEngine(given: SharedOptions): Promise<SharedEngine> {
  const { program = basename(process.argv[1] ?? "node"), patterns = createPatternPool(), ...options } = given;
  const listeners = new Set<(job: Job) => void>();
  const place = await Place.take({ ...options, program, patterns }, (job) => {
    for (const listener of listeners) listener(job);
  });
  const call = createCall(place);
  const methods = Object.fromEntries(
    Object.keys(plainMethods).map((name) => [name, toMethod(name as PlainMethod, call)]),
  ) as unknown as Pick<Engine, PlainMethod>;
  const books = toBooks(call);
  return toTypedEngine({
    ...methods,
    wait: createSharedWait(
      methods,
      (args, signal) => call("wait", args, signal),
      () => place.ownEngine(),
    ),
    follow: async function* follow(id, { after = 0, signal, ...access } = {}) {
      for (let last = after; ;) {
        if (signal?.aborted === true) return;
        const next = (await call("nextEvents", [id, { ...access, after: last }], signal).catch((error: unknown) => {
          if (signal?.aborted === true) return { events: [], isOver: true };
          throw error;
        })) as NextEvents;
        for (const event of next.events) {
          yield event;
          last = event.seq;
        }
        if (next.isOver) return;
      }
    },
    onFinished: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    kinds: toKindFacts(options.kinds, options.concurrency ?? defaultConcurrency),
    tokens: books["tokens"] as unknown as Engine["tokens"],
    schedules: {
      ...(books["schedules"] as unknown as Engine["schedules"]),
      nextTimes: ({ plan, nextAt }, count) => listTimes(plan, nextAt, count),
    },
    marks: books["marks"] as unknown as Engine["marks"],
    inputs: async (jobs, access) =>
      new Map(await Promise.all(jobs.map(async ({ id }) => [id, await methods.input(id, access)] as const))),
    nextChange: async (timeoutMs, signal) => {
      const own = place.ownEngine();
      if (own !== undefined) return own.nextChange(timeoutMs, signal);
      await delay(Math.min(timeoutMs, lookMs), undefined, signal === undefined ? {} : { signal }).catch(
        () => undefined,
      );
    },
    drain: async (maxMs) => place.ownEngine()?.drain(maxMs),
    inside: ownPart(place, "inside"),
    sessions: ownPart(place, "sessions"),
    patterns,
    isOwner: () => place.ownEngine() !== undefined,
    stop: () => place.leave(patterns.close),
  });
}

/** What only the process that runs the jobs can do. */
function ownPart<Name extends "inside" | "sessions">(place: Place, name: Name): Engine[Name] {
  const get = (_part: object, method: string): unknown => {
    return (...args: unknown[]) => (place.requireOwn()[name] as unknown as Methods)[method]?.(...args);
  };
  return new Proxy({}, { get }) as Engine[Name];
}

type Call = (method: RemoteMethod, args: readonly unknown[], signal?: AbortSignal) => Promise<unknown>;
type Methods = Readonly<Record<string, (...args: unknown[]) => Promise<unknown>>>;

/** Makes a call where the engine is now; again, where that does no harm, when the process there has died over it. */
function createCall(place: Place): Call {
  return async (method, args, signal) => {
    const startedAt = performance.now();
    const giveUpAt = startedAt + patienceMs;
    for (let isAgain = false; ; isAgain = true) {
      try {
        const seat = await place.seat();
        return await callOnce(seat, method, method === "wait" ? shorten(args, startedAt) : args, signal);
      } catch (error) {
        if (isAgain && isAnswered(method, error)) {
          return callOnce(await place.seat(), "get", [args[0], args[3]], signal);
        }
        const isLost = isBroken(error) && !place.isLeft && signal?.aborted !== true;
        if (!isLost || performance.now() > giveUpAt) throw toEnd(error);
        if (policyOf(method) === "once" && !isUnsent(error)) throw unknownOutcome(method);
        await delay(repeatAfterMs);
      }
    }
  };
}

/** A wait that is made again takes only what is left of its time. */
function shorten([ids, options]: readonly unknown[], startedAt: number): readonly unknown[] {
  const { timeoutMs } = options as WaitOptions;
  if (timeoutMs === undefined) return [ids, options];
  return [ids, { ...(options as object), timeoutMs: Math.max(0, timeoutMs - (performance.now() - startedAt)) }];
}

function callOnce(
  seat: Seat,
  method: RemoteMethod,
  args: readonly unknown[],
  signal: AbortSignal | undefined,
): Promise<unknown> {
  if (seat.type === "member") return seat.link.call(method, args, signal);
  const { engine } = seat;
  if (method === "nextEvents") {
    const [id, options] = args as [string, Access & { after: number }];
    return nextEvents(engine, id, { ...options, signal: signal ?? new AbortController().signal });
  }
  const [first = "", second] = method.split(".");
  const owner = (second === undefined ? engine : engine[first as "tokens"]) as unknown as Methods;
  const run = owner[second ?? first] as Methods[string];
  return method === "wait" ? run(args[0], { ...(args[1] as object), signal }) : run(...args);
}

/** A call that changes something gets a key, by which it is done once however often it is made. */
function toMethod(name: PlainMethod, call: Call): Methods[string] {
  if (policyOf(name) !== "keyed") return (...args) => call(name, args);
  return (first, second, ...rest) => {
    if (name === "submit") return call(name, [withKey(first as SubmitRequest), second, ...rest]);
    if (name === "rerun") return call(name, [first, { idempotencyKey: randomUUID(), ...(second as object) }, ...rest]);
    return call(name, [(first as SubmitRequest[]).map(withKey), second, ...rest]);
  };
}

function withKey(request: SubmitRequest): SubmitRequest {
  return { idempotencyKey: randomUUID(), ...request };
}

function toBooks(call: Call): Readonly<Record<string, Methods>> {
  const books: Record<string, Record<string, Methods[string]>> = {};
  for (const name of Object.keys(bookMethods) as (keyof typeof bookMethods)[]) {
    const [book = "", method = ""] = name.split(".");
    (books[book] ??= {})[method] = (...args) => call(name, args);
  }
  return books;
}

function policyOf(method: RemoteMethod): "again" | "keyed" | "once" {
  return { ...plainMethods, ...bookMethods, wait: "again" as const, nextEvents: "again" as const }[method];
}

/** Made again after a break, an answer finds its own. */
function isAnswered(method: RemoteMethod, error: unknown): boolean {
  return method === "answer" && error instanceof LonghaulError && error.code === "conflict";
}

/** Nobody was there to take it. */
function isUnsent(error: unknown): boolean {
  return error instanceof NotRunningError;
}

function unknownOutcome(method: RemoteMethod): LonghaulError {
  return new LonghaulError(
    "stopped",
    `The process that runs the jobs ended before it had answered (${method}): look at the job before you ask for it again.`,
  );
}

function toEnd(error: unknown): unknown {
  if (error instanceof LonghaulError || !isBroken(error)) return error;
  return new LonghaulError("stopped", "No process runs the jobs, and none could take over.", { cause: error });
}
