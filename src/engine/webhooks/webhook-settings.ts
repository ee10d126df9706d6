import type { Job } from "../../job/job.ts";
import type { NotifyOccasion } from "../../job/notify.ts";

/** Posts a body and answers with the status and the headers, names in lower case; follows no redirect. Rejects when the signal comes. */
export type Post = (
  url: string,
  headers: Readonly<Record<string, string>>,
  body: string,
  signal: AbortSignal,
) => Promise<{ readonly status: number; readonly headers: Readonly<Record<string, string>> }>;

/** What a configuration says of webhooks. */
export interface WebhookOptions {
  /** Origins, or beginnings of addresses, that may be posted to, also inside the own network. If there are none, any public address may. */
  readonly allow: readonly string[];
  /** For jobs that name no address of their own; allowed without being listed. */
  readonly defaultUrl?: string;
  /** The installation's secret, for jobs that bring none: `whsec_…`. Asked for when it is first needed. */
  readonly secret: () => string;
  /** How long to wait before each further attempt; those that Standard Webhooks suggests, unless given. */
  readonly retryDelaysMs?: readonly number[];
  /** How long a receiver may take to answer. */
  readonly timeoutMs?: number;
  readonly notify?: NotifyOptions;
}

/** What a configuration says of telling people. */
export interface NotifyOptions {
  /** Whom jobs tell that name nobody: "desktop", or addresses, which are allowed without being listed. */
  readonly to?: readonly string[];
  /** On which occasions, where a job does not say. */
  readonly on?: readonly NotifyOccasion[];
  /** Those in `to` are told of an end only if the job took this long. */
  readonly onlyAfterMs?: number;
  /** Whether those in `to` are also told of the jobs of others than this machine's user. */
  readonly allOwners?: boolean;
  /** Where a notice leads to: an address with {id} in it for the job's. */
  readonly link?: string;
  readonly desktop?: Desktop;
  /** Hides what must not be shown. */
  readonly redact?: (text: string) => string;
}

/** The screen of whoever sits at this machine. */
export interface Desktop {
  /** What is missing to show something; undefined if nothing is. */
  readonly problem: () => string | undefined;
  readonly show: (text: string, options: { readonly isUrgent: boolean; readonly signal: AbortSignal }) => Promise<void>;
}

export interface WebhookSettings extends WebhookOptions {
  readonly post: Post;
  /** Throws for an address whose form alone tells that it is not public. */
  readonly check: (url: URL) => void;
  /** The job as every face shows it. */
  readonly view: (job: Job) => object;
}
