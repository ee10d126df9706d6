import type { IncomingMessage } from "node:http";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { Actor } from "../../../src/engine/access.ts";
import { toJsonAnswer } from "../../../src/faces/door/answer.ts";
import { Door, pathOf, type Entrance, type Target } from "../../../src/faces/door/door.ts";
import { createGatekeeper } from "../../../src/faces/door/gatekeeper.ts";
import { LonghaulError } from "../../../src/job/error.ts";
import { until } from "../../until.ts";
import { listen, send } from "./access-world.ts";

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

/** An entrance with one address, which says who was let in. */
function makeEntrance(path: string, parts: Partial<Entrance & Target>): Entrance {
  const { name = "http", errorForm = "problem", takesBareToken, ...target } = parts;
  const answer: Target["answer"] = async ({ actor }) => toJsonAnswer({ actor });
  const find: Entrance["find"] = (_request, asked) =>
    asked === path ? { route: path, scope: "read", answer, ...target } : undefined;
  return { name, errorForm, takesBareToken, find };
}

interface Opened {
  readonly url: string;
  readonly counted: string[];
  readonly faults: unknown[];
  /** From now on nobody is let in. */
  readonly shut: () => void;
  /** How often somebody who was let in was looked at again. */
  readonly again: () => number;
}

/** A door that knows one token, "ada". */
async function open(entrances: readonly Entrance[], actor: Actor = { owner: "ada", scope: "run" }): Promise<Opened> {
  const counted: string[] = [];
  const faults: unknown[] = [];
  let isShut = false;
  let again = 0;
  const gatekeeper = createGatekeeper({
    admit: async ({ token, door, isAgain }) => {
      if (isAgain === true) again += 1;
      if (token === "ada" && !isShut) return { actor: { ...actor, by: `ada (${door})` } };
      return { refusal: { status: 401, message: "Send a token." } };
    },
  });
  const door = new Door({
    gatekeeper,
    entrances,
    recheckMs: 20,
    onFault: (error) => faults.push(error),
    onAnswered: (method, route, status) => counted.push(`${method} ${route} ${status}`),
  });
  const { url, close } = await listen(door.listener);
  onTestFinished(async () => {
    door.close();
    await close();
  });
  return { url, counted, faults, shut: () => (isShut = true), again: () => again };
}

const token = { authorization: "Bearer ada" };

describe("a request", () => {
  it("goes to the first entrance that knows its address, on behalf of whoever shows a token", async () => {
    const { url, counted } = await open([makeEntrance("/a", { name: "one" }), makeEntrance("/b", { name: "two" })]);
    const actor = { owner: "ada", scope: "run", by: "ada (two)" };
    expect(await send(`${url}/b`, { headers: token })).toMatchObject({ status: 200, body: { actor } });
    expect((await send(`${url}/c`, { headers: token })).status).toBe(404);
    await until(() => counted.length === 1);
    expect(counted).toEqual(["POST /b 200"]);
  });

  it("is refused before its entrance hears of it, without a token or with too small a scope", async () => {
    const answer = vi.fn<Target["answer"]>();
    const { url } = await open([makeEntrance("/a", { answer, scope: "admin" })]);
    expect((await send(`${url}/a`, {})).status).toBe(401);
    expect((await send(`${url}/a`, { headers: token })).status).toBe(403);
    expect(answer).not.toHaveBeenCalled();
  });

  it("for what anybody may see needs no token, stands for nobody, and must still be meant for this server", async () => {
    const { url } = await open([makeEntrance("/a", { scope: "anybody" })]);
    expect(await send(`${url}/a`, {})).toMatchObject({ status: 200, body: { actor: { owner: "", kinds: [] } } });
    expect((await send(`${url}/a`, { headers: { host: "evil.example" } })).status).toBe(403);
    expect((await send(`${url}/a`, { headers: { origin: "https://evil.example" } })).status).toBe(403);
  });

  it("may show a token without the word before it only where the entrance says so", async () => {
    const bare = { authorization: "ada" };
    const { url } = await open([makeEntrance("/a", {}), makeEntrance("/b", { takesBareToken: true })]);
    expect((await send(`${url}/a`, { headers: bare })).status).toBe(401);
    expect((await send(`${url}/b`, { headers: bare })).status).toBe(200);
    expect((await send(`${url}/b`, { headers: token })).status).toBe(200);
    expect((await send(`${url}/b`, { headers: { authorization: "Basic ada" } })).status).toBe(401);
  });
});

describe("what goes wrong", () => {
  const gone = new LonghaulError("expired", "It is gone.", { details: { job: "x" } });
  const answer = (): Promise<never> => Promise.reject(gone);

  it.each<[Entrance["errorForm"], number, object]>([
    ["problem", 410, { code: "expired", detail: "It is gone.", status: 410, instance: "/a", details: { job: "x" } }],
    ["jsonRpc", 410, { jsonrpc: "2.0", id: null, error: { code: -32_000, message: "It is gone." } }],
    ["runpod", 404, { error: "It is gone." }],
  ])("is told in the form of its entrance: %s", async (errorForm, status, body) => {
    const { url, faults } = await open([makeEntrance("/a", { errorForm, answer })]);
    expect(await send(`${url}/a`, { headers: token })).toMatchObject({ status, body });
    expect(await send(`${url}/a`, {})).toMatchObject({ status: 401, headers: { "www-authenticate": "Bearer" } });
    expect(faults).toEqual([]);
  });

  it("inside is logged, and told as a fault of the server, also when an entrance cannot be loaded", async () => {
    const broken = makeEntrance("/a", { answer: () => Promise.reject(new Error("a bug")) });
    const missing: Entrance = { ...broken, find: () => Promise.reject(new Error("no such file")) };
    for (const entrance of [broken, missing]) {
      const { url, faults } = await open([entrance]);
      expect(await send(`${url}/a`, { headers: token })).toMatchObject({ status: 500, body: { code: "internal" } });
      expect(faults).toHaveLength(1);
    }
  });
});

describe("an answer that goes on", () => {
  it("ends when its caller would not be let in any more, and not before, however the token was shown", async () => {
    const answer: Target["answer"] = async ({ response }) => void response.writeHead(200).write("…");
    const { url, shut, again } = await open([makeEntrance("/a", { answer, takesBareToken: true })]);
    const streams = await Promise.all(
      ["ada", "Bearer ada"].map((authorization) => fetch(`${url}/a`, { headers: { authorization } })),
    );
    let ended = 0;
    const ends = streams.map((stream) => stream.text().catch(() => (ended += 1)));
    const rechecked = again();
    await until(() => again() >= rechecked + 6);
    expect(ended).toBe(0);
    shut();
    await Promise.all(ends);
    expect(ended).toBe(2);
  });
});
