import { request, type RequestOptions } from "node:http";
import { beforeAll, describe, expect, it } from "vitest";
import { scopes, type Demand, type Scope } from "../../../src/engine/access.ts";
import { pathFields, type Fields, type OperationRoute } from "../../../src/faces/http/route.ts";
import { createRoutes } from "../../../src/faces/http/routes.ts";
import type { Operation } from "../../../src/operations/operation.ts";
import { operations } from "../../../src/operations/registry.ts";
import { keptPage } from "../../library/pages.ts";
import { present } from "../../present.ts";
import { call, localToken, useAccessWorld } from "./access-world.ts";

const routes = createRoutes(operations);

const world = useAccessWorld();

/** A way in from the network to one operation. */
interface Door {
  readonly name: string;
  readonly operation: Operation;
  /** The status of a call that is allowed and succeeds. */
  readonly good: number;
  readonly call: (input: Fields, token: string | undefined) => Promise<number>;
}

const calls = operations.map((operation): Door => ({
  name: `POST /call/${operation.name}`,
  operation,
  good: 200,
  call: async (body, token) => (await call(world().url, operation.name, { token, body })).status,
}));

/** A live stream never ends by itself: its status is all that counts here. */
function statusOf(url: string, options: RequestOptions, body: string | undefined): Promise<number> {
  return new Promise((resolve, reject) => {
    const sending = request(url, options, (response) => {
      resolve(response.statusCode ?? 0);
      response.destroy();
    });
    sending.once("error", reject);
    sending.end(body);
  });
}

function openRoute(
  { method, path, operation, fields, isOneOfMany, statuses = [200] }: OperationRoute,
  accept: string,
): Door {
  return {
    name: `${method} ${path} (${accept})`,
    operation,
    good: statuses[0] ?? 200,
    call: ({ ids, ...input }, token) => {
      const [id] = (ids as string[] | undefined) ?? [];
      const given: Fields =
        isOneOfMany === true ? { ...input, id } : { ...input, ...(ids === undefined ? {} : { ids }) };
      const named = new Set(pathFields(path));
      const place = path.replace(/\{(\w+)\}/g, (_all, name: string) => String(given[name]));
      const rest = Object.entries(given).filter(([name]) => !named.has(name));
      const words = new URLSearchParams(Object.fromEntries(rest.map(([name, value]) => [name, String(value)])));
      const query = fields === "query" ? `?${words.toString()}` : "";
      const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };
      const headers = { accept, "content-type": "application/json", ...authorization };
      const body = fields === "body" ? JSON.stringify(Object.fromEntries(rest)) : undefined;
      return statusOf(`${world().url}${place}${query}`, { method, headers }, body);
    },
  };
}

const routed = routes
  .flatMap((route) => ("operation" in route && route.isFile !== true ? [route] : []))
  .flatMap((route) =>
    (route.live === undefined ? ["*/*"] : ["*/*", "text/event-stream"]).map((accept) => openRoute(route, accept)),
  );

/** What a call is about: nothing in particular, a kind of job, a job, a token, a schedule, or a page or section of the library. */
type Target = "none" | "kind" | "job" | "token" | "schedule" | "page" | "section";
/** Operations that change something for all owners: nobody who is bound to one may call them. */
const serverWide = new Set(["kind_pause", "kind_resume", "jobs_prune", "endpoint_purge"]);

interface Row {
  readonly target: Target;
  readonly input: (id: string) => Fields;
  /** The status of a call that is allowed, where that is not 200: the job is queued, so it takes no text, for instance. */
  readonly allowed?: number;
}

