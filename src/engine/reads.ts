import { LonghaulError } from "../job/error.ts";
import { isJobId, type JobId } from "../job/id.ts";
import { localOwner, type Job } from "../job/job.ts";
import type { Json } from "../job/json.ts";
import type { Kind } from "../job/kind.ts";
import type { OutputSize } from "../job/output.ts";
import { isTerminal, isTerminalStatus } from "../job/state.ts";
import type { Store } from "../store/store.ts";
import { maySee, narrow, type Access } from "./access.ts";
import type { Actions } from "./actions.ts";
import type { AttemptCalls } from "./calls/attempt-calls.ts";
import type { Dispatcher } from "./dispatcher.ts";
import type { Engine } from "./engine.ts";
import type { Feed } from "./feed.ts";
import { diagnoseQueue } from "./queue-diagnosis.ts";
import { hideTokens } from "./hide-tokens.ts";
import { collectEnds } from "./housekeeping.ts";
import type { LiveChanges } from "./live-changes.ts";
import type { EngineParts } from "./settings.ts";
import { waitForJobs } from "./wait.ts";
import { sayStatus } from "../job/status-words.ts";

export interface OutputRequest {
  readonly stream?: string;
  /** The current attempt unless given. */
  readonly attempt?: number;
  readonly from?: number;
  readonly limit?: number;
}

export type ArtifactRequest = Pick<OutputRequest, "from" | "limit">;

interface ReadParts extends EngineParts {
  readonly feed: Feed;
  readonly live: LiveChanges;
  readonly dispatcher: Dispatcher;
  readonly calls: AttemptCalls;
  readonly silentMs: (id: JobId) => number | undefined;
}

type Reads = Omit<
  Engine,
  keyof Actions | "tokens" | "sessions" | "inside" | "schedules" | "marks" | "patterns" | "stop" | "drain"
>;

/** What can be told of a kind. */
export type KindFacts = Pick<Kind, "name" | "onInterrupt" | "input" | "verbs" | "summaryOf"> & {
  readonly concurrency: number;
};

const maxListed = 1_000;
const maxCounted = 10_000;
const maxReadBytes = 1_000_000;

/** The engine's answers: none of them changes anything. */
export function createReads(parts: ReadParts): Reads {
  const { store, kinds, settings, feed, live } = parts;
  const get = createGet(store);
  const read = hideTokens(store.output.read);
  return {
    get,
    list: async (filter = {}, page = {}, access = {}) =>
      store.list(narrow(filter, access), { ...page, limit: within(page.limit ?? 20, maxListed) }),
    unseen: (page = {}, access = {}) =>
      store.unseen(narrow({ owner: access.owner ?? localOwner }, access), {
        ...page,
        limit: within(page.limit ?? 20, maxListed),
      }),
    count: async (filter = {}, access = {}) => store.count(narrow(filter, access)),
    countMatching: async (filter, page, access = {}) =>
      store.countMatching(narrow(filter, access), { ...page, limit: within(page.limit, maxCounted) }),
    findId: (suffix, access) => findId(store, suffix, access),
    ...createPayloadReads(store, get),
    events: async (id, after = 0, limit = 200, access = {}) =>
      store.read((await get(id, access)).id, after, within(limit, maxListed)),
    follow: async function* follow(id, { after = 0, signal, ...access } = {}) {
      yield* feed.follow((await get(id, access)).id, after, signal);
    },
    readOutput: async (id, { stream = "stdout", from = 0, limit = 64 * 1024, attempt } = {}, access = {}) => {
      const job = await get(id, access);
      const address = { id: job.id, attempt: attempt ?? job.state.attempt, stream };
      return read(address, Math.max(0, from), within(limit, maxReadBytes));
    },
    outputSizes: async (id, attempt, access) => {
      const job = await get(id, access);
      return measureStreams(store, job.id, attempt ?? job.state.attempt);
    },
    artifacts: async (id, access) => store.output.artifacts((await get(id, access)).id),
    readArtifact: async (id, name, { from = 0, limit = maxReadBytes } = {}, access = {}) => {
      const job = await get(id, access);
      return store.output.readArtifact(job.id, name, Math.max(0, from), within(limit, maxReadBytes));
    },
    wait: async (ids, options = {}) => {
      const wanted = [...new Set(typeof ids === "string" ? [ids] : ids)];
      const load = (id: string): Promise<Job> => get(id, options);
      return waitForJobs(wanted as JobId[], options, {
        feed,
        clock: settings.clock,
        output: { ...store.output, read },
        load,
      });
    },
    questions: async (id, access) => store.questions((await get(id, access)).id),
    diagnose: async (id, access) => {
      return diagnoseQueue(await get(id, access), parts);
    },
    silentMs: async (id, access) => parts.silentMs((await get(id, access)).id),
    inspect: async (id, access) => parts.calls.inspect(await get(id, access)),
    pausedKinds: () => store.pausedKinds(),
    machines: () => store.members(settings.clock.now()),
    batches: (page, access = {}) =>
      store.batches(narrow({}, access), { ...page, limit: within(page.limit, maxListed) }),
    kinds: toKindFacts([...kinds.values()], settings.concurrency),
    rollups: async (request, access = {}) => {
      await collectEnds(store, settings.clock.now());
      return store.rollups.read(narrow(request, access));
    },
    changes: (request, access) => live.since(request, access),
    nextChange: (timeoutMs, signal) => live.next(timeoutMs, signal),
    onFinished: (listener) => tellEnds(store, listener),
    probe: () => store.probe(),
    deliveries: async (filter = {}, page = {}, access = {}) => {
      if (filter.job !== undefined) await get(filter.job, access);
      return store.listDeliveries(narrow(filter, access), { ...page, limit: within(page.limit ?? 20, maxListed) });
    },
  };
}

