import type { EventBody, JobEvent } from "../job/event.ts";
import type { JobId } from "../job/id.ts";
import type { Job, JobSpec } from "../job/job.ts";
import type { Answer, AskedQuestion, Question } from "../job/question.ts";
import type { NotifyTarget } from "../job/notify.ts";
import type { JobStatus, Progress } from "../job/state.ts";
import type { LeaseToken, Outcome } from "../job/transitions.ts";
import type {
  DeliveryClaim,
  DeliveryClaimRequest,
  DeliveryClaims,
  DeliveryFilter,
  DeliveryKey,
  DeliveryPage,
  DeliveryResult,
} from "./delivery.ts";
import type { KindLimits, QueuedFacts, QueuedRequest } from "./kind-limits.ts";
import type { MarkStore } from "./mark-store.ts";
import type { MailStore } from "./mail-store.ts";
import type { Member } from "./member.ts";
import type { OutputStore } from "./output-store.ts";
import type { RollupStore } from "./rollup-store.ts";
import type { ScheduleStore } from "./schedule-store.ts";
import type { TokenStore } from "./token-store.ts";

/**
 * Where jobs live. Every promise of a write resolves only after the write is durable, and every write after a
 * claim is conditional on the lease still being held. Inputs, results and checkpoints are JSON text: the store
 * never looks inside. Rules are stated here and tested, for every store alike, in test/store/contract.ts.
 */
export interface Store {
  readonly capabilities: Capabilities;
  readonly output: OutputStore;
  readonly tokens: TokenStore;
  readonly schedules: ScheduleStore;
  readonly marks: MarkStore;
  readonly rollups: RollupStore;
  readonly mail: MailStore;

  /**
   * Creates all the jobs of the call or none. A draft whose owner and idempotency key are known already creates
   * nothing and returns the job that is there, if kind and input are the same; else the call is refused
   * (`conflict`). Dependencies must exist or stand earlier in the call (`not_found`), and must not have ended
   * other than succeeded (`conflict`).
   *
   * What a job's webhook, or somebody to be notified, wants to be told of is recorded as a delivery together with the event, whatever
   * verb makes it: neither is ever there without the other. A job without such receivers costs nothing more for it.
   */
  readonly create: (drafts: readonly JobDraft[]) => Promise<Created[]>;

  readonly get: (id: JobId) => Promise<Job | undefined>;
  readonly payload: (id: JobId) => Promise<Payload | undefined>;
  /** What a job was made from, with what nobody is shown of it: only to make another one like it. */
  readonly source: (id: JobId) => Promise<Pick<JobDraft, "input" | "client" | "webhook" | "notify"> | undefined>;
  /** Newest first. A cursor goes on where the page before ended, whatever was added since. */
  readonly list: (filter: JobFilter, page: PageRequest) => Promise<JobPage>;
  /** The inputs of these jobs as they may be shown, as JSON texts; those that are long are left out. */
  readonly inputs: (ids: readonly JobId[]) => Promise<ReadonlyMap<JobId, string>>;
  /**
   * Finished jobs of one owner that nobody has looked at yet, the latest end first; no children, whose parent tells of them. A job that is
   * retried is left out until it has ended again.
   */
  readonly unseen: (filter: UnseenFilter, page: PageRequest) => Promise<JobPage>;
  /** Somebody has looked at the ends of these; says of how many that was new. A job that has not ended is left as it is. */
  readonly markSeen: (ids: readonly JobId[]) => Promise<number>;
  /** How many jobs are in each state. Kept with every change, so that it takes as long for a million of them as for one. */
  readonly count: (filter: Pick<JobFilter, "owner" | "kinds" | "batch">) => Promise<StatusCount[]>;
  /** Counts the jobs that `list` returns, at most `limit` of them; a cursor, which `list` would take too, leads to the others. */
  readonly countMatching: (filter: JobFilter, page: PageRequest) => Promise<CountPage>;
  /** Names of the batches that have jobs (of this owner), in alphabetical order, after a name. */
  readonly batches: (filter: Pick<JobFilter, "owner" | "kinds">, page: BatchPage) => Promise<string[]>;
  /** Ids that end with these characters, at most `limit`: for people who type only a part. */
  readonly idsEndingWith: (
    suffix: string,
    filter: Pick<JobFilter, "owner" | "kinds">,
    limit: number,
  ) => Promise<JobId[]>;
  /** When a purged job went, for as long as that is remembered. */
  readonly tombstone: (id: JobId) => Promise<Tombstone | undefined>;
  /** What keeps a queued job from starting, whichever engine it is that would start it; undefined for any other job. */
  readonly queued: (id: JobId, request: QueuedRequest) => Promise<QueuedFacts | undefined>;

