import { describe, expect, it } from "vitest";
import { adopt, start } from "../../../src/job/transitions.ts";
import { holdJob, isStillLost, roomForKey } from "../../../src/store/rules/claims.ts";
import { t0 } from "../drafts.ts";
import { leaseMs } from "../world.ts";
import { ended, queued, running, token } from "./stored-jobs.ts";

describe("room under a key", () => {
  const want = { kind: "work", max: 5, perKey: 2 };

  it("is what the limit leaves beside the jobs that are held, never less than none", () => {
    expect([0, 1, 2, 3].map((held) => roomForKey(want, "k", held))).toEqual([2, 1, 0, 0]);
  });

  it("is never more than is wanted", () => {
    expect(roomForKey({ ...want, max: 1 }, "k", 0)).toBe(1);
  });

  it("follows the key's own limit where it has one", () => {
    expect(roomForKey({ ...want, perKeyOf: new Map([["k", 4]]) }, "k", 0)).toBe(4);
    expect(roomForKey({ ...want, perKeyOf: new Map([["k", 4]]) }, "other", 0)).toBe(2);
  });

  it("has no limit under the empty key", () => {
    expect(roomForKey(want, "", 9)).toBe(5);
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
