import { describe, expect, it } from "vitest";
import { useHttpWorld } from "./world.ts";

const world = useHttpWorld();
const unknownId = "01890000-0000-7000-8000-000000000000";

describe("a refusal is problem details", () => {
  type Case = [
    what: string,
    path: string,
    ask: Parameters<ReturnType<typeof world>["ask"]>[1],
    status: number,
    code: string,
  ];
  const cases: Case[] = [
    ["no token", "/v1/jobs", { token: null }, 401, "unauthorized"],
    ["an unknown token", "/v1/jobs", { token: "eve" }, 401, "unauthorized"],
    ["a caller that asks too often", "/v1/jobs", { token: "tired" }, 429, "too_many_requests"],
    ["a request from a web page", "/v1/jobs", { headers: { origin: "http://evil" } }, 403, "not_allowed"],
    ["too small a scope", "/v1/prune", { token: "reader", body: {} }, 403, "not_allowed"],
    ["an unknown address", "/v1/nonsense", {}, 404, "not_found"],
    ["a wrong method", "/v1/jobs", { method: "DELETE" }, 405, "method_not_allowed"],
    ["an unknown job", `/v1/jobs/${unknownId}`, {}, 404, "not_found"],
    ["an unknown name", "/v1/jobs/nobody", {}, 404, "not_found"],
    ["a path that is no text", "/v1/jobs/%ff%00", {}, 404, "not_found"],
    ["a bad query", "/v1/jobs?limit=lots", {}, 400, "invalid_input"],
    ["a field given twice", "/v1/jobs?limit=1&limit=2", {}, 400, "invalid_input"],
    ["an unknown field", "/v1/jobs?nonsense=1", {}, 400, "invalid_input"],
    ["a field of the prototype", "/v1/jobs?__proto__=1", {}, 400, "invalid_input"],
    ["a body that is no JSON", "/v1/jobs", { body: "{" }, 400, "invalid_input"],
    ["a body that is no object", "/v1/jobs", { body: "[1]" }, 400, "invalid_input"],
    [
      "a body that is another type",
      "/v1/jobs",
      { body: "a=b", headers: { "content-type": "text/plain" } },
      415,
      "unsupported_media_type",
    ],
    ["a body that does not fit", "/v1/jobs", { body: { kind: 5 } }, 400, "invalid_input"],
    ["an unknown kind", "/v1/jobs", { body: { kind: "nonsense" } }, 400, "unknown_kind"],
    ["an input that does not fit", "/v1/jobs", { body: { kind: "puppet", input: { label: 5 } } }, 400, "invalid_input"],
    [
      "an input that is too large",
      "/v1/jobs",
      { body: { kind: "puppet", input: { label: "x".repeat(1_100_000) } } },
      413,
      "too_large",
    ],
    ["a body that is too large", "/v1/jobs", { body: " ".repeat(4_000_001) }, 413, "too_large"],
    [
      "two idempotency keys",
      "/v1/jobs",
      { body: { kind: "puppet", idempotency_key: "a" }, headers: { "idempotency-key": "b" } },
      400,
      "invalid_input",
    ],
    [
      "an id in the path and in the body",
      `/v1/jobs/${unknownId}/cancel`,
      { body: { ids: ["x"] } },
      400,
      "invalid_input",
    ],
    ["a bad pattern", `/v1/jobs/${unknownId}/output?grep=(`, {}, 400, "invalid_input"],
    [
      "a bad place in a stream",
      `/v1/jobs/${unknownId}/events`,
      { headers: { accept: "text/event-stream", "last-event-id": "x" } },
      404,
      "not_found",
    ],
  ];

  it.each(cases)("for %s", async (_what, path, ask, status, code) => {
    const answer = await world().ask(path, ask);
    expect(answer.body).toMatchObject({ status, code, type: `urn:longhaul:problem:${code}` });
    expect(answer.status).toBe(status);
    expect(answer.headers.get("content-type")).toBe("application/problem+json");
    expect(answer.body["instance"]).toBe(decodeURI(path.replace(/\?.*/, "").replace("%ff%00", "%25ff%2500")));
    expect(answer.body["detail"]).toMatch(/\S+ .+[.…]$/s);
    expect(world().faults).toEqual([]);
    expect(await world().engine.count()).toEqual([]);
  });

  it("with what a client needs to go on", async () => {
    expect((await world().ask("/v1/jobs", { token: null })).headers.get("www-authenticate")).toContain("Bearer");
    expect((await world().ask("/v1/jobs", { token: "tired" })).headers.get("retry-after")).toBe("7");
    expect((await world().ask("/v1/jobs", { method: "DELETE" })).headers.get("allow")).toBe("POST, GET, HEAD, OPTIONS");
    expect((await world().ask("/v1/jobs/x/send")).headers.get("allow")).toBe("POST, OPTIONS");
  });

  it("and tells of a fault inside without hiding it from the log", async () => {
    expect(await world().ask("/v1/jobs", { token: "broken" })).toMatchObject({
      status: 500,
      body: { code: "internal" },
    });
    expect(world().faults).toMatchObject([{ message: "a bug" }]);
  });
});

describe("other methods", () => {
  it("HEAD has the headers of GET and no body", async () => {
    const head = await world().fetch("/v1/jobs", { method: "HEAD" });
    expect([head.status, await head.text()]).toEqual([200, ""]);
    expect(head.headers.get("content-type")).toBe("application/json");
  });

  it("OPTIONS tells the methods, and nothing that would let a web page in", async () => {
    const options = await world().fetch("/v1/jobs", { method: "OPTIONS", token: null });
    expect(options.status).toBe(204);
    expect(options.headers.get("allow")).toBe("POST, GET, HEAD, OPTIONS");
    expect([...options.headers.keys()].filter((name) => name.startsWith("access-control"))).toEqual([]);
  });
});
