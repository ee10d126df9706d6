import { describe, expect, it } from "vitest";
import { requireRetry } from "../../../src/store/rules/retry.ts";
import { t0 } from "../drafts.ts";
import { refusal } from "../world.ts";
import { ended, queued, running } from "./stored-jobs.ts";

describe("a retry by hand", () => {
  it("is a new attempt of a job that ended without success", () => {
    expect(requireRetry(ended("failed").job, { at: t0 }).state).toMatchObject({ status: "queued", attempt: 2 });
  });

  it("is refused in any other state", () => {
    for (const { job } of [queued(), running(), ended("succeeded")]) {
      expect(() => requireRetry(job, { at: t0 })).toThrow(expect.objectContaining(refusal("conflict")));
    }
  });
});