  /** Adds events of a held job; false, and nothing is written, once the lease is lost. */
  readonly append: (lease: HeldLease, events: readonly EventBody[], at: number) => Promise<boolean>;
  /** Events with a sequence number above `after`, in order, without gaps. */
  readonly read: (id: JobId, after: number, limit: number) => Promise<JobEvent[]>;

  /**
   * Says how many jobs of a kind may be held, and started, at once by all engines together, instead of what was said of it before.
   * Every engine says it of its kinds before it claims any.
   */
  readonly limits: (kind: string, limits: KindLimits) => Promise<void>;
  /**
   * Leases up to `max` jobs of each wanted kind whose time has come: highest priority first, then in turns between
   * owners, then oldest first. No job is claimed twice, by however many workers; none of a paused kind is, and none beyond the
   * kind's limits. A job that has a place is claimed only where that is the name of the machine or one of its labels.
   * A start counts against the rate from its claim's `now`, also for a claim that waited behind that one.
   */
  readonly claim: (request: ClaimRequest) => Promise<Claimed>;
  /**
   * Extends leases. Says which are lost, and which jobs were asked to cancel. An engine that hears no answer for a whole lease stops its
   * attempts, so this waits behind no other request: in a store on a server it has a connection of its own. Without leases it
   * still asks the store.
   */
  readonly beat: (leases: readonly HeldLease[], expiresAt: number) => Promise<BeatAnswer>;
  /** Ends or requeues an attempt. Undefined, and nothing is written, once the lease is lost. */
  readonly settle: (lease: HeldLease, outcome: Outcome, settlement: Settlement) => Promise<Job | undefined>;
  /** Held jobs whose lease ended before a time, those whose lease ended first before the others. */
  readonly lost: (search: LostSearch) => Promise<Job[]>;
  /**
   * Takes over a lost lease; undefined if its holder was heard again, if another worker was faster, or if the attempt ran on
   * another machine: what it has started is there.
   */
  readonly adopt: (lost: LostLease, claim: LeaseRequest) => Promise<Claim | undefined>;
  /** Ends or requeues a job whose lease is lost; undefined under the same conditions as `adopt`. */
  readonly abandon: (lost: LostLease, outcome: Outcome, now: number) => Promise<Job | undefined>;
  /** Lets go of a lease without touching the state: the next engine adopts the job at once. */
  readonly release: (lease: HeldLease) => Promise<void>;

  /** Keeps the progress of a held job; an event is added only when asked for. False once the lease is lost. */
  readonly report: (lease: HeldLease, report: ProgressReport) => Promise<boolean>;
  /** Marks a held job as silent since a time, or as heard again. */
  readonly stall: (lease: HeldLease, since: number | undefined, now: number) => Promise<boolean>;
  /** One that differs from the last clears the job's losses: the attempt has got further. */
  readonly saveCheckpoint: (lease: HeldLease, checkpoint: string) => Promise<boolean>;
  readonly loadCheckpoint: (id: JobId) => Promise<string | undefined>;

  /** Opens a question, or finds the one asked under this key before, with its answer. Undefined once the lease is lost. */
  readonly ask: (
    lease: HeldLease,
    ask: { key: string; question: Question; at: number },
  ) => Promise<AskedQuestion | undefined>;
  /** Stores the answer to an open question, once. */
  readonly answer: (
    id: JobId,
    answer: { key: string; answer: Answer; at: number; by?: string },
  ) => Promise<AnswerResult>;
  readonly questions: (id: JobId) => Promise<AskedQuestion[]>;