export function toKindFacts(kinds: readonly Kind[], concurrency: number): KindFacts[] {
  return kinds.map((kind) => ({ ...kind, concurrency: kind.concurrency ?? concurrency }));
}

/** What a job was given, and what came of it. */
function createPayloadReads(store: Store, get: Engine["get"]): Pick<Reads, "input" | "inputs" | "payload" | "result"> {
  return {
    inputs: async (jobs, access = {}) => {
      const seen = jobs.filter((job) => maySee(access, job)).map(({ id }) => id);
      const texts = seen.length === 0 ? [] : await store.inputs(seen);
      return new Map([...texts].map(([id, text]) => [id, JSON.parse(text) as Json]));
    },
    input: async (id, access) => {
      const payload = await store.payload((await get(id, access)).id);
      return JSON.parse(payload?.input ?? "null") as Json;
    },
    payload: async (id, access) => {
      const { input = "null", result } = (await store.payload((await get(id, access)).id)) ?? {};
      return {
        input: JSON.parse(input) as Json,
        result: result === undefined ? undefined : (JSON.parse(result) as Json),
      };
    },
    result: async (id, access) => {
      const job = await get(id, access);
      if (job.state.status !== "succeeded") {
        throw new LonghaulError("conflict", `Job ${id} has no result: it ${sayStatus(job.state.status)}.`);
      }
      return JSON.parse((await store.payload(job.id))?.result ?? "null") as Json;
    },
  };
}

function createGet(store: Store): Engine["get"] {
  return async (id, access = {}) => {
    const job = isJobId(id) ? await store.get(id) : undefined;
    if (job !== undefined && maySee(access, job)) return job;
    // Of what kind a removed job was is not remembered, so whoever sees only some kinds is told nothing of it.
    const tombstone = isJobId(id) && access.kinds === undefined ? await store.tombstone(id) : undefined;
    if (tombstone === undefined || (access.owner !== undefined && tombstone.owner !== access.owner)) {
      throw new LonghaulError("not_found", `There is no job ${id}.`, { details: { job: id } });
    }
    const at = new Date(tombstone.purgedAt).toISOString();
    throw new LonghaulError(
      "expired",
      `Job ${id} has expired: it was removed at ${at}, when it no longer had to be kept.`,
    );
  };
}

function tellEnds(store: Store, listener: (job: Job) => void): () => void {
  return store.subscribe((hint) => {
    if (hint.type !== "job-changed" || !isTerminalStatus(hint.status)) return;
    store.get(hint.id).then(
      (job) => job !== undefined && isTerminal(job.state) && listener(job),
      // The store closed meanwhile.
      () => undefined,
    );
  });
}

async function findId(store: Store, suffix: string, access: Access = {}): Promise<JobId> {
  const found = await store.idsEndingWith(suffix.toLowerCase(), narrow({}, access), 2);
  const [id] = found;
  if (id === undefined) throw new LonghaulError("not_found", `There is no job whose id ends with "${suffix}".`);
  if (found.length === 1) return id;
  throw new LonghaulError("conflict", `More than one job's id ends with "${suffix}": give more of it.`);
}

async function measureStreams(store: Store, id: JobId, attempt: number): Promise<Record<string, OutputSize>> {
  const sizes: Record<string, OutputSize> = {};
  for (const stream of await store.output.streams(id, attempt)) {
    sizes[stream] = await store.output.measure({ id, attempt, stream });
  }
  return sizes;
}

function within(wanted: number, max: number): number {
  return Math.min(max, Math.max(1, wanted));
}
