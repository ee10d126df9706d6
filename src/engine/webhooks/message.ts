import { createHmac } from "node:crypto";
import type { JobId } from "../../job/id.ts";
import type { DeliveryClaim, DeliveryKey } from "../../store/delivery.ts";
import type { Store } from "../../store/store.ts";
import type { WebhookSettings } from "./webhook-settings.ts";

/** A larger result is left out: it is there to be fetched. */
const maxResultBytes = 256 * 1_024;

/** Names a delivery, for people and for receivers: the same however often it is sent. */
export function toDeliveryId(jobId: JobId, { seq, target }: DeliveryKey): string {
  return `${jobId}-${seq}${target === 0 ? "" : `.${target}`}`;
}

/** The same text however often it is made: the job as the event left it, whatever happened since. */
export async function writeBody(claim: DeliveryClaim, store: Store, view: WebhookSettings["view"]): Promise<string> {
  const { job, seq, type } = claim;
  const [event] = await store.read(job.id, seq - 1, 1);
  const question = event?.type === "question-asked" ? { question: { key: event.key, ...event.question } } : {};
  const result = job.state.status === "succeeded" ? (await store.payload(job.id))?.result : undefined;
  const timestamp = new Date(event?.at ?? job.createdAt).toISOString();
  return JSON.stringify({ type, timestamp, data: { ...view(job), ...question, ...resultFields(result) } });
}

function resultFields(text: string | undefined): object {
  if (text === undefined) return {};
  const bytes = Buffer.byteLength(text);
  if (bytes <= maxResultBytes) return { result: JSON.parse(text) as unknown };
  const message = `The result has ${bytes} bytes, and at most ${maxResultBytes} are sent: read it with job_get.`;
  return { result_omitted: { bytes, message } };
}

/** The headers of Standard Webhooks. The time of sending is signed, so that a receiver can refuse what is old. */
export function signedHeaders(id: string, body: string, secret: string, now: number): Record<string, string> {
  const timestamp = String(Math.floor(now / 1_000));
  const key = Buffer.from(secret.slice("whsec_".length), "base64");
  const signature = createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64");
  return {
    "content-type": "application/json",
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    "webhook-signature": `v1,${signature}`,
  };
}
