import { describe, expect, it } from "vitest";
import type { DeliveryClaimRequest } from "../../../src/store/delivery.ts";
import {
  firstDeliveries,
  nextDueAt,
  roomAtHosts,
  toDeliveryClaim,
  toSettled,
} from "../../../src/store/rules/deliveries.ts";
import { second, t0 } from "../drafts.ts";
import { ended, running } from "./stored-jobs.ts";

const request: DeliveryClaimRequest = { now: t0, leaseMs: second, max: 8, perHost: 2 };
const idle = new Map<string, number>();
const due = (host: string, nextAt: number): { host: string; nextAt: number } => ({ host, nextAt });

describe("room at hosts", () => {
  it("a host that has something due has room for as many as are not under way", () => {
    const busy = new Map([
      ["b", 1],
      ["full", 2],
    ]);
    const hosts = ["a", "b", "full"].map((host) => due(host, t0));
    expect(roomAtHosts(hosts, request, busy)).toEqual([
      { host: "a", room: 2 },
      { host: "b", room: 1 },
    ]);
  });

  it("a host whose first delivery is not due yet is left out", () => {
    expect(roomAtHosts([due("a", t0 + 1)], request, idle)).toEqual([]);
  });

  it("no host has more room than is wanted in all", () => {
    expect(roomAtHosts([due("a", t0)], { ...request, max: 1 }, idle)).toEqual([{ host: "a", room: 1 }]);
  });
});

describe("the order of deliveries", () => {
  const hanging = [due("a", t0 - 9), due("a", t0 - 8)];
  const other = [due("b", t0 - 1)];

  it("the first of each host comes before the second of any", () => {
    expect(firstDeliveries([hanging, other], 8, idle)).toEqual([hanging[0], other[0], hanging[1]]);
    expect(firstDeliveries([hanging, other], 2, idle)).toEqual([hanging[0], other[0]]);
  });

  it("those that are under way count as the host's first", () => {
    const busy = new Map([["a", 1]]);
    expect(firstDeliveries([hanging.slice(0, 1), other], 8, busy)).toEqual([other[0], hanging[0]]);
  });
});

describe("the next time", () => {
  it("is the earliest to come; what is due already waits for room instead", () => {
    expect(nextDueAt([due("a", t0), due("b", t0 + 2), due("c", t0 + 1)], t0)).toBe(t0 + 1);
    expect(nextDueAt([due("a", t0)], t0)).toBeUndefined();
  });
});

describe("claiming a delivery", () => {
  it("tells of the job as the event left it, and counts only the attempts that were not cut short as tries", () => {
    const { job } = ended("failed");
    const jobState = running().job.state;
    const stored = { seq: 2, target: 0, type: "job.question", host: "a", jobState, attempts: 3, uncounted: 1 } as const;
    expect(toDeliveryClaim(job, { format: "webhook", url: "https://a/", secret: "s" }, stored)).toEqual({
      job: { ...job, state: jobState, lastSeq: 2 },
      seq: 2,
      target: 0,
      type: "job.question",
      host: "a",
      format: "webhook",
      url: "https://a/",
      secret: "s",
      attempt: 4,
      tries: 3,
    });
  });
});

describe("settling a delivery", () => {
  const kept = { isCutShort: false, endsReceiver: false };

  it("one that arrived keeps when, and what the receiver said", () => {
    expect(toSettled({ state: "delivered", at: t0, status: 204 })).toEqual({
      ...kept,
      state: "delivered",
      deliveredAt: t0,
      lastStatus: 204,
    });
  });

  it("one that failed keeps why, and when it is tried again if it is", () => {
    expect(toSettled({ state: "failed", error: "refused" })).toEqual({
      ...kept,
      state: "failed",
      lastError: "refused",
    });
    expect(toSettled({ state: "pending", nextAt: t0 + 1, error: "busy", status: 503 })).toEqual({
      ...kept,
      state: "pending",
      nextAt: t0 + 1,
      lastError: "busy",
      lastStatus: 503,
    });
  });

  it("one that was cut short is pending again, as if it had not been tried", () => {
    expect(toSettled({ state: "released", nextAt: t0 })).toEqual({
      state: "pending",
      nextAt: t0,
      isCutShort: true,
      endsReceiver: false,
    });
  });

  it("a receiver that wants no more ends the job's webhook", () => {
    expect(toSettled({ state: "gone", at: t0, status: 410 })).toEqual({
      state: "gone",
      lastStatus: 410,
      isCutShort: false,
      endsReceiver: true,
    });
  });
});
