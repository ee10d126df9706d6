import { LonghaulError } from "./error.ts";
import type { EventBody } from "./event.ts";
import { parseUrl } from "./parse-url.ts";
import { isHttpUrl, longestUrl, type DeliveryType } from "./webhook.ts";

/** What people are told of; `fail` is an end by failure or by a time limit. */
export const notifyOccasions = ["end", "fail", "question", "stall"] as const;

export type NotifyOccasion = (typeof notifyOccasions)[number];

export const defaultOccasions: readonly NotifyOccasion[] = ["end", "question", "stall"];

/** How a receiver wants to be told; `plain` is a small JSON object for any other program. */
export type NotifyFormat = "ntfy" | "slack" | "discord" | "plain" | "desktop";

/** Where people are told, as the store keeps it. */
export interface NotifyTarget {
  readonly format: NotifyFormat;
  readonly url: string;
}

/** Of whom a job tells people what, as everybody who sees the job may see it. */
export interface ShownNotify {
  readonly to: readonly string[];
  readonly on: readonly NotifyOccasion[];
  /** An end is told only of a job that took this long. */
  readonly afterMs?: number;
}

/** How people are told of an event; undefined if they are not. `tookMs` is the time from submit to the end. */
export function toNoticeType(
  event: EventBody,
  { on, afterMs = 0 }: ShownNotify,
  tookMs: number,
): DeliveryType | undefined {
  if (event.type === "question-asked") return on.includes("question") ? "job.question" : undefined;
  if (event.type === "job-stalled") return on.includes("stall") ? "job.stalled" : undefined;
  if (event.type !== "job-finished" || tookMs < afterMs) return undefined;
  const isFailure = event.status === "failed" || event.status === "timed_out";
  return on.includes("end") || (isFailure && on.includes("fail")) ? `job.${event.status}` : undefined;
}

const desktopTarget: NotifyTarget = { format: "desktop", url: "desktop:" };

/**
 * Reads "desktop", "ntfy://host/topic", an http or https address, or one with the format before it: "slack+https://…".
 * Says nothing of what came: an address may hold a secret.
 */
export function parseNotifyTarget(text: string, field: string): NotifyTarget {
  if (text === "desktop") return desktopTarget;
  const [, named, address = ""] = /^(?:(ntfy|slack|discord)\+)?(https?:\/\/.*)$/is.exec(asHttps(text)) ?? [];
  const url = address.length > longestUrl ? undefined : parseUrl(address);
  if (url === undefined || !isHttpUrl(url)) throw refuse(field, `must be "desktop" or a URL: ${examples}`);
  const format = text.startsWith("ntfy://")
    ? "ntfy"
    : ((named?.toLowerCase() as NotifyFormat | undefined) ?? formatOf(url));
  if (format === "ntfy" && !topic.test(url.pathname))
    throw refuse(field, "must name a topic of ntfy: ntfy://ntfy.sh/my-topic");
  return { format, url: url.href };
}

/** Without its path, which is as good as a password for most of these services. */
export function showTarget({ format, url }: NotifyTarget): string {
  if (format === "desktop") return format;
  return `${format === "plain" ? "" : `${format}+`}${new URL(url).origin}/…`;
}

const examples =
  "ntfy://ntfy.sh/my-topic, https://hooks.slack.com/services/…, https://discord.com/api/webhooks/… or https://example.com/hook";
const topic = /\/[\w-]{1,64}$/;

/** What `parseNotifyTarget` reads as this target. */
export function nameTarget({ format, url }: NotifyTarget): string {
  if (format === "desktop") return "desktop";
  return format === "plain" ? url : `${format}+${url}`;
}

function asHttps(text: string): string {
  return text.replace(/^ntfy:\/\//i, "https://");
}

function formatOf({ hostname, pathname }: URL): NotifyFormat {
  if (hostname === "ntfy.sh") return "ntfy";
  if (/^hooks\.slack(-gov)?\.com$/.test(hostname)) return "slack";
  return /^((canary|ptb)\.)?discord(app)?\.com$/.test(hostname) && pathname.startsWith("/api/webhooks/")
    ? "discord"
    : "plain";
}

function refuse(field: string, what: string): LonghaulError {
  return new LonghaulError("invalid_input", `${field} ${what}.`, { details: { field } });
}
