import { describe, expect, it } from "vitest";
import * as transitions from "../../../src/job/transitions.ts";
import { recordChange, toSearched } from "../../../src/store/rules/change.ts";
import { day, second, t0 } from "../drafts.ts";
import { leaseMs, outcomes } from "../world.ts";
import { present } from "../../present.ts";
import { ended, queued, running, token } from "./stored-jobs.ts";

const webhook = { url: "https://example.com/", on: ["end" as const] };
const settle = (stored = running()): ReturnType<typeof recordChange> =>
  recordChange(stored, present(transitions.settle(stored.job, token, outcomes.failed, t0)));

describe("what a change writes", () => {
  it("the events of a job are numbered on without a gap", () => {
    const stored = running();
    const change = settle(stored);
    expect(change.events.map(({ seq }) => seq)).toEqual([stored.job.lastSeq + 1]);
    expect(change.stored.job.lastSeq).toBe(stored.job.lastSeq + 1);
    expect(change.stored.num).toBe(stored.num);
  });

  it("a delivery goes with each event that the webhook wants, and with none where there is no webhook", () => {
    const withWebhook = settle(running({ webhook }));
    expect(withWebhook.deliveries).toEqual([{ seq: withWebhook.stored.job.lastSeq, target: 0, type: "job.failed" }]);
    expect(settle(running()).deliveries).toEqual([]);
    expect(settle(running({ webhook: { ...webhook, on: ["question"] } })).deliveries).toEqual([]);
  });

  it("every change is told, with the number of the newest event", () => {
    const { stored, hints } = settle();
    expect(hints).toEqual([{ type: "job-changed", id: stored.job.id, seq: stored.job.lastSeq, status: "failed" }]);
  });

  it("a job that goes back to the queue is told as ready", () => {
    const stored = ended("failed");
    const { hints } = recordChange(stored, present(transitions.retryByHand(stored.job, t0)));
    expect(hints.map(({ type }) => type)).toEqual(["job-changed", "job-ready"]);
  });

  it("a held job that is asked to cancel is told why", () => {
    const stored = running();
    const change = present(transitions.requestCancel(stored.job, { reason: "not needed", at: t0 }));
    expect(recordChange(stored, change).hints).toContainEqual({
      type: "cancel-requested",
      id: stored.job.id,
      reason: "not needed",
    });
  });
});

describe("what a job is searched by", () => {
  it("a queued job is ready when its time has come and nothing that it depends on is missing", () => {
    const { job } = queued({ runAt: t0 + second, limits: { queueMs: day } });
    expect(toSearched(job, 0, t0)).toEqual({
      status: "queued",
      isReady: false,
      runAt: t0 + second,
      deadlineAt: t0 + second + day,
    });
    expect(toSearched(job, 0, t0 + second).isReady).toBe(true);
    expect(toSearched(job, 1, t0 + second).isReady).toBe(false);
  });

  it("a held job is searched by the end of its lease, a finished one by the end of its retention", () => {
    const held = { status: "running", isReady: false, leaseExpiresAt: t0 + leaseMs };
    expect(toSearched(running().job, 0, t0)).toEqual(held);
    const finished = { status: "succeeded", isReady: false, expiresAt: t0 + day, finishedAt: t0, unseenAt: t0 };
    expect(toSearched(ended("succeeded").job, 0, t0)).toEqual(finished);
  });
});