let made = 0;
const page = "https://page.example/";
const rows: Readonly<Record<string, Row>> = {
  run_command: { target: "kind", input: () => ({ command: "true", delay_ms: 3_600_000 }) },
  run_endpoint: { target: "kind", input: () => ({ endpoint: "echo", input: {}, delay_ms: 3_600_000 }) },
  endpoint_list: { target: "none", input: () => ({}) },
  endpoint_health: { target: "kind", input: () => ({ endpoint: "echo" }) },
  endpoint_purge: { target: "kind", input: () => ({ endpoint: "echo" }) },
  job_get: { target: "job", input: (id) => ({ id }) },
  job_list: { target: "none", input: () => ({}) },
  job_series: { target: "none", input: () => ({}) },
  job_failures: { target: "none", input: () => ({}) },
  live_read: { target: "job", input: (id) => ({ job: id, wait_ms: 0 }) },
  job_stats: { target: "none", input: () => ({}) },
  job_count: { target: "none", input: () => ({}) },
  job_wait: { target: "job", input: (id) => ({ ids: [id], timeout_ms: 0 }) },
  job_output: { target: "job", input: (id) => ({ id }) },
  job_events: { target: "job", input: (id) => ({ id }) },
  job_summary: { target: "job", input: (id) => ({ id }), allowed: 409 },
  job_result: { target: "job", input: (id) => ({ id }), allowed: 409 },
  inbox_list: { target: "none", input: () => ({}) },
  job_seen: { target: "job", input: (id) => ({ ids: [id] }) },
  job_submit: { target: "kind", input: () => ({ jobs: [{ kind: "shell", delay_ms: 3_600_000 }] }) },
  run_agent: { target: "kind", input: () => ({ task: "x" }), allowed: 400 },
  run_agents: { target: "kind", input: () => ({ task: "x" }), allowed: 400 },
  agent_digest: { target: "none", input: () => ({ batch: "nobody's" }), allowed: 404 },
  agent_check: { target: "kind", input: () => ({}) },
  job_artifact: { target: "job", input: (id) => ({ id }) },
  analyze_page: { target: "kind", input: () => ({ url: "http://127.0.0.1:9/" }), allowed: 400 },
  page_compare: { target: "job", input: (id) => ({ before: id, after: id }), allowed: 400 },
  library_search: { target: "kind", input: () => ({ query: "x" }) },
  library_list: { target: "kind", input: () => ({}) },
  library_show: { target: "page", input: (id) => ({ id }) },
  library_code: { target: "section", input: (id) => ({ id }) },
  library_remove: { target: "page", input: (id) => ({ id }) },
  crawl_site: { target: "kind", input: () => ({ urls: [page] }), allowed: 400 },
  map_site: { target: "kind", input: () => ({ url: page }), allowed: 400 },
  page_markdown: { target: "kind", input: () => ({ url: page }), allowed: 400 },
  page_extract: { target: "kind", input: () => ({ url: page, schema: { title: "string" } }), allowed: 400 },
  page_screenshot: { target: "kind", input: () => ({ url: page }), allowed: 400 },
  page_browse: {
    target: "kind",
    allowed: 400,
    input: () => ({ url: page, actions: [{ type: "wait" }] }),
  },
  web_search: { target: "kind", input: () => ({ query: "x" }), allowed: 400 },
  search_extract: { target: "kind", input: () => ({ query: "x", schema: { title: "string" } }), allowed: 400 },
  crawl_pages: { target: "job", input: (id) => ({ id }), allowed: 400 },
  crawl_visits: { target: "job", input: (id) => ({ id }), allowed: 400 },
  agent_turns: { target: "job", input: (id) => ({ id }), allowed: 400 },
  batch_list: { target: "none", input: () => ({}) },
  batch_get: { target: "none", input: () => ({ batch: "nobody's" }), allowed: 404 },
  kind_list: { target: "none", input: () => ({}) },
  machine_list: { target: "none", input: () => ({}) },
  webhook_list: { target: "none", input: () => ({}) },
  webhook_redeliver: { target: "job", input: (job) => ({ job }) },
  notify_test: { target: "none", input: () => ({ notify: "nonsense" }), allowed: 400 },
  job_resize: { target: "job", input: (id) => ({ id, columns: 80, rows: 24 }), allowed: 409 },
  job_send: { target: "job", input: (id) => ({ id, text: "x" }), allowed: 409 },
  job_answer: { target: "job", input: (id) => ({ id, answer: { action: "accept" } }), allowed: 400 },
  job_cancel: { target: "job", input: (id) => ({ ids: [id] }) },
  job_delete: { target: "job", input: (id) => ({ ids: [id] }), allowed: 409 },
  job_rerun: { target: "job", input: (id) => ({ id }), allowed: 409 },
  job_retry: { target: "job", input: (id) => ({ ids: [id] }), allowed: 409 },
  kind_pause: { target: "kind", input: () => ({ kind: "shell" }) },
  kind_resume: { target: "kind", input: () => ({ kind: "shell" }) },
  jobs_prune: { target: "none", input: () => ({}) },
  me_get: { target: "none", input: () => ({}) },
  server_status: { target: "none", input: () => ({}) },
  token_create: { target: "none", input: () => ({ name: `made ${++made}` }) },
  token_list: { target: "none", input: () => ({}) },
  token_revoke: { target: "token", input: (id) => ({ token: id }) },
  session_code: { target: "none", input: () => ({}), allowed: 409 },
  session_list: { target: "none", input: () => ({}) },
  session_revoke: { target: "none", input: () => ({ session: "none" }), allowed: 404 },
  attempt_progress: { target: "none", input: () => ({ percent: 1 }) },
  attempt_ask: { target: "none", input: () => ({ message: "Go on?", key: "go" }) },
  attempt_artifact: { target: "none", input: () => ({ name: "a.txt", content: "" }) },
  schedule_add: {
    target: "kind",
    input: () => ({ name: `planned ${++made}`, every_ms: 3_600_000, start: "run_shell", input: {} }),
  },
  schedule_list: { target: "none", input: () => ({}) },
  schedule_get: { target: "schedule", input: (id) => ({ schedule: id }) },
  schedule_pause: { target: "schedule", input: (id) => ({ schedule: id }) },
  schedule_resume: { target: "schedule", input: (id) => ({ schedule: id }) },
  schedule_run: { target: "schedule", input: (id) => ({ schedule: id }) },
  schedule_delete: { target: "schedule", input: (id) => ({ schedule: id }) },
};

