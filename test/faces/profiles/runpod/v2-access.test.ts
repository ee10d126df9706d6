import { beforeAll, describe, expect, it } from "vitest";
import { scopes } from "../../../../src/engine/access.ts";
import { endpointVerbs, jobVerbs } from "../../../../src/faces/profiles/runpod/v2-operations.ts";
import { localToken, send, useAccessWorld } from "../../door/access-world.ts";

const world = useAccessWorld();
const verbs = [
  ...Object.entries(endpointVerbs).map(([name, verb]) => ({ ...verb, name, isOfJob: false })),
  ...Object.entries(jobVerbs).map(([name, verb]) => ({ ...verb, name, isOfJob: true })),
];
/** The job is queued for an hour: what waits answers when its time is over, and only a failed job is run again. */
const allowed: Readonly<Record<string, number>> = { retry: 400 };
const queries: Readonly<Record<string, string>> = {
  runsync: "?wait=1000",
  "status-sync": "?wait=1000",
  stream: "?wait=1000",
};

type Verb = (typeof verbs)[number];
type Expected = (verb: Verb) => number | "allowed";

const may =
  (held: (typeof scopes)[number]): Expected =>
  ({ scope }) =>
    scopes.indexOf(held) >= scopes.indexOf(scope) ? "allowed" : 403;

/** Empties the platform's queue for everybody. */
const isServerWide = ({ name }: { name: string }): boolean => name === "purge-queue";

/** Who calls, and what they get. The job is ada's. */
const callers: Readonly<Record<string, Expected>> = {
  "nobody (no token)": () => 401,
  "a stranger (wrong token)": () => 401,
  "ada, expired": () => 401,
  "ada, revoked": () => 401,
  "ada, over her rate": () => 429,
  "ada, read": may("read"),
  "ada, run": may("run"),
  "ada, admin": (verb) => (isServerWide(verb) ? 403 : "allowed"),
  "bob, admin": (verb) => (isServerWide(verb) ? 403 : verb.isOfJob ? 404 : "allowed"),
  "ada, admin of kind other": ({ isOfJob }) => (isOfJob ? 404 : 403),
  "all owners, admin": () => "allowed",
  "this machine's user": () => "allowed",
};
const tokens = new Map<string, string | undefined>();

beforeAll(async () => {
  const { give, engine, passTime, url } = world();
  const ada = { owner: "ada", scope: "admin" } as const;
  tokens.set("a stranger (wrong token)", "no-such-token");
  tokens.set("ada, expired", await give({ ...ada, name: "expired", lifeMs: 1_000 }));
  passTime(1_000);
  tokens.set("ada, revoked", await give({ ...ada, name: "revoked" }));
  await engine.tokens.revoke("revoked");
  const hasty = await give({ ...ada, name: "hasty", rate: "1/h" });
  await send(`${url}/v2/echo/health`, { method: "GET", headers: { authorization: hasty } });
  tokens.set("ada, over her rate", hasty);
  tokens.set("ada, read", await give({ ...ada, name: "ada reads", scope: "read" }));
  tokens.set("ada, run", await give({ ...ada, name: "ada runs", scope: "run" }));
  tokens.set("ada, admin", await give({ ...ada, name: "ada" }));
  tokens.set("bob, admin", await give({ name: "bob", owner: "bob", scope: "admin" }));
  tokens.set("ada, admin of kind other", await give({ ...ada, name: "other", kinds: ["other"] }));
  tokens.set("all owners, admin", await give({ name: "all", allOwners: true, scope: "admin" }));
  tokens.set("this machine's user", localToken);
});

describe.each(verbs)("/v2/{endpoint}/$name", (verb) => {
  it.each(Object.entries(callers))("lets in or refuses as the table says: %s", async (caller, expected) => {
    const { engine, url } = world();
    const input = { endpoint: "echo", input: {} };
    const job = await engine.submit({ kind: "endpoint", input, owner: "ada", delayMs: 3_600_000 });
    const token = tokens.get(caller);
    const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const place = `${url}/v2/echo/${verb.name}${verb.isOfJob ? `/${job.id}` : ""}${queries[verb.name] ?? ""}`;
    const { status, body } = await send(place, { method: verb.method, headers, body: { input: {} } });
    const wanted = expected(verb);
    expect(status).toBe(wanted === "allowed" ? (allowed[verb.name] ?? 200) : wanted);
    if (status !== 200) expect(body).toEqual({ error: expect.any(String) as string });
    const { state, lastSeq } = await engine.get(job.id);
    if (wanted !== "allowed") expect({ status: state.status, lastSeq }).toEqual({ status: "queued", lastSeq: 1 });
    await engine.cancel(job.id);
  });
});
