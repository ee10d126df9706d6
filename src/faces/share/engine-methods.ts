import type { Access } from "../../engine/access.ts";
import type { Engine } from "../../engine/engine.ts";
import type { Marks } from "../../engine/marks.ts";
import type { ScheduleBook } from "../../engine/schedules/schedule-book.ts";
import type { TokenBook } from "../../engine/tokens.ts";
import type { JobEvent } from "../../job/event.ts";
import { isTerminal } from "../../job/state.ts";

/** Methods of an engine whose arguments and answers are data. */
export type PlainMethod = Exclude<
  keyof Engine,
  | "follow"
  | "wait"
  | "onFinished"
  | "kinds"
  | "tokens"
  | "inside"
  | "schedules"
  | "patterns"
  | "marks"
  | "inputs"
  | "drain"
  | "nextChange"
  | "sessions"
  | "stop"
>;

/**
 * What becomes of a call whose process died before it had answered. `again`: it is made again; `keyed`: likewise, because what it
 * starts has a key; `once`: its caller is told that nobody knows.
 */
type Policy = "again" | "keyed" | "once";

export const plainMethods: Readonly<Record<PlainMethod, Policy>> = {
  submit: "keyed",
  submitMany: "keyed",
  submitKeyed: "keyed",
  rerun: "keyed",
  get: "again",
  list: "again",
  unseen: "again",
  markSeen: "again",
  count: "again",
  countMatching: "again",
  batches: "again",
  findId: "again",
  input: "again",
  payload: "again",
  result: "again",
  events: "again",
  readOutput: "again",
  outputSizes: "again",
  artifacts: "again",
  readArtifact: "again",
  cancel: "again",
  silentMs: "again",
  resize: "again",
  inspect: "again",
  questions: "again",
  answer: "again",
  diagnose: "again",
  pause: "again",
  resume: "again",
  pausedKinds: "again",
  machines: "again",
  probe: "again",
  rollups: "again",
  changes: "again",
  deliveries: "again",
  prune: "again",
  send: "once",
  feed: "once",
  summarize: "once",
  retry: "once",
  remove: "once",
  redeliver: "once",
  testNotify: "once",
};

type BookMethod =
  | `tokens.${keyof TokenBook}`
  | `schedules.${Exclude<keyof ScheduleBook, "nextTimes">}`
  | `marks.${keyof Marks}`;

/** Reading may be repeated; the rest changes something each time. */
export const bookMethods: Readonly<Record<BookMethod, Policy>> = {
  "tokens.list": "again",
  "tokens.check": "again",
  "tokens.take": "again",
  "tokens.create": "once",
  "tokens.revoke": "once",
  "schedules.list": "again",
  "schedules.get": "again",
  "schedules.runs": "again",
  "schedules.pause": "again",
  "schedules.resume": "again",
  "schedules.add": "once",
  "schedules.run": "once",
  "schedules.remove": "once",
  "marks.get": "again",
  "marks.replace": "once",
};

/** What a process asks of the one that has the engine. */
export type RemoteMethod = PlainMethod | BookMethod | "wait" | "nextEvents";

export interface NextEvents {
  readonly events: readonly JobEvent[];
  /** Nothing comes after them. */
  readonly isOver: boolean;
}

const pageSize = 200;

/** A job's events after a sequence number, as soon as there are any; none if the signal comes first. */
export async function nextEvents(
  engine: Engine,
  id: string,
  { after, signal, ...access }: Access & { readonly after: number; readonly signal: AbortSignal },
): Promise<NextEvents> {
  for (;;) {
    const events = await engine.events(id, after, pageSize, access);
    if (events.length > 0 || signal.aborted) return { events, isOver: false };
    const job = await engine.get(id, access);
    if (isTerminal(job.state) && job.lastSeq <= after) return { events, isOver: true };
    for await (const event of engine.follow(id, { after, signal, ...access })) {
      return { events: [event], isOver: false };
    }
  }
}
