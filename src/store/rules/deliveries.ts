import { assertNever } from "../../job/error.ts";
import type { Job } from "../../job/job.ts";
import type { JobState } from "../../job/state.ts";
import type { DeliveryType } from "../../job/webhook.ts";
import type { DeliveryClaim, DeliveryClaimRequest, DeliveryKey, DeliveryResult, DeliveryState } from "../delivery.ts";

/** A host that something is to be delivered to, and when the first of that is due. */
export interface PendingHost {
  readonly host: string;
  readonly nextAt: number;
}

/** How many deliveries to each host are under way, under leases that have not ended. */
export type BusyHosts = ReadonlyMap<string, number>;

/** How many of each host's deliveries may be claimed now; hosts without room, or without anything due, are left out. */
export function roomAtHosts(
  hosts: readonly PendingHost[],
  request: DeliveryClaimRequest,
  busy: BusyHosts,
): { readonly host: string; readonly room: number }[] {
  return hosts
    .filter(({ nextAt }) => nextAt <= request.now)
    .map(({ host }) => ({ host, room: Math.min(request.max, request.perHost - (busy.get(host) ?? 0)) }))
    .filter(({ room }) => room > 0);
}

/**
 * The deliveries to claim of those that are due, given host by host, the earliest first. A host's first comes before
 * another's second: one that hangs, and has much waiting, is served no sooner for it.
 */
export function firstDeliveries<Due extends PendingHost>(
  dueByHost: readonly (readonly Due[])[],
  max: number,
  busy: BusyHosts,
): Due[] {
  return dueByHost
    .flatMap((due) => due.map((delivery, index) => ({ delivery, rank: (busy.get(delivery.host) ?? 0) + index })))
    .toSorted((a, b) => a.rank - b.rank || a.delivery.nextAt - b.delivery.nextAt)
    .slice(0, max)
    .map(({ delivery }) => delivery);
}

/** When the next delivery becomes due. What is due already and was not taken waits for room, not for a time. */
export function nextDueAt(hosts: readonly PendingHost[], now: number): number | undefined {
  const later = hosts.map(({ nextAt }) => nextAt).filter((nextAt) => nextAt > now);
  return later.length === 0 ? undefined : Math.min(...later);
}

/** A delivery as it is stored; `uncounted` of its attempts were cut short, or were made before it was sent anew by hand. */
export interface StoredDelivery extends DeliveryKey {
  readonly type: DeliveryType;
  readonly host: string;
  readonly jobState: JobState;
  readonly attempts: number;
  readonly uncounted: number;
}

export function toDeliveryClaim(
  job: Job,
  receiver: Pick<DeliveryClaim, "format" | "url" | "secret">,
  { seq, target, type, host, jobState, attempts, uncounted }: StoredDelivery,
): DeliveryClaim {
  const attempt = attempts + 1;
  const asTheEventLeftIt = { ...job, state: jobState, lastSeq: seq };
  return { job: asTheEventLeftIt, seq, target, type, host, ...receiver, attempt, tries: attempt - uncounted };
}

/**
 * What is written of an attempt; that its claim still counts is a condition of the update. `lastStatus` and `lastError`
 * stay as they are when it was cut short.
 */
export interface SettledDelivery {
  readonly state: DeliveryState;
  readonly nextAt?: number;
  readonly deliveredAt?: number;
  readonly isCutShort: boolean;
  readonly lastStatus?: number;
  readonly lastError?: string;
  /** The receiver wants no more of this job: neither what is still on its way nor what is to come. */
  readonly endsReceiver: boolean;
}

export function toSettled(result: DeliveryResult): SettledDelivery {
  const common = { isCutShort: false, endsReceiver: false };
  switch (result.state) {
    case "released":
      return { ...common, state: "pending", nextAt: result.nextAt, isCutShort: true };
    case "pending":
      return { ...common, state: "pending", nextAt: result.nextAt, ...toLast(result) };
    case "failed":
      return { ...common, state: "failed", ...toLast(result) };
    case "delivered":
      return { ...common, state: "delivered", deliveredAt: result.at, lastStatus: result.status };
    case "gone":
      return { ...common, state: "gone", lastStatus: result.status, endsReceiver: true };
    default:
      return assertNever(result);
  }
}

function toLast({ status, error }: { status?: number; error: string }): { lastStatus?: number; lastError: string } {
  return { lastError: error, lastStatus: status };
}
