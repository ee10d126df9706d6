import { describe, expect, it } from "vitest";
import { requestCancel } from "../../../src/job/transitions.ts";
import { settleAttempt, withLeaseEnd } from "../../../src/store/rules/leases.ts";
import { second, t0 } from "../drafts.ts";
import { outcomes } from "../world.ts";
import { changed, queued, running, token } from "./stored-jobs.ts";

describe("settling an attempt", () => {
  const settlement = { now: t0, result: "1" };

  it("a job that succeeded keeps its result", () => {
    const settled = settleAttempt(running().job, token, outcomes.succeeded, settlement);
    expect(settled).toMatchObject({ change: { state: { status: "succeeded" } }, result: "1" });
  });

  it("the result of a job that was asked to cancel before is not kept", () => {
    const stored = running();
    const { job } = changed(stored, requestCancel(stored.job, { reason: "not needed", at: t0 }));
    const settled = settleAttempt(job, token, outcomes.succeeded, settlement);
    expect(settled?.change.state.status).toBe("cancelled");
    expect(settled).not.toHaveProperty("result");
  });

  it("nothing is written once the lease is lost", () => {
    expect(settleAttempt(running().job, { ...token, fence: 2 }, outcomes.succeeded, settlement)).toBeUndefined();
  });
});

describe("the end of a lease", () => {
  it("is put into the state of a held job, and of no other", () => {
    const { state } = running().job;
    expect(withLeaseEnd(state, t0 + second)).toEqual({
      ...state,
      lease: { ...token, machine: "m1", expiresAt: t0 + second },
    });
    const waiting = queued().job.state;
    expect(withLeaseEnd(waiting, t0 + second)).toBe(waiting);
  });
});
