import { describe, expect, it } from "vitest";
import type { JobId } from "../../../src/job/id.ts";
import { toDuplicate, toNewJob, withKnownDependencies } from "../../../src/store/rules/create.ts";
import { second, t0 } from "../drafts.ts";
import { refusal } from "../world.ts";
import { draft, ended, queued, running } from "./stored-jobs.ts";

describe("idempotency", () => {
  const known = { ...queued({ idempotencyKey: "k" }), input: '{"a":1}' };

  it("a known key with the same kind and input stands for the job that is there", () => {
    const again = draft({ idempotencyKey: "k", input: { a: 1 } });
    expect(toDuplicate(again, known)).toEqual({ job: known.job, isDuplicate: true });
  });

  it("a known key with another kind or input is refused, and the job that has it is named", () => {
    const conflict = { ...refusal("conflict"), details: { job: known.job.id } };
    for (const other of [{ input: { a: 2 } }, { input: { a: 1 }, kind: "other" }]) {
      const attempt = (): unknown => toDuplicate(draft({ idempotencyKey: "k", ...other }), known);
      expect(attempt).toThrow(expect.objectContaining(conflict));
    }
  });

  it("a draft that depends on a known one depends on its job instead, and on each job once", () => {
    const { spec } = draft();
    const dependent = draft({ dependsOn: [spec.id, known.job.id] });
    const replaced = withKnownDependencies(dependent, new Map<JobId, JobId>([[spec.id, known.job.id]]));
    expect(replaced.spec.dependsOn).toEqual([known.job.id]);
  });
});

describe("a new job", () => {
  it("is queued with one event and told as changed and ready", () => {
    const { job, blocked, searched, events, hints } = toNewJob(draft(), []);
    expect({ status: job.state.status, blocked, isReady: searched.isReady }).toEqual({
      status: "queued",
      blocked: 0,
      isReady: true,
    });
    expect(events).toEqual([{ seq: 1, body: { type: "job-submitted" } }]);
    expect(hints.map(({ type }) => type)).toEqual(["job-changed", "job-ready"]);
  });

  it("is not ready before its time, nor while a job that it depends on has not succeeded", () => {
    expect(toNewJob(draft({ runAt: t0 + second }), []).searched.isReady).toBe(false);
    const blocked = toNewJob(draft(), [running().job, ended("succeeded").job]);
    expect({ blocked: blocked.blocked, isReady: blocked.searched.isReady }).toEqual({ blocked: 1, isReady: false });
  });
});
