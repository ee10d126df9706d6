import { defined } from "../job/defined.ts";
import { LonghaulError } from "../job/error.ts";
import type { JobId } from "../job/id.ts";
import type { Job } from "../job/job.ts";
import type { Json } from "../job/json.ts";
import type { ChildEnd, ChildOutput } from "../job/kind.ts";
import { isTerminal } from "../job/state.ts";
import type { Store } from "../store/store.ts";
import type { Feed } from "./feed.ts";
import type { Run } from "./run.ts";

/** Waits until a child of this attempt's job has ended. */
export async function awaitChild(
  run: Run,
  id: JobId,
  { store, feed }: { store: Store; feed: Feed },
  onChange: () => Promise<void> = async () => undefined,
): Promise<ChildEnd> {
  const changes = feed.changes([id], run.signal);
  try {
    for (;;) {
      const child = await findChild(run, id, store);
      await onChange();
      if (isTerminal(child.state)) return await toChildEnd(child, store);
      const rang = await changes.next();
      if (rang === "aborted") throw run.signal.reason;
      // A quiet while is no sign of life.
      if (rang !== "all") run.touch();
    }
  } finally {
    changes.close();
  }
}

const mostBytes = 1_000_000;

export async function readChild(
  run: Run,
  id: JobId,
  store: Store,
  { stream, from }: { stream: string; from: number },
): Promise<ChildOutput> {
  const { state } = await findChild(run, id, store);
  const address = { id, attempt: state.attempt, stream };
  const start = from >= 0 ? from : Math.max(0, (await store.output.measure(address)).size + from);
  const { bytes, next, size } = await store.output.read(address, start, mostBytes);
  return { bytes, next, size };
}

async function findChild(run: Run, id: JobId, store: Store): Promise<Job> {
  const child = await store.get(id);
  if (child?.parent === run.id) return child;
  throw new LonghaulError("not_found", `Job ${run.id} has no child ${id}.`);
}

async function toChildEnd({ id, state }: Job, store: Store): Promise<ChildEnd> {
  if (!isTerminal(state)) throw new Error(`job ${id} has not ended`);
  const payload = state.status === "succeeded" ? await store.payload(id) : undefined;
  return {
    status: state.status,
    ...defined({
      failure: "failure" in state ? state.failure : undefined,
      result: payload?.result === undefined ? undefined : (JSON.parse(payload.result) as Json),
    }),
  };
}
