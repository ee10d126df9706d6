import { LonghaulError } from "../job/error.ts";
import type { JobId } from "../job/id.ts";
import type { Job } from "../job/job.ts";
import type { Json } from "../job/json.ts";
import type { ChildEnd, ChildOutput, JobContext } from "../job/kind.ts";
import { isTerminal } from "../job/state.ts";
import type { Store } from "../store/store.ts";
import type { AttemptCalls } from "./calls/attempt-calls.ts";
import type { Clock } from "./clock.ts";
import { hideTokens } from "./hide-tokens.ts";
import type { Feed } from "./feed.ts";
import type { HeldAttempt } from "./attempt.ts";

interface ChildParts {
  readonly store: Store;
  readonly feed: Feed;
  readonly clock: Clock;
}

interface ChildCallParts extends ChildParts {
  readonly calls: () => AttemptCalls;
}

/** What an attempt may do with the children of its job, and with no other jobs. */
export function createChildCalls(
  run: HeldAttempt,
  parts: ChildCallParts,
): Pick<JobContext, "childEnd" | "childEndWithin" | "childNow" | "childOutput" | "sendToChild" | "stopChild"> {
  const { store } = parts;
  return {
    childEnd: (id, onChange) => awaitChild(run, id, parts, onChange),
    childEndWithin: (id, ms) => awaitChildWithin(run, id, ms, parts),
    childNow: (id) => lookAtChild(run, id, store),
    childOutput: (id, stream, from) => readChild(run, id, store, { stream, from }),
    sendToChild: async (id, text) => parts.calls().send(await findChild(run, id, store), text),
    stopChild: async (id) => {
      await findChild(run, id, store);
      return toChildEnd(await endChild(id, `its parent, job ${run.id}, ended it`, parts), store);
    },
  };
}

/** Waits until a child of this attempt's job has ended. */
async function awaitChild(
  run: HeldAttempt,
  id: JobId,
  parts: ChildParts,
  onChange: () => Promise<"end" | undefined> = async () => undefined,
): Promise<ChildEnd> {
  const { kind } = await findChild(run, id, parts.store);
  const wait = (): Promise<ChildEnd> => awaitEnd(run, id, parts, onChange);
  return kind === run.job.kind ? run.whileWaitingForOwnKind(wait) : wait();
}

async function awaitEnd(
  run: HeldAttempt,
  id: JobId,
  parts: ChildParts,
  onChange: () => Promise<"end" | undefined>,
): Promise<ChildEnd> {
  const { store, feed } = parts;
  const changes = feed.changes([id], run.signal);
  try {
    for (;;) {
      const child = await findChild(run, id, store);
      const wish = await onChange();
      if (isTerminal(child.state)) return await toChildEnd(child, store);
      if (wish === "end")
        return await toChildEnd(await endChild(id, `its parent, job ${run.id}, ended it`, parts), store);
      const rang = await changes.next();
      if (rang === "aborted") {
        if (isToldToEnd(run)) await endChild(id, `its parent, job ${run.id}, is being ended`, parts);
        throw run.signal.reason;
      }
      // A quiet while is no sign of life.
      if (rang !== "all") run.touch();
    }
  } finally {
    changes.close();
  }
}

/** When the engine stops or has lost the job, the child goes on: the same attempt finds it again. */
function isToldToEnd({ stopCause }: HeldAttempt): boolean {
  return stopCause?.type === "cancelled" || stopCause?.type === "timed_out";
}

/** A job is not told as ended while its child still runs; the attempt's grace time bounds how long that may take. */
async function endChild(id: JobId, reason: string, { store, feed, clock }: ChildParts): Promise<Job> {
  const changes = feed.changes([id]);
  try {
    await store.cancel(id, { reason, at: clock.now() });
    for (;;) {
      const child = await store.get(id);
      if (child === undefined) throw new LonghaulError("not_found", `Job ${id} is gone.`);
      if (isTerminal(child.state)) return child;
      if ((await changes.next()) === "aborted") throw new LonghaulError("stopped", "The engine has stopped.");
    }
  } finally {
    changes.close();
  }
}

/** As `awaitChild`, for a while: undefined if it has not ended by then. */
async function awaitChildWithin(
  run: HeldAttempt,
  id: JobId,
  ms: number,
  { store, feed, clock }: ChildParts,
): Promise<ChildEnd | undefined> {
  const late = new AbortController();
  const stopTimer = clock.after(ms, () => late.abort());
  const onStop = (): void => late.abort();
  run.signal.addEventListener("abort", onStop, { once: true });
  const changes = feed.changes([id], late.signal);
  try {
    for (;;) {
      const end = await lookAtChild(run, id, store);
      if (end !== undefined || late.signal.aborted) return end;
      if ((await changes.next()) !== "all") run.touch();
      run.signal.throwIfAborted();
    }
  } finally {
    stopTimer();
    run.signal.removeEventListener("abort", onStop);
    changes.close();
  }
}

/** How a child has ended; undefined while it has not. */
async function lookAtChild(run: HeldAttempt, id: JobId, store: Store): Promise<ChildEnd | undefined> {
  const child = await findChild(run, id, store);
  return isTerminal(child.state) ? toChildEnd(child, store) : undefined;
}

const maxBytes = 1_000_000;

async function readChild(
  run: HeldAttempt,
  id: JobId,
  store: Store,
  { stream, from }: { stream: string; from: number },
): Promise<ChildOutput> {
  const { state } = await findChild(run, id, store);
  const address = { id, attempt: state.attempt, stream };
  const start = from >= 0 ? from : Math.max(0, (await store.output.measure(address)).size + from);
  const { bytes, next, size } = await hideTokens(store.output.read)(address, start, maxBytes);
  return { bytes, next, size };
}

async function findChild(run: HeldAttempt, id: JobId, store: Store): Promise<Job> {
  const child = await store.get(id);
  if (child?.parent === run.id) return child;
  throw new LonghaulError("not_found", `Job ${run.id} has no child ${id}.`);
}

async function toChildEnd({ id, state }: Job, store: Store): Promise<ChildEnd> {
  if (!isTerminal(state)) throw new Error(`job ${id} has not ended`);
  const payload = state.status === "succeeded" ? await store.payload(id) : undefined;
  return {
    status: state.status,
    failure: "failure" in state ? state.failure : undefined,
    result: payload?.result === undefined ? undefined : (JSON.parse(payload.result) as Json),
  };
}
