import { z } from "zod";
import { toDeliveryId } from "../engine/webhooks/message.ts";
import { defined } from "../job/defined.ts";
import { LonghaulError } from "../job/error.ts";
import { deliveryTypes } from "../job/webhook.ts";
import { deliveryStates, type Delivery, type DeliveryKey } from "../store/delivery.ts";
import { findJob } from "./job-reference.ts";
import { defineOperation } from "./operation.ts";

const deliverySchema = z.object({
  id: z.string().describe("What the receiver gets as webhook-id, however often it is sent."),
  job_id: z.string(),
  type: z.enum(deliveryTypes),
  url: z.string().describe("Without its query; of a notification, without its path, or `desktop`."),
  state: z.enum(deliveryStates).describe("failed: given up; gone: the receiver wants no more of this job."),
  attempts: z.int(),
  created_at: z.string(),
  next_at: z.string().optional().describe("When a pending one is tried next; absent while it is being sent."),
  delivered_at: z.string().optional(),
  last_status: z.int().optional().describe("The HTTP status of the last attempt."),
  last_error: z.string().optional(),
});

export type DeliveryView = z.infer<typeof deliverySchema>;

const job = z.string().min(1).describe("Job id, the end of one, or a name.");

export const webhookList = defineOperation({
  name: "webhook_list",
  scope: "read",
  description: "List what was and is to be posted to webhooks and told to people, of one job or of all.",
  input: z.strictObject({
    job: job.optional(),
    state: z.enum(deliveryStates).optional(),
    limit: z.int().min(1).max(1_000).default(20),
    cursor: z.string().max(100).optional().describe("From the page before."),
  }),
  output: z.object({ deliveries: z.array(deliverySchema), cursor: z.string().optional() }),
  run: async ({ engine, actor }, { job: reference, state, limit, cursor }) => {
    const id = reference === undefined ? undefined : (await findJob(engine, reference, actor)).id;
    const page = await engine.deliveries(defined({ job: id, state }), { limit, cursor }, actor);
    return { deliveries: page.deliveries.map(toDeliveryView), cursor: page.cursor };
  },
});

export const webhookRedeliver = defineOperation({
  name: "webhook_redeliver",
  scope: "run",
  description:
    "Post to a webhook, or notify, again: one delivery, whatever became of it, or all of a job that were given up.",
  input: z.strictObject({
    id: z.string().max(300).optional().describe("A delivery: its id, or a job and the number at its end."),
    job: job.optional().describe("All deliveries of this job that failed or are gone."),
  }),
  output: z.object({ deliveries: z.array(deliverySchema) }),
  run: async ({ engine, actor }, { id, job: reference }) => {
    const [wanted, which] = toTarget(id, reference);
    const found = await findJob(engine, wanted, actor);
    const deliveries = await engine.redeliver(found.id, which, actor);
    return { deliveries: deliveries.map(toDeliveryView) };
  },
});

function toTarget(
  id: string | undefined,
  reference: string | undefined,
): [job: string, which: DeliveryKey | undefined] {
  if ((id === undefined) === (reference === undefined)) {
    throw new LonghaulError("invalid_input", "Say what to deliver again: give either the id of a delivery or a job.");
  }
  if (id === undefined) return [reference ?? "", undefined];
  const [, wanted, seq, target = 0] = /^(.+)-(\d{1,9})(?:\.(\d{1,2}))?$/.exec(id.trim()) ?? [];
  if (wanted !== undefined && seq !== undefined) return [wanted, { seq: Number(seq), target: Number(target) }];
  throw new LonghaulError("invalid_input", `"${id}" is not the id of a delivery: webhook_list shows them.`);
}

function toDeliveryView(delivery: Delivery): DeliveryView {
  const { jobId, type, url, state, attempts, nextAt, deliveredAt } = delivery;
  return {
    id: toDeliveryId(jobId, delivery),
    job_id: jobId,
    type,
    url,
    state,
    attempts,
    created_at: toIso(delivery.createdAt),
    next_at: nextAt === undefined ? undefined : toIso(nextAt),
    delivered_at: deliveredAt === undefined ? undefined : toIso(deliveredAt),
    last_status: delivery.lastStatus,
    last_error: delivery.lastError,
  };
}

function toIso(atMs: number): string {
  return new Date(atMs).toISOString();
}
