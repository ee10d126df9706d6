import type { Job } from "../../job/job.ts";

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
}

export interface WebhookSettings extends WebhookOptions {
  readonly post: Post;
  /** Throws for an address whose form alone tells that it is not public. */
  readonly check: (url: URL) => void;
  /** The job as every face shows it. */
  readonly view: (job: Job) => object;
}