  /**
   * Cancels a queued job, stamps a held one, leaves a finished one. Undefined if there is no such job. A job that
   * ends without success takes its unfinished children with it, and the queued jobs that depend on it.
   */
  readonly cancel: (id: JobId, request: { reason: string; at: number; by?: string }) => Promise<Job | undefined>;
  /** A new attempt of a job that ended without success. Refused (`conflict`) in any other state. */
  readonly retry: (id: JobId, request: { at: number; by?: string }) => Promise<Job | undefined>;
  /** Ends queued jobs whose time limit has passed, at most `limit`; says how many. */
  readonly expireQueued: (now: number, limit: number) => Promise<number>;

  /** A paused kind is not claimed; its jobs stay queued. Survives a restart. */
  readonly setPaused: (kind: string, isPaused: boolean) => Promise<void>;
  readonly pausedKinds: () => Promise<string[]>;

  /**
   * Leases pending deliveries whose time has come: at most `max`, no more to one host than it has room for, and the first
   * of each host before the second of any. A claim that is not settled is claimed again once its lease ends; in an exclusive store also after a restart.
   */
  readonly claimDeliveries: (request: DeliveryClaimRequest) => Promise<DeliveryClaims>;
  /** Keeps what came of an attempt; false, and nothing is written, once the claim is lost. `gone` ends the receiver for this job. */
  readonly settleDelivery: (claim: DeliveryClaim, result: DeliveryResult) => Promise<boolean>;
  /** Newest jobs first, and of each the newest first. */
  readonly listDeliveries: (filter: DeliveryFilter, page: PageRequest) => Promise<DeliveryPage>;
  /**
   * Makes one delivery of a job pending again, whatever became of it, or all that were given up; one that is under way
   * is left alone. Revives a receiver that was gone. Says which.
   */
  readonly redeliver: (id: JobId, which: DeliveryKey | undefined, now: number) => Promise<DeliveryKey[]>;

  /**
   * Removes finished jobs whose retention has ended, with their output, at most `limit`; a tombstone remains for a while.
   * A job with a pending delivery is kept until that is made or given up.
   */
  readonly purge: (now: number, limit: number) => Promise<number>;

  /**
   * Removes a finished job now, as `purge` would later; what its webhook was still to be told goes with it. Refused (`conflict`)
   * while the job, or the one that it is a child of, has not ended. False if there is no such job.
   */
  readonly remove: (id: JobId, now: number) => Promise<boolean>;

  /** An engine says that it is there, and goes on saying so before `member.expiresAt`. One machine has one engine: its last word counts. */
  readonly join: (member: Member) => Promise<void>;
  /** The engines that have said so and neither left nor fell silent since, by the names of their machines. */
  readonly members: (now: number) => Promise<Member[]>;
  /** The engine is gone; changes nothing if its machine has another one by now. */
  readonly leave: (worker: string) => Promise<void>;

  /** The store's clock. Nothing else in a store looks at it: engines on several machines set theirs by it. Answered on the way of `beat`. */
  readonly time: () => Promise<number>;

  /** Writes to the disk without a change, and so rejects when the store cannot write. */
  readonly probe: () => Promise<void>;

  /** Does a bounded piece of upkeep that nobody waits for; true when there is more. */
  readonly tidy: () => Promise<boolean>;

  /** Hints come after the commit they speak of; they may get lost, so a reader also looks by itself from time to time. */
  readonly subscribe: (listener: (hint: Hint) => void) => () => void;
  readonly close: () => Promise<void>;
}

export interface Capabilities {
  /** Only one engine at a time can have the store open: a lease of any other worker is lost, whatever its time. */
  readonly isExclusive: boolean;
}

export interface JobDraft {
  readonly spec: JobSpec;
  readonly runAt: number;
  readonly input: string;
  /** The input as readers and searches may see it, where that differs from what the worker gets. */
  readonly shownInput?: string;
  /** What the worker gets of the client's, which nobody else is shown; not compared when a key is known already. */
  readonly client?: string;
  readonly by?: string;
  /** What of the webhook is not shown: `spec.webhook` says the rest. */
  readonly webhook?: { readonly url: string; readonly secret?: string };
  /** The receivers that `spec.notify.to` shows, in the same order. */
  readonly notify?: readonly NotifyTarget[];
}

export interface Created {
  readonly job: Job;
  /** The idempotency key was known: this job was there before. */
  readonly isDuplicate: boolean;
}

