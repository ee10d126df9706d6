import { expect, it } from "vitest";
import { jobStatuses } from "../../src/job/state.ts";
import { sayStatus } from "../../src/job/status-words.ts";

it("each state of a job is said as people say it", () => {
  expect(jobStatuses.map((status) => `It ${sayStatus(status)}.`)).toEqual([
    "It is queued.",
    "It is running.",
    "It is waiting for an answer.",
    "It has succeeded.",
    "It has failed.",
    "It has timed out.",
    "It was cancelled.",
  ]);
});
