import type { IncomingMessage } from "node:http";
import { describe, expect, it } from "vitest";
import { createPathReader, pathOf } from "../../../src/faces/http/path.ts";

describe("the path of a request", () => {
  it.each([
    ["/v1/jobs", "/v1/jobs"],
    ["/v1/jobs?state=failed&a=?", "/v1/jobs"],
    ["/a%20b?", "/a%20b"],
    ["http://other.example/v1/jobs?limit=1", "/v1/jobs"],
    ["http://[", "http://["],
    ["*", "*"],
  ])("of %s is %s", (url, path) => {
    expect(pathOf({ url } as IncomingMessage)).toBe(path);
  });
});

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