/** Only a command may act on its own job, and it may do nothing else. */
const aCommand = "a command of ada's job";

type Expected = (scope: Scope, row: Row, isServerWide: boolean) => number | "allowed";

/** Who calls, and what they get. The jobs, tokens and schedules that are called for are ada's, the jobs of kind "shell". */
const callers: Readonly<Record<string, Expected>> = {
  "nobody (no token)": () => 401,
  "a stranger (wrong token)": () => 401,
  "a forger (an id that exists, another secret)": () => 401,
  "ada, expired": () => 401,
  "ada, revoked": () => 401,
  "ada, over her rate": () => 429,
  "ada, read": (scope) => (may("read", scope) ? "allowed" : 403),
  "ada, run": (scope) => (may("run", scope) ? "allowed" : 403),
  "ada, admin": (_scope, _row, isServerWide) => (isServerWide ? 403 : "allowed"),
  "bob, admin": (_scope, { target }, isServerWide) =>
    isServerWide ? 403 : target === "none" || target === "kind" ? "allowed" : 404,
  "ada, admin of kind other": (_scope, { target }, isServerWide) =>
    isServerWide || target === "kind" || isKept(target)
      ? 403
      : target === "job" || target === "schedule"
        ? 404
        : "allowed",
  [aCommand]: () => 403,
  "a command that has ended": () => 401,
  "all owners, read": (scope) => (may("read", scope) ? "allowed" : 403),
  "all owners, admin": () => "allowed",
  "this machine's user": () => "allowed",
};

function judge(caller: string, expected: Expected, name: string, scope: Demand, row: Row): number | "allowed" {
  if (scope !== "attempt") return expected(scope, row, serverWide.has(name));
  const entered = expected("read", { ...row, target: "none" }, false);
  return caller === aCommand ? "allowed" : entered === "allowed" ? 403 : entered;
}

function isKept(target: Target): boolean {
  return target === "page" || target === "section";
}

function may(held: Scope, needed: Scope): boolean {
  return scopes.indexOf(held) >= scopes.indexOf(needed);
}

const tokens = new Map<string, string | undefined>();

beforeAll(async () => {
  const { give, engine, passTime, startCommand, url } = world();
  const ended = await startCommand();
  await ended.end();
  const ada = { owner: "ada", scope: "admin" } as const;
  const expired = await give({ ...ada, name: "expired", lifeMs: 1_000 });
  passTime(1_000);
  const revoked = await give({ ...ada, name: "revoked" });
  await engine.tokens.revoke("revoked");
  const hasty = await give({ ...ada, name: "hasty", rate: "1/h" });
  await call(url, "server_status", { token: hasty });
  const admin = await give({ ...ada, name: "ada" });
  const given: Record<string, string | undefined> = {
    "nobody (no token)": undefined,
    "a stranger (wrong token)": "no-such-token",
    "a forger (an id that exists, another secret)": `${admin.slice(0, -43)}${"A".repeat(43)}`,
    "ada, expired": expired,
    "ada, revoked": revoked,
    "ada, over her rate": hasty,
    "ada, read": await give({ ...ada, name: "ada reads", scope: "read" }),
    "ada, run": await give({ ...ada, name: "ada runs", scope: "run" }),
    "ada, admin": admin,
    "bob, admin": await give({ name: "bob", owner: "bob", scope: "admin" }),
    "ada, admin of kind other": await give({ ...ada, name: "other", kinds: ["other"] }),
    [aCommand]: (await startCommand()).token,
    "a command that has ended": ended.token,
    "all owners, read": await give({ name: "figures", allOwners: true, scope: "read" }),
    "all owners, admin": await give({ name: "all", allOwners: true, scope: "admin" }),
    "this machine's user": localToken,
  };
  for (const [caller, token] of Object.entries(given)) tokens.set(caller, token);
});

