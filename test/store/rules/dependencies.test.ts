import { describe, expect, it } from "vitest";
import { countBlocking, requireDependency } from "../../../src/store/rules/dependencies.ts";
import { refusal } from "../world.ts";
import { ended, queued, running } from "./stored-jobs.ts";

describe("dependencies", () => {
  it("those that have succeeded block no more", () => {
    expect(countBlocking([queued().job, running().job, ended("succeeded").job])).toBe(2);
  });

  it("a missing job and somebody else's are refused alike", () => {
    const { job } = queued({ owner: "bob" });
    for (const found of [undefined, { job }]) {
      expect(() => requireDependency(found, job.id, "ann")).toThrow(expect.objectContaining(refusal("not_found")));
    }
  });

  it("a job that ended without success can be no dependency, one that may still succeed can", () => {
    const failed = ended("failed");
    expect(() => requireDependency(failed, failed.job.id, "ann")).toThrow(expect.objectContaining(refusal("conflict")));
    for (const found of [queued(), running(), ended("succeeded")]) {
      expect(requireDependency(found, found.job.id, "ann")).toBe(found);
    }
  });
});
