import { sayStatus } from "../../../src/job/status-words.ts";
import { describe, expect, it } from "vitest";
import type { TerminalStatus } from "../../../src/job/state.ts";
import { followEnd } from "../../../src/store/rules/ends.ts";
import { second, t0 } from "../drafts.ts";
import { ended, queued, running } from "./stored-jobs.ts";

const unhappy: TerminalStatus[] = ["failed", "timed_out", "cancelled"];

describe("the end of a job", () => {
  it("success unblocks the jobs that depend on it", () => {
    const dependents = [queued(), queued()];
    const consequences = followEnd(ended("succeeded").job, { dependents, children: [] }, t0);
    expect(consequences).toEqual(dependents.map((stored) => ({ type: "unblocked", stored, change: undefined })));
  });

  it("success leaves its children alone", () => {
    expect(followEnd(ended("succeeded").job, { dependents: [], children: [running()] }, t0)).toEqual([]);
  });

  it("an unblocked job whose clock was set back begins its wait anew", () => {
    const dependent = queued({ createdAt: t0 + second });
    const [consequence] = followEnd(ended("succeeded").job, { dependents: [dependent], children: [] }, t0);
    expect(consequence?.change?.state).toMatchObject({ status: "queued", queuedAt: t0, runAt: t0 });
  });

  it.each(unhappy)("a job that ended as %s takes the queued jobs that depend on it along, and says why", (status) => {
    const { job } = ended(status);
    const [consequence, ...others] = followEnd(job, { dependents: [queued()], children: [] }, t0);
    expect(others).toEqual([]);
    expect(consequence?.change?.state).toMatchObject({
      status: "cancelled",
      reason: `it depends on job ${job.id}, which ${sayStatus(status)}`,
    });
  });

  it.each(unhappy)("a job that ended as %s cancels its queued children and stamps the held ones", (status) => {
    const { job } = ended(status);
    const consequences = followEnd(job, { dependents: [], children: [queued(), running()] }, t0);
    const reason = `its parent, job ${job.id}, ${sayStatus(status)}`;
    expect(consequences.map(({ change }) => change?.state)).toMatchObject([
      { status: "cancelled", reason },
      { status: "running", cancelRequest: { reason, at: t0 } },
    ]);
  });

  it("a job that depends on its own parent is cancelled once, as a dependent", () => {
    const both = queued();
    const consequences = followEnd(ended("failed").job, { dependents: [both], children: [both] }, t0);
    expect(consequences.map(({ change }) => change?.state)).toMatchObject([
      { reason: expect.stringContaining("it depends on job") },
    ]);
  });

  it("a dependent that runs already is left to run, and finished jobs stay as they are", () => {
    const relatives = { dependents: [running(), ended("failed")], children: [ended("succeeded")] };
    expect(followEnd(ended("failed").job, relatives, t0)).toEqual([]);
  });

  it("a child that was asked to cancel before keeps its first reason", () => {
    const child = running();
    const [first] = followEnd(ended("failed").job, { dependents: [], children: [child] }, t0);
    const stamped = { ...child, job: { ...child.job, state: first?.change?.state ?? child.job.state } };
    expect(followEnd(ended("failed").job, { dependents: [], children: [stamped] }, t0)).toEqual([]);
  });
});
