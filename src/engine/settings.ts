import { defined } from "../job/defined.ts";
import { LonghaulError } from "../job/error.ts";
import type { JobId } from "../job/id.ts";
import type { Limits, Retention } from "../job/job.ts";
import type { Kind } from "../job/kind.ts";
import { defaultBackoff, lossBackoff, type Backoff } from "../job/retry.ts";
import type { KindLimits } from "../store/kind-limits.ts";
import type { Member } from "../store/member.ts";
import type { Store } from "../store/store.ts";
import { createPatternPool, type PatternPool } from "../text/pattern-pool.ts";
import { systemClock, type Clock } from "./clock.ts";
import { createNotifyRules, type NotifyRules } from "./webhooks/notify-rules.ts";
import { createWebhookRules, type WebhookRules } from "./webhooks/webhook-rules.ts";
import type { WebhookSettings } from "./webhooks/webhook-settings.ts";

export interface EngineOptions {
  readonly store: Store;
  readonly kinds: readonly Kind[];
  readonly clock?: Clock;
  /** A number in [0, 1), for jitter. */
  readonly random?: () => number;
  /** Where the engine tells of trouble that is nobody's answer. */
  readonly log?: (entry: LogEntry) => void;
  /** The name of this machine: what an attempt has started is there, and a job may be pinned to it. Stays the same across restarts. */
  readonly machine?: string;
  /** Other names under which jobs may be pinned to this machine: what it has, or what it is for. */
  readonly labels?: readonly string[];
  /** A worker that is not heard for this long has lost its jobs. */
  readonly leaseMs?: number;
  /** A machine that is not heard for this long after its leases have run out has lost the commands that run there. */
  readonly orphanMs?: number;
  /** Whether people reach jobs through this engine, or it only runs them. */
  readonly role?: Member["role"];
  readonly version?: string;
  /** Where it can be reached, once it can. */
  readonly address?: () => string | undefined;
  /** Jobs of one kind at once, where the kind does not say. */
  readonly concurrency?: number;
  readonly maxInputBytes?: number;
  readonly maxResultBytes?: number;
  readonly limits?: Partial<Limits>;
  readonly retention?: Partial<Retention>;
  /** How often readers look for themselves, because hints may get lost. */
  readonly pollMs?: number;
  /** How often finished jobs whose retention has ended are removed. */
  readonly pruneMs?: number;
  /** How often an attempt may lose its worker before it counts as the cause. */
  readonly maxLosses?: number;
  /** How long an attempt pauses that has lost its worker twice or more without getting further. */
  readonly lossBackoff?: Backoff;
  /** Silence after which a running job is reported as stalled, where no idle limit says so. */
  readonly stallMs?: number;
  /** Tests output by the patterns of callers; closed with the engine. */
  readonly patterns?: PatternPool;
  /** What the tokens of attempts are made with: the same across restarts, because commands outlive them. Without it there are none. */
  readonly attemptSecret?: string;
  /** Without them no job can have a webhook, or notify anybody. */
  readonly webhooks?: WebhookSettings;
}

export interface LogEntry {
  readonly level: "info" | "warn" | "error";
  readonly message: string;
  readonly job?: JobId;
  /** What it is about, where that is no job: the name and id of a token, never its secret. */
  readonly subject?: string;
  readonly by?: string;
  readonly error?: unknown;
}

export type Settings = Required<
  Omit<EngineOptions, "store" | "kinds" | "limits" | "retention" | "webhooks" | "attemptSecret">
> & {
  readonly limits: Limits;
  readonly retention: Retention;
  readonly webhookRules: WebhookRules;
  readonly notifyRules: NotifyRules;
};

/** What the parts of an engine share. */
export interface EngineParts {
  readonly store: Store;
  readonly kinds: ReadonlyMap<string, Kind>;
  readonly settings: Settings;
}

const hourMs = 3_600_000;
/** Jobs of one kind at once, where neither the kind nor the engine says. */
export const defaultConcurrency = 10;

export function toSettings(options: EngineOptions): Settings {
  const webhookRules = createWebhookRules(options.webhooks);
  return {
    clock: options.clock ?? systemClock,
    random: options.random ?? Math.random,
    log: options.log ?? (() => undefined),
    machine: options.machine ?? "local",
    labels: options.labels ?? [],
    leaseMs: options.leaseMs ?? 6_000,
    orphanMs: options.orphanMs ?? 60_000,
    role: options.role ?? "server",
    version: options.version ?? "",
    address: options.address ?? (() => undefined),
    concurrency: options.concurrency ?? defaultConcurrency,
    maxInputBytes: options.maxInputBytes ?? 1_000_000,
    maxResultBytes: options.maxResultBytes ?? 4_000_000,
    pollMs: options.pollMs ?? 2_000,
    pruneMs: options.pruneMs ?? 60_000,
    maxLosses: options.maxLosses ?? 20,
    lossBackoff: options.lossBackoff ?? lossBackoff,
    stallMs: options.stallMs ?? 300_000,
    limits: { attempts: 1, graceMs: 10_000, backoff: defaultBackoff, ...options.limits },
    retention: { succeededMs: 24 * hourMs, failedMs: 7 * 24 * hourMs, ...options.retention },
    patterns: options.patterns ?? createPatternPool(),
    webhookRules,
    notifyRules: createNotifyRules(webhookRules, options.webhooks?.notify),
  };
}

export function toLimits({ perKey, perKeyOf, rate }: Kind): KindLimits {
  return defined({ perKey, perKeyOf, rate });
}

export function toKindMap(kinds: readonly Kind[]): ReadonlyMap<string, Kind> {
  const map = new Map<string, Kind>();
  for (const kind of kinds) {
    if (map.has(kind.name)) throw new LonghaulError("conflict", `Two kinds are named "${kind.name}".`);
    map.set(kind.name, kind);
  }
  return map;
}
