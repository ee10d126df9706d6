import { messageOf } from "../../job/failure.ts";
import type { DeliveryClaim, DeliveryResult } from "../../store/delivery.ts";
import type { Store } from "../../store/store.ts";
import type { Settings } from "../settings.ts";
import { signedHeaders, toDeliveryId, writeBody } from "./message.ts";
import { nextTryAt, suggestedDelaysMs } from "./retry-schedule.ts";
import { notAllowed } from "./webhook-rules.ts";
import type { WebhookSettings } from "./webhook-settings.ts";

export interface DelivererParts {
  readonly store: Store;
  readonly settings: Settings;
  readonly webhooks: WebhookSettings;
}

export const defaultTimeoutMs = 15_000;

const longestError = 300;

/** Posts a delivery once and says what came of it. Cut short by the signal, it counts as not tried. */
export async function attemptDelivery(
  claim: DeliveryClaim,
  parts: DelivererParts,
  stopping: AbortSignal,
): Promise<DeliveryResult> {
  const { webhooks, settings } = parts;
  const { clock } = settings;
  const url = new URL(claim.url);
  // The configuration may have changed since the job was submitted.
  if (!settings.webhookRules.isAllowed(url)) return { state: "failed", error: notAllowed(url).message };
  const timeoutMs = webhooks.timeoutMs ?? defaultTimeoutMs;
  const limit = new AbortController();
  const cancelTimer = clock.after(timeoutMs, () => limit.abort());
  try {
    const body = await writeBody(claim, parts.store, webhooks.view);
    const id = toDeliveryId(claim.job.id, claim.seq);
    const headers = signedHeaders(id, body, claim.secret ?? webhooks.secret(), clock.now());
    const reply = await webhooks.post(claim.url, headers, body, AbortSignal.any([limit.signal, stopping]));
    return toResult(claim, parts, reply.status, reply.headers["retry-after"]);
  } catch (error) {
    if (stopping.aborted) return { state: "released", nextAt: clock.now() };
    return retryLater(claim, parts, {
      error: limit.signal.aborted ? `no answer within ${timeoutMs} ms` : describe(error),
    });
  } finally {
    cancelTimer();
  }
}

function toResult(
  claim: DeliveryClaim,
  parts: DelivererParts,
  status: number,
  retryAfter: string | undefined,
): DeliveryResult {
  const at = parts.settings.clock.now();
  if (status >= 200 && status < 300) return { state: "delivered", at, status };
  if (status === 410) return { state: "gone", at, status };
  const what = status >= 300 && status < 400 ? "redirects, which are not followed" : `answered ${status}`;
  return retryLater(claim, parts, { error: `the receiver ${what}`, status, retryAfter });
}

interface Trouble {
  readonly error: string;
  readonly status?: number;
  readonly retryAfter?: string;
}

function retryLater(
  claim: DeliveryClaim,
  parts: DelivererParts,
  { error, status, retryAfter }: Trouble,
): DeliveryResult {
  const { clock, random } = parts.settings;
  const delaysMs = parts.webhooks.retryDelaysMs ?? suggestedDelaysMs;
  const nextAt = nextTryAt(delaysMs, { tries: claim.tries, now: clock.now(), random: random(), retryAfter });
  const told = { error, status };
  return nextAt === undefined ? { state: "failed", ...told } : { state: "pending", nextAt, ...told };
}

/** The cause says more than "fetch failed". */
function describe(error: unknown): string {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  return messageOf(cause).slice(0, longestError);
}
