import type { JobId } from "../job/id.ts";
import type { Job } from "../job/job.ts";
import type { NotifyFormat } from "../job/notify.ts";
import type { DeliveryType } from "../job/webhook.ts";

/** `failed` was given up; `gone` means that the receiver wants no more of this job. */
export const deliveryStates = ["pending", "delivered", "failed", "gone"] as const;

export type DeliveryState = (typeof deliveryStates)[number];

/** Names a delivery of a job: the event's sequence number, and the receiver. The webhook is 0, those who are notified count from 1. */
export interface DeliveryKey {
  readonly seq: number;
  readonly target: number;
}

/** One event of a job on its way to one of the job's receivers. */
export interface Delivery extends DeliveryKey {
  readonly jobId: JobId;
  readonly type: DeliveryType;
  /** As it may be shown. */
  readonly url: string;
  readonly state: DeliveryState;
  readonly attempts: number;
  readonly createdAt: number;
  /** When a pending one is tried next; absent while it is under way. */
  readonly nextAt?: number;
  readonly deliveredAt?: number;
  readonly lastStatus?: number;
  readonly lastError?: string;
}

export interface DeliveryFilter {
  readonly job?: JobId;
  readonly owner?: string;
  readonly kinds?: readonly string[];
  readonly state?: DeliveryState;
}

export interface DeliveryPage {
  readonly deliveries: Delivery[];
  /** Absent on the last page. */
  readonly cursor?: string;
}

export interface DeliveryClaimRequest {
  readonly now: number;
  readonly leaseMs: number;
  readonly max: number;
  /** At most this many to one host at once, those that are under way already included, whoever has claimed them. */
  readonly perHost: number;
}

export interface DeliveryClaims {
  readonly claims: DeliveryClaim[];
  /** When the next delivery becomes due. */
  readonly nextAt?: number;
}

export interface DeliveryClaim extends DeliveryKey {
  /** The job as the event left it. */
  readonly job: Job;
  readonly type: DeliveryType;
  readonly format: "webhook" | NotifyFormat;
  readonly host: string;
  readonly url: string;
  readonly secret?: string;
  /** Counts all attempts: a claim is lost when somebody else has made the next one. */
  readonly attempt: number;
  /** Counts those since it was made pending, by its event or by hand, that were not cut short. */
  readonly tries: number;
}

export type DeliveryResult =
  /** Without a status where no server was asked. */
  | { readonly state: "delivered"; readonly at: number; readonly status?: number }
  | { readonly state: "gone"; readonly at: number; readonly status: number }
  | { readonly state: "failed"; readonly error: string; readonly status?: number }
  | { readonly state: "pending"; readonly nextAt: number; readonly error: string; readonly status?: number }
  /** Cut short: does not count as a try. */
  | { readonly state: "released"; readonly nextAt: number };
