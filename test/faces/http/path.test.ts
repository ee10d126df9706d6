import { describe, expect, it } from "vitest";
import { createPathReader } from "../../../src/faces/http/path.ts";

describe("a pattern", () => {
  it.each([
    ["/v1/jobs", "/v1/jobs", {}],
    ["/v1/jobs", "/v1/jobs/", undefined],
    ["/v1/jobs/{id}", "/v1/jobs/a", { id: "a" }],
    ["/v1/jobs/{id}", "/v1/jobs/a%2Fb%20%C3%A4", { id: "a/b ä" }],
    ["/v1/jobs/{id}", "/v1/jobs/%ff", { id: "%ff" }],
    ["/v1/jobs/{id}", "/v1/jobs/", undefined],
    ["/v1/jobs/{id}", "/v1/jobs/a/b", undefined],
    ["/v1/jobs/{id}/wait", "/v1/jobs/a/wait", { id: "a" }],
    ["/v1/jobs/{id}/wait", "/v1/jobs/wait", undefined],
    ["/v1/jobs/{id}/wait", "/v1/jobs//wait", undefined],
  ])("%s reads %s", (pattern, path, fields) => {
    expect(createPathReader(pattern)(path)).toEqual(fields);
  });
});