/** What the call is about, made anew, so that no call meets what another has left. */
async function makeTarget(target: Target): Promise<string> {
  const { engine, library } = world();
  if (isKept(target)) {
    const kept = keptPage({ owner: "ada", sections: [{ heading: "Hers", text: "x" }] });
    await library.keep(kept, Date.now());
    return target === "page" ? kept.id : present((await library.entries(kept.id, {}))[0]).id;
  }
  if (target === "token") return (await engine.tokens.create({ name: `victim ${++made}`, owner: "ada" })).token.id;
  if (target === "schedule") {
    const job = { kind: "shell", input: {} };
    return (await engine.schedules.add({ name: `plan ${++made}`, everyMs: 3_600_000, job }, { owner: "ada" })).id;
  }
  const job = await engine.submit({ kind: "shell", input: {}, owner: "ada", delayMs: 3_600_000 });
  return job.id;
}

it("the table has every operation", () => {
  expect(Object.keys(rows).toSorted()).toEqual(operations.map(({ name }) => name).toSorted());
});

describe.each([...calls, ...routed])("$name", ({ operation, good, call: callDoor }) => {
  it.each(Object.entries(callers))("lets in or refuses as the table says: %s", async (caller, expected) => {
    const row: Row = rows[operation.name] ?? { target: "none", input: () => ({}) };
    const { engine, library } = world();
    const id = await makeTarget(row.target);
    const wanted = judge(caller, expected, operation.name, operation.scope, row);
    const status = await callDoor(row.input(id), tokens.get(caller));
    expect(status).toBe(wanted === "allowed" ? (row.allowed ?? good) : wanted);
    if (wanted === "allowed") return;
    if (row.target === "token")
      expect((await engine.tokens.list()).find((token) => token.id === id)).not.toHaveProperty("revokedAt");
    else if (isKept(row.target)) expect((await library.page(id, {})) ?? (await library.entry(id, {}))).toBeDefined();
    else if (row.target === "schedule")
      expect(await engine.schedules.get(id)).toMatchObject({ revision: 1, counts: { runs: 0 } });
    else expect(await engine.get(id)).toMatchObject({ state: { status: "queued" }, lastSeq: 1 });
  });
});

describe("pages about the server", () => {
  const pages = routes.flatMap((route) => ("page" in route ? [route] : []));
  it.each(pages)("are shown to those whom their scope lets in: $path", async ({ path, scope }) => {
    const ask = (token: string | undefined): Promise<number> =>
      statusOf(
        `${world().url}${path}`,
        token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } },
        undefined,
      );
    expect(await ask(undefined)).toBe(scope === undefined ? 200 : 401);
    expect(await ask("no-such-token")).toBe(scope === undefined ? 200 : 401);
    expect(await ask(tokens.get("ada, read"))).toBe(200);
    expect(await ask(tokens.get("ada, revoked"))).toBe(scope === undefined ? 200 : 401);
  });
});

describe("what the server tells of itself", () => {
  it("names its folder only to who looks after the whole server", async () => {
    const statusFor = async (caller: string): Promise<unknown> =>
      (await call(world().url, "server_status", { token: tokens.get(caller) })).body;
    for (const caller of ["ada, read", "ada, admin", "all owners, read"]) {
      expect(await statusFor(caller)).not.toHaveProperty("home");
    }
    for (const caller of ["all owners, admin", "this machine's user"]) {
      expect(await statusFor(caller)).toHaveProperty("home");
    }
  });

  it("shows figures of the whole server only to who sees all owners", async () => {
    const figuresFor = async (caller: string): Promise<string> => {
      const headers = { authorization: `Bearer ${tokens.get(caller) ?? ""}` };
      return (await fetch(`${world().url}/metrics`, { headers })).text();
    };
    expect(await figuresFor("ada, read")).toContain("longhaul_jobs{");
    expect(await figuresFor("ada, read")).not.toMatch(/_finished_total|http_requests/);
    expect(await figuresFor("all owners, read")).toMatch(/http_requests/);
  });
});