export interface Payload {
  /** The input as it may be shown. */
  readonly input: string;
  readonly result?: string;
}

export interface JobFilter {
  readonly ids?: readonly JobId[];
  readonly owner?: string;
  readonly status?: readonly JobStatus[];
  readonly kind?: string;
  /** Any of these. */
  readonly kinds?: readonly string[];
  readonly batch?: string;
  readonly parent?: JobId;
  /** The id of the schedule that started them. */
  readonly schedule?: string;
  /** All of these. */
  readonly tags?: readonly string[];
  readonly name?: string;
  readonly createdFrom?: number;
  readonly createdBefore?: number;
  readonly finishedFrom?: number;
  readonly finishedBefore?: number;
  /** Words to find in name, input and last error; each may be the beginning of a word. */
  readonly text?: string;
}

export interface UnseenFilter {
  readonly owner: string;
  readonly kinds?: readonly string[];
}

export interface PageRequest {
  readonly limit: number;
  readonly cursor?: string;
}

export interface BatchPage {
  readonly limit: number;
  readonly after?: string;
}

export interface JobPage {
  readonly jobs: Job[];
  /** Absent on the last page. */
  readonly cursor?: string;
}

export interface StatusCount {
  readonly kind: string;
  readonly status: JobStatus;
  readonly count: number;
}

export interface CountPage {
  readonly counts: StatusCount[];
  /** Absent when there are no more. */
  readonly cursor?: string;
}

export interface Tombstone {
  readonly owner: string;
  readonly purgedAt: number;
}

/** For whom a lease is taken, and for how long. */
export interface LeaseRequest {
  readonly worker: string;
  readonly machine: string;
  readonly now: number;
  readonly leaseMs: number;
}

export interface ClaimRequest extends LeaseRequest {
  /** As `now`, by a clock that nobody sets: an exclusive store counts rates by it. */
  readonly monotonic?: number;
  /** Of the machine: places, besides its name, to which jobs may be pinned. */
  readonly labels?: readonly string[];
  readonly wants: readonly ClaimWant[];
}

export interface ClaimWant {
  readonly kind: string;
  readonly max: number;
}

export interface Claim {
  readonly job: Job;
  readonly lease: HeldLease;
  readonly input: string;
  readonly client?: string;
}

export interface Claimed {
  readonly claims: Claim[];
  /** When the next delayed job becomes ready, or the rate of a wanted kind lets another job start. */
  readonly nextRunAt?: number;
}

export interface HeldLease extends LeaseToken {
  readonly id: JobId;
}

export interface LostLease extends HeldLease {
  /** The lease still counts as lost only if it ended before this. */
  readonly before: number;
}

export interface LostSearch {
  readonly before: number;
  readonly kinds: readonly string[];
  /** Only those that are held by this machine. */
  readonly machine?: string;
  readonly limit: number;
}

export interface BeatAnswer {
  readonly lost: JobId[];
  readonly cancelled: { readonly id: JobId; readonly reason: string }[];
}

export interface Settlement {
  readonly now: number;
  readonly result?: string;
}

export interface ProgressReport {
  readonly progress: Progress;
  readonly isEvent: boolean;
  readonly at: number;
}

export type AnswerResult = "answered" | "already_answered" | "not_asked" | "finished";

export type Hint =
  /** A job changed or got events up to `seq`. */
  | { readonly type: "job-changed"; readonly id: JobId; readonly seq: number; readonly status: JobStatus }
  | { readonly type: "job-removed"; readonly id: JobId; readonly owner: string; readonly kind: string }
  /** A held job was asked to cancel. */
  | { readonly type: "cancel-requested"; readonly id: JobId; readonly reason: string }
  /** Hints may have been lost: whoever lives by them looks at everything. */
  | { readonly type: "hints-lost" }
  /** There may be something to claim. */
  | { readonly type: "job-ready" }
  /** There may be a delivery to make. */
  | { readonly type: "delivery-due" }
  | { readonly type: "output-grown"; readonly id: JobId }
  /** Somebody looks at the output of a job that runs elsewhere. */
  | { readonly type: "output-watched"; readonly id: JobId }
  /** There may be a letter to this worker. */
  | { readonly type: "letter-posted"; readonly worker: string }
  | { readonly type: "letter-answered"; readonly letter: string };
