import { messageOf } from "../../job/failure.ts";
import type { Kind } from "../../job/kind.ts";
import type { DeliveryClaim, DeliveryResult } from "../../store/delivery.ts";
import type { Store } from "../../store/store.ts";
import type { Settings } from "../settings.ts";
import { tellReceiver } from "./formats.ts";
import { signedHeaders, toDeliveryId, writeBody } from "./message.ts";
import { writeNotice } from "./notice.ts";
import { targetNotAllowed } from "./notify-rules.ts";
import { nextTryAt, suggestedDelaysMs } from "./retry-schedule.ts";
import { notAllowed } from "./webhook-rules.ts";
import type { WebhookSettings } from "./webhook-settings.ts";

export interface DelivererParts {
  readonly store: Store;
  readonly kinds: ReadonlyMap<string, Kind>;
  readonly settings: Settings;
  readonly webhooks: WebhookSettings;
}

export const defaultTimeoutMs = 15_000;

const longestError = 300;

/** Makes a delivery once and says what came of it. Cut short by the signal, it counts as not tried. */
export async function attemptDelivery(
  claim: DeliveryClaim,
  parts: DelivererParts,
  stopping: AbortSignal,
): Promise<DeliveryResult> {
  const { webhooks, settings } = parts;
  const { clock } = settings;
  const denial = findDenial(claim, settings);
  if (denial !== undefined) return { state: "failed", error: denial };
  const timeoutMs = webhooks.timeoutMs ?? defaultTimeoutMs;
  const limit = new AbortController();
  const cancelTimer = clock.after(timeoutMs, () => limit.abort());
  try {
    const reply = await send(claim, parts, AbortSignal.any([limit.signal, stopping]));
    if (reply === undefined) return { state: "delivered", at: clock.now() };
    return toResult(claim, parts, reply.status, reply.headers["retry-after"]);
  } catch (error) {
    if (stopping.aborted) return { state: "released", nextAt: clock.now() };
    const told = limit.signal.aborted ? `no answer within ${timeoutMs} ms` : describeError(error);
    // What nobody can see now would be old news by the time a screen is there.
    return claim.format === "desktop" ? { state: "failed", error: told } : retryLater(claim, parts, { error: told });
  } finally {
    cancelTimer();
  }
}

/** The configuration may have changed since the job was submitted. */
function findDenial({ format, url }: DeliveryClaim, { webhookRules }: Settings): string | undefined {
  if (format === "desktop" || webhookRules.isAllowed(new URL(url))) return undefined;
  return (format === "webhook" ? notAllowed(new URL(url)) : targetNotAllowed({ format, url })).message;
}

async function send(
  claim: DeliveryClaim,
  { store, kinds, settings, webhooks }: DelivererParts,
  signal: AbortSignal,
): ReturnType<typeof tellReceiver> {
  const { format, url } = claim;
  const id = toDeliveryId(claim.job.id, claim);
  if (format !== "webhook") {
    const notice = await writeNotice(claim, { store, kinds, redact: webhooks.notify?.redact });
    return tellReceiver({ target: { format, url }, notice, id }, webhooks, signal);
  }
  const body = await writeBody(claim, store, webhooks.view);
  const headers = signedHeaders(id, body, claim.secret ?? webhooks.secret(), settings.clock.now());
  return webhooks.post(url, headers, body, signal);
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
export function describeError(error: unknown): string {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  return messageOf(cause).slice(0, longestError);
}
