import { z } from "zod";
import { LonghaulError } from "./error.ts";
import type { EventBody } from "./event.ts";
import { parseUrl } from "./parse-url.ts";

export const webhookOccasions = ["end", "question"] as const;

export type WebhookOccasion = (typeof webhookOccasions)[number];

/** What a submitter says: where to post what happens to a job, on which occasions, signed with which secret. */
export const webhookSchema = z.strictObject({
  url: z.string().describe("Where to post; the server's configuration must allow it."),
  on: z.array(z.enum(webhookOccasions)).min(1).optional().describe("On which occasions; both unless given."),
  secret: z.string().optional().describe("Signs for this job, in place of the installation's: whsec_ and base64."),
});

/** A job's webhook as everybody who sees the job may see it. */
export interface ShownWebhook {
  readonly url: string;
  readonly on: readonly WebhookOccasion[];
}

export const deliveryTypes = [
  "job.succeeded",
  "job.failed",
  "job.timed_out",
  "job.cancelled",
  "job.question",
  "job.stalled",
] as const;

export type DeliveryType = (typeof deliveryTypes)[number];

/** How the webhook tells of an event; undefined if it does not. */
export function toDeliveryType(event: EventBody, { on }: ShownWebhook): DeliveryType | undefined {
  if (event.type === "job-finished" && on.includes("end")) return `job.${event.status}`;
  return event.type === "question-asked" && on.includes("question") ? "job.question" : undefined;
}

export const longestUrl = 2_000;

/** Says nothing of what came: an address may hold a secret. */
export function parseWebhookUrl(text: string, field: string): URL {
  const url = text.length <= longestUrl ? parseUrl(text) : undefined;
  if (url !== undefined && isHttpUrl(url)) return url;
  throw new LonghaulError(
    "invalid_input",
    `${field} must be an http or https address of at most ${longestUrl} characters, without user name and password.`,
    { details: { field } },
  );
}

export function isHttpUrl({ protocol, username, password }: URL): boolean {
  return /^https?:$/.test(protocol) && username === "" && password === "";
}

/** Without its query, where services expect tokens. */
export function showUrl({ origin, pathname, search }: URL): string {
  return `${origin}${pathname}${search === "" ? "" : "?…"}`;
}

/** Standard Webhooks wants 24 to 64 bytes. Says nothing of what came. */
export function checkWebhookSecret(secret: string, field: string): void {
  const [, base64 = ""] =
    /^whsec_((?:[A-Za-z0-9+/]{4}){8,22}|(?:[A-Za-z0-9+/]{4}){8,21}[A-Za-z0-9+/]{2}[A-Za-z0-9+/=]=)$/.exec(secret) ?? [];
  const bytes = atob(base64).length;
  if (bytes >= 24 && bytes <= 64) return;
  throw new LonghaulError("invalid_input", `${field} must be "whsec_" and the base64 text of 24 to 64 random bytes.`, {
    details: { field },
  });
}
