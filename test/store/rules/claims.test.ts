import { describe, expect, it } from "vitest";
import { adopt, start } from "../../../src/job/transitions.ts";
import {
  freeStarts,
  hasKeyLimits,
  holdJob,
  isStillLost,
  roomForKey,
  startWindow,
} from "../../../src/store/rules/claims.ts";
import { t0 } from "../drafts.ts";
import { leaseMs } from "../world.ts";
import { ended, queued, running, token } from "./stored-jobs.ts";

describe("room under a key", () => {
  const limits = { perKey: 2 };

  it("is what the limit leaves beside the jobs that are held, never less than none", () => {
    expect([0, 1, 2, 3].map((held) => roomForKey(limits, "k", held))).toEqual([2, 1, 0, 0]);
  });

  it("follows the key's own limit where it has one", () => {
    expect(roomForKey({ ...limits, perKeyOf: new Map([["k", 4]]) }, "k", 0)).toBe(4);
    expect(roomForKey({ ...limits, perKeyOf: new Map([["k", 4]]) }, "other", 0)).toBe(2);
  });

  it("has no limit under the empty key, nor without a limit", () => {
    expect(roomForKey(limits, "", 9)).toBe(Infinity);
    expect(roomForKey({}, "k", 9)).toBe(Infinity);
    expect(hasKeyLimits({})).toBe(false);
    expect([hasKeyLimits(limits), hasKeyLimits({ perKeyOf: new Map([["k", 4]]) })]).toEqual([true, true]);
  });
});

describe("free starts", () => {
  it("are what the rate leaves beside those of the window, never less than none", () => {
    expect([0, 2, 3].map((started) => freeStarts({ rate: { starts: 2, perMs: 10 } }, started))).toEqual([2, 0, 0]);
    expect(freeStarts({}, 99)).toBe(Infinity);
  });

  it("count starts of the window, and those that another clock noted a little later", () => {
    const { after, before } = startWindow({ rate: { starts: 2, perMs: 10 } }, t0);
    expect(after).toBe(t0 - 10);
    expect([before > t0 + 5_000, before < t0 + 600_000]).toEqual([true, true]);
  });
});

describe("holding a job", () => {
  const request = { worker: "w2", machine: "m1", leaseMs, now: t0 };

  it("gives the worker a lease under a fence of its own", () => {
    const stored = queued();
    const held = holdJob(stored, request, start);
    expect(held?.stored.fence).toBe(1);
    expect(held?.lease).toEqual({ id: stored.job.id, worker: "w2", fence: 1 });
    expect(held?.change.state).toMatchObject({ status: "running", lease: { worker: "w2", fence: 1 } });
  });

  it("raises the fence when a held job is adopted, so that its holder counts no more", () => {
    expect(holdJob(running(), request, adopt)?.lease.fence).toBe(2);
  });

  it("does nothing to a job that is not in the state for it", () => {
    expect(holdJob(running(), request, start)).toBeUndefined();
    expect(holdJob(queued(), request, adopt)).toBeUndefined();
  });
});

describe("a lost lease", () => {
  const { job } = running();
  const lost = { ...token, id: job.id, before: t0 + leaseMs + 1 };

  it("is still lost while it ended before the time that is asked about", () => {
    expect(isStillLost(job, lost)).toBe(true);
    expect(isStillLost(job, { ...lost, before: t0 + leaseMs })).toBe(false);
  });

  it("is not lost any more once another holds the job, or nobody", () => {
    expect(isStillLost(job, { ...lost, fence: 2 })).toBe(false);
    expect(isStillLost(job, { ...lost, worker: "w2" })).toBe(false);
    expect(isStillLost(queued().job, lost)).toBe(false);
    expect(isStillLost(ended("succeeded").job, lost)).toBe(false);
  });
});
