import { present } from "../present.ts";
import { defined } from "../../src/job/defined.ts";
import type { JobEvent } from "../../src/job/event.ts";
import type { Failure } from "../../src/job/failure.ts";
import type { JobId } from "../../src/job/id.ts";
import type { Job } from "../../src/job/job.ts";
import type { JobStatus, TerminalStatus } from "../../src/job/state.ts";
import type { Outcome } from "../../src/job/transitions.ts";
import type { KindLimits } from "../../src/store/kind-limits.ts";
import type { Claim, Claimed, Created, HeldLease, JobDraft, Store } from "../../src/store/store.ts";
import { createDraftSource, second, t0, type DraftOptions } from "./drafts.ts";
import { useEach } from "../use-each.ts";

export interface OpenedStore {
  readonly store: Store;
  /** Closes the store and opens it again, as a restart does. */
  readonly reopen: () => Promise<Store>;
  /** Opens the same store once more, beside the first; absent where only one can be open. */
  readonly openOther?: () => Promise<Store>;
  readonly cleanup: () => Promise<void>;
}

/** Opens an empty store that nobody else uses. */
export type OpenStore = (options?: { outputCapBytes?: number }) => Promise<OpenedStore>;

export interface ClaimOptions extends KindLimits {
  readonly kind?: string;
  readonly max?: number;
  readonly worker?: string;
  readonly machine?: string;
  readonly labels?: readonly string[];
  readonly now?: number;
  readonly leaseMs?: number;
}

export const leaseMs = 30 * second;
export const failure: Failure = { code: "broken", message: "It broke.", retryable: true };

export const outcomes = {
  succeeded: { type: "succeeded", partial: false },
  failed: { type: "failed", failure },
  timed_out: { type: "timed_out", failure },
  cancelled: { type: "cancelled", reason: "not needed" },
} as const satisfies Record<TerminalStatus, Outcome>;

export const terminalStatuses = Object.keys(outcomes) as TerminalStatus[];

/** A store in a test, with words for what tests do over and over. */
export class World {
  store: Store;
  readonly draft: (options?: DraftOptions) => JobDraft = createDraftSource();
  readonly #opened: OpenedStore;
  readonly #others: World[] = [];

  constructor(opened: OpenedStore) {
    this.#opened = opened;
    this.store = opened.store;
  }

  /** The same store as another engine has it open: where only one can be, it is this one. */
  async other(): Promise<World> {
    const store = (await this.#opened.openOther?.()) ?? this.store;
    const world = new World({ store, reopen: async () => store, cleanup: () => store.close() });
    if (store !== this.store) this.#others.push(world);
    return world;
  }

  async restart(): Promise<void> {
    this.store = await this.#opened.reopen();
  }

  async cleanup(): Promise<void> {
    await Promise.all(this.#others.map((world) => world.cleanup()));
    await this.#opened.cleanup();
  }

  /** Creates jobs in one call. */
  create(...options: DraftOptions[]): Promise<Created[]> {
    return this.store.create(options.map((each) => this.draft(each)));
  }

  async submit(options: DraftOptions = {}): Promise<Job> {
    const [created] = await this.create(options);
    return present(created).job;
  }

  async submitMany(count: number, options: DraftOptions = {}): Promise<Job[]> {
    const created = await this.create(...Array.from({ length: count }, () => options));
    return created.map(({ job }) => job);
  }

  /** The limits of the kind, if there are any, hold from then on. */
  async claim(options: ClaimOptions = {}): Promise<Claim[]> {
    return (await this.claimed(options)).claims;
  }

  async claimed({ kind = "work", max = 1, perKey, perKeyOf, rate, ...request }: ClaimOptions = {}): Promise<Claimed> {
    const limits = defined({ perKey, perKeyOf, rate });
    if (Object.keys(limits).length > 0) await this.store.limits(kind, limits);
    return this.store.claim({ worker: "w1", machine: "m1", now: t0, leaseMs, ...request, wants: [{ kind, max }] });
  }

  async claimIds(options: ClaimOptions = {}): Promise<JobId[]> {
    return (await this.claim(options)).map(({ job }) => job.id);
  }

  /** Submits a job and claims it; no other job of its kind may be ready. */
  async start(options: DraftOptions = {}, claiming: ClaimOptions = {}): Promise<Claim> {
    const job = await this.submit(options);
    return this.claimJob(job, claiming);
  }

  async claimJob(job: Job, claiming: ClaimOptions = {}): Promise<Claim> {
    const claim = present((await this.claim({ kind: job.kind, ...claiming }))[0]);
    if (claim.job.id !== job.id) throw new Error("the test claimed another job than it meant to");
    return claim;
  }

  /** Submits a job and brings it to its end. */
  async finish(status: TerminalStatus, options: DraftOptions = {}): Promise<Job> {
    const { lease } = await this.start(options);
    return present(await this.store.settle(lease, outcomes[status], { now: t0 }));
  }

  async job(id: JobId): Promise<Job> {
    return present(await this.store.get(id));
  }

  async status(id: JobId): Promise<JobStatus> {
    return (await this.job(id)).state.status;
  }

  statuses(jobs: readonly { readonly id: JobId }[]): Promise<JobStatus[]> {
    return Promise.all(jobs.map(({ id }) => this.status(id)));
  }

  events(id: JobId): Promise<JobEvent[]> {
    return this.store.read(id, 0, 1_000);
  }

  async eventTypes(id: JobId): Promise<string[]> {
    return (await this.events(id)).map(({ type }) => type);
  }

  /** What an attempt's engine does with its output, up to the attempt's end. */
  async writeOutput(lease: HeldLease, text: string): Promise<void> {
    const { output } = this.store;
    await output.restore({ lease, attempt: 1, isResumed: false });
    const writer = output.writer({ id: lease.id, attempt: 1, stream: "stdout" });
    writer.append(Buffer.from(text));
    writer.close();
    await output.flush(lease.id, 1);
    output.leave(lease.id, 1, { isOver: false });
  }

  /** Takes the job over from its holder, whose lease counts no more. */
  async takeOver(lease: HeldLease, worker = "w2"): Promise<Claim> {
    const before = Number.MAX_SAFE_INTEGER;
    return present(await this.store.adopt({ ...lease, before }, { worker, machine: "m1", now: t0, leaseMs }));
  }
}

/** Gives each test of the enclosing describe a world of its own. */
export function useWorld(open: OpenStore, options?: { outputCapBytes: number }): () => World {
  return useEach(
    async () => new World(await open(options)),
    (world) => world.cleanup(),
  );
}

/** What a refused call rejects with. */
export function refusal(code: string): { name: string; code: string } {
  return { name: "LonghaulError", code };
}
