import { rm } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { until } from "../../until.ts";
import { untilStatus } from "../../engine/world.ts";
import { useHttpWorld } from "./world.ts";

const world = useHttpWorld();
const unknownId = "01890000-0000-7000-8000-000000000000";

describe("POST /v1/jobs", () => {
  it("stores one job and says where it is", async () => {
    const { status, headers, body } = await world().ask("/v1/jobs", {
      body: { kind: "puppet", input: { label: "a" }, name: "mine", tags: ["t"], batch: "b", priority: 3 },
    });
    expect(status).toBe(201);
    expect(headers.get("location")).toBe(`/v1/jobs/${String(body["id"])}`);
    expect(body).toMatchObject({ kind: "puppet", name: "mine", tags: ["t"], batch: "b" });
    expect(await world().engine.input(String(body["id"]))).toEqual({ label: "a" });
  });

  it("answers 200 with the job of before when the Idempotency-Key is known, and 409 for other work under it", async () => {
    const headers = { "idempotency-key": "k" };
    const body = { kind: "puppet", input: { label: "a" } };
    const first = await world().ask("/v1/jobs", { body, headers });
    const second = await world().ask("/v1/jobs", { body, headers });
    const other = await world().ask("/v1/jobs", { body: { ...body, input: { label: "b" } }, headers });
    expect([first.status, second.status, other.status]).toEqual([201, 200, 409]);
    expect(second.body).toMatchObject({ id: first.body["id"], is_known: true });
  });

  it("stores many jobs with references between them, all or none", async () => {
    const jobs = [
      { kind: "puppet", ref: "first", input: { label: "1" } },
      { kind: "puppet", after: ["first"], input: { label: "2" } },
    ];
    const { status, body } = await world().ask("/v1/jobs", { body: { jobs } });
    expect(status).toBe(201);
    const [first, second] = body.jobs.map(({ id }) => String(id));
    expect((await world().engine.get(second ?? "")).dependsOn).toEqual([first]);
    const refused = await world().ask("/v1/jobs", { body: { jobs: [...jobs, { kind: "nonsense" }] } });
    expect(refused).toMatchObject({ status: 400, body: { code: "unknown_kind" } });
    expect((await world().engine.list()).jobs).toHaveLength(2);
  });

  it("gives each of many jobs a key of its own under one Idempotency-Key", async () => {
    const ask = { body: { jobs: [{ kind: "puppet" }, { kind: "puppet" }] }, headers: { "idempotency-key": "k" } };
    const first = await world().ask("/v1/jobs", ask);
    const second = await world().ask("/v1/jobs", ask);
    expect([first.status, second.status]).toEqual([201, 200]);
    expect(second.body.jobs.map(({ id }) => id)).toEqual(first.body.jobs.map(({ id }) => id));
    expect((await world().engine.list()).jobs).toHaveLength(2);
  });

  it("is refused to a token that may not start this kind, or only read", async () => {
    const body = { kind: "puppet" };
    expect(await world().ask("/v1/jobs", { body, token: "runner" })).toMatchObject({ status: 403 });
    expect(await world().ask("/v1/jobs", { body, token: "reader" })).toMatchObject({ status: 403 });
    expect((await world().engine.list()).jobs).toEqual([]);
  });
});

describe("reading jobs", () => {
  it("lists them by every filter, page by page", async () => {
    const early = new Date(Date.now() - 60_000).toISOString();
    await world().submit({ name: "one", tags: ["red"], batch: "x", input: { label: "needle" } });
    const last = await world().submit({ name: "two" });
    await until(() => world().puppet.attempts.length === 2);
    const names = async (query: string): Promise<unknown[]> =>
      (await world().ask(`/v1/jobs?${query}`)).body.jobs.map(({ name }) => name);
    for (const query of ["tag=red", "batch=x", "name=one", "text=needle"]) expect(await names(query)).toEqual(["one"]);
    expect(await names("kind=other")).toEqual([]);
    expect(await names("state=queued,running")).toEqual(["two", "one"]);
    expect(await names("state=queued&state=running")).toEqual(["two", "one"]);
    expect(await names("state=failed")).toEqual([]);
    expect(await names(`created_from=${early}`)).toEqual(["two", "one"]);
    expect(await names(`created_before=${early}`)).toEqual([]);
    const page = await world().ask("/v1/jobs?limit=1");
    expect(page.body.jobs).toMatchObject([{ id: last }]);
    expect(await names(`limit=1&cursor=${String(page.body["cursor"])}`)).toEqual(["one"]);
  });

  it("shows one with its input, by id, by the end of it, and by its name", async () => {
    const id = await world().submit({ name: "my job", input: { label: "x" } });
    for (const reference of [id, id.slice(-8), "my%20job"]) {
      expect(await world().ask(`/v1/jobs/${reference}`)).toMatchObject({
        status: 200,
        body: { id, input: { label: "x" } },
      });
    }
  });

  it("tells the result of a job that succeeded, and 409 of one that has not", async () => {
    const id = await world().submit();
    expect(await world().ask(`/v1/jobs/${id}/result`)).toMatchObject({ status: 409, body: { code: "conflict" } });
    (await world().puppet.next()).succeed({ answer: 42 });
    await untilStatus(world().engine, id, "succeeded");
    expect(await world().ask(`/v1/jobs/${id}/result`)).toMatchObject({
      status: 200,
      body: { id, result: { answer: 42 } },
    });
  });

  it("tells the events after a number", async () => {
    const id = await world().submit();
    await world().puppet.next();
    const { body } = await world().ask(`/v1/jobs/${id}/events?after=1`);
    expect(body["events"]).toMatchObject([{ seq: 2, type: "attempt-started" }]);
  });

  it("waits for the end, by GET and by POST, for one and for many", async () => {
    const id = await world().submit();
    const waiting = [
      world().ask(`/v1/jobs/${id}/wait?timeout_ms=20000`),
      world().ask(`/v1/jobs/${id}/wait`, { body: { timeout_ms: 20_000 } }),
      world().ask("/v1/wait", { body: { ids: [id], for: "any", timeout_ms: 20_000 } }),
    ];
    (await world().puppet.next()).succeed();
    for (const { status, body } of await Promise.all(waiting)) {
      expect(status).toBe(200);
      expect(body).toMatchObject({ reached: true, jobs: [{ id, state: "succeeded" }] });
    }
    const other = await world().submit();
    expect((await world().ask(`/v1/jobs/${other}/wait?timeout_ms=0`)).body).toMatchObject({ reached: false });
  });

  it("tells batches and how far they have come", async () => {
    const [first] = [
      await world().submit({ batch: "b" }),
      await world().submit({ batch: "b" }),
      await world().submit({ batch: "c" }),
    ];
    (await world().puppet.next()).succeed();
    await untilStatus(world().engine, first, "succeeded");
    const measured = { batch: "b", total: 2, finished: 1, percent: 50, jobs: { succeeded: 1, running: 1 } };
    expect((await world().ask("/v1/batches/b")).body).toEqual(measured);
    const page = await world().ask("/v1/batches?limit=1");
    expect(page.body).toEqual({ batches: [measured], cursor: "b" });
    expect((await world().ask("/v1/batches?cursor=b")).body).toMatchObject({ batches: [{ batch: "c", total: 1 }] });
    expect(await world().ask("/v1/batches/d")).toMatchObject({ status: 404 });
    expect((await world().ask("/v1/batches", { token: "ada" })).body).toEqual({ batches: [] });
  });
});

describe("steering jobs", () => {
  it("sends text to a job", async () => {
    const id = await world().submit();
    const { context } = await world().puppet.next();
    expect(await world().ask(`/v1/jobs/${id}/send`, { body: { text: "hello" } })).toMatchObject({ status: 409 });
    const sent: string[] = [];
    context.serve({ send: async (text) => void sent.push(text) });
    expect(await world().ask(`/v1/jobs/${id}/send`, { body: { text: "hello" } })).toMatchObject({
      status: 200,
      body: { sent: 6 },
    });
    expect(sent).toEqual(["hello\n"]);
  });

  it("answers a question", async () => {
    const id = await world().submit();
    const attempt = await world().puppet.next();
    const answered = attempt.context.ask({ message: "Go on?", form: { type: "object", properties: {} } });
    await untilStatus(world().engine, id, "waiting");
    expect((await world().ask(`/v1/jobs/${id}`)).body["questions"]).toMatchObject([{ message: "Go on?" }]);
    const reply = await world().ask(`/v1/jobs/${id}/answer`, { body: { answer: { action: "accept", content: {} } } });
    expect(reply.status).toBe(200);
    expect(await answered).toMatchObject({ action: "accept" });
  });

  it("cancels and retries one", async () => {
    const id = await world().submit();
    await world().puppet.next();
    expect((await world().ask(`/v1/jobs/${id}/cancel`, { body: { reason: "enough" } })).body).toMatchObject({
      id,
      cancel_requested: true,
    });
    await untilStatus(world().engine, id, "cancelled");
    expect((await world().ask(`/v1/jobs/${id}`)).body).toMatchObject({ reason: "enough" });
    expect(await world().ask(`/v1/jobs/${id}/retry`, { method: "POST" })).toMatchObject({
      status: 200,
      body: { id, attempt: 2 },
    });
    expect(await world().ask(`/v1/jobs/${id}/retry`, { method: "POST" })).toMatchObject({ status: 409 });
  });

  it("cancels and retries many, by ids or by a filter", async () => {
    const ids = [await world().submit({ batch: "b" }), await world().submit({ batch: "b" }), await world().submit()];
    const cancelled = await world().ask("/v1/jobs/cancel", { body: { filter: { batch: "b" } } });
    expect(cancelled.body.jobs).toHaveLength(2);
    for (const id of ids.slice(0, 2)) await untilStatus(world().engine, id, "cancelled");
    const retried = await world().ask("/v1/jobs/retry", { body: { ids: ids.slice(0, 1) } });
    expect(retried.body.jobs).toMatchObject([{ id: ids[0] }]);
    expect(await world().ask("/v1/jobs/cancel", { body: {} })).toMatchObject({ status: 400 });
    expect(await world().ask("/v1/jobs/cancel", { body: { filter: {} } })).toMatchObject({ status: 400 });
  });

  it("removes one that has ended, or one that runs by force, and runs one again", async () => {
    const id = await world().submit();
    await world().puppet.next();
    expect(await world().ask(`/v1/jobs/${id}`, { method: "DELETE" })).toMatchObject({ status: 409 });
    expect(await world().ask(`/v1/jobs/${id}/rerun`, { method: "POST" })).toMatchObject({ status: 409 });
    await world().ask(`/v1/jobs/${id}/cancel`, { method: "POST" });
    await untilStatus(world().engine, id, "cancelled");
    const again = await world().ask(`/v1/jobs/${id}/rerun`, { method: "POST" });
    expect(again).toMatchObject({ status: 201, body: { kind: "puppet" } });
    expect(again.body["id"]).not.toBe(id);
    expect(await world().ask(`/v1/jobs/${id}`, { method: "DELETE" })).toMatchObject({ status: 200 });
    expect(await world().ask(`/v1/jobs/${id}`)).toMatchObject({ status: 410, body: { code: "expired" } });
    await world().puppet.next();
    const path = `/v1/jobs/${String(again.body["id"])}`;
    expect(await world().ask(`${path}?force=true`, { method: "DELETE" })).toMatchObject({ status: 200 });
    expect(await world().ask(path)).toMatchObject({ status: 410 });
  });

  it("pauses and resumes a kind, and tells all kinds", async () => {
    expect((await world().ask("/v1/kinds/puppet/pause", { method: "POST" })).body).toEqual({
      paused_kinds: ["puppet"],
    });
    await world().submit();
    const { body } = await world().ask("/v1/kinds");
    expect(body["kinds"]).toMatchObject([
      {
        name: "puppet",
        on_interrupt: "restart",
        concurrency: 10,
        paused: true,
        jobs: { queued: 1 },
        input: { type: "object" },
      },
    ]);
    expect((await world().ask("/v1/kinds/puppet/resume", { method: "POST" })).body).toEqual({ paused_kinds: [] });
    expect(await world().ask("/v1/kinds/nonsense/pause", { method: "POST" })).toMatchObject({ status: 400 });
    expect(await world().ask("/v1/kinds/puppet/pause", { method: "POST", token: "runner" })).toMatchObject({
      status: 403,
    });
  });

  it("prunes, and tells how many jobs were removed", async () => {
    expect(await world().ask("/v1/prune", { method: "POST" })).toMatchObject({ status: 200, body: { removed: 0 } });
  });
});

describe("other people's jobs", () => {
  it("look as if they did not exist, at every address", async () => {
    const id = await world().submit({}, "ada");
    const addresses = ["", "/result", "/events", "/output", "/wait", "/cancel", "/retry"];
    const asks = (reference: string): Promise<{ status: number; body: object }[]> =>
      Promise.all(
        addresses.map(async (address) => {
          const isPost = address === "/cancel" || address === "/retry";
          return world().ask(`/v1/jobs/${reference}${address}`, { token: "bob", ...(isPost ? { body: {} } : {}) });
        }),
      );
    const [foreign, unknown] = [await asks(id), await asks(unknownId)];
    expect(foreign.map(({ status }) => status)).toEqual(addresses.map(() => 404));
    const text = (answers: { body: object }[]): string => JSON.stringify(answers.map(({ body }) => body));
    expect(text(foreign).replaceAll(id, unknownId)).toBe(text(unknown));
    expect((await world().ask(`/v1/jobs/${id}`, { token: "ada" })).status).toBe(200);
    expect((await world().ask("/v1/jobs", { token: "bob" })).body.jobs).toEqual([]);
  });
});

describe("the server's own pages", () => {
  it("tell that it is alive and ready without a token, until it stops", async () => {
    expect(await world().ask("/healthz", { token: null })).toMatchObject({ status: 200 });
    expect(await world().ask("/readyz", { token: null })).toMatchObject({ status: 200 });
    world().face.close();
    expect(await world().ask("/healthz", { token: null })).toMatchObject({ status: 200 });
    expect(await world().ask("/readyz", { token: null })).toMatchObject({ status: 503 });
  });

  it("tell that it is not ready when nothing can be stored", async () => {
    await world().engine.stop();
    expect(await world().ask("/readyz", { token: null })).toMatchObject({
      status: 503,
      body: { code: "storage_failed" },
    });
  });

  it("tell that it is not ready when the database was deleted; jobs are refused with the same reason", async () => {
    await rm(join(world().home, "longhaul.db"));
    const refused = await world().ask("/v1/jobs", { body: { kind: "puppet" } });
    expect(refused).toMatchObject({ status: 500, body: { code: "storage_failed" } });
    expect(refused.body["detail"]).toMatch(/^The database was deleted or replaced .* put the file back/);
    const { status, body } = await world().ask("/readyz", { token: null });
    expect([status, body["detail"]]).toEqual([503, refused.body["detail"]]);
  });

  it("tell its status", async () => {
    expect((await world().ask("/v1/status")).body).toMatchObject({ version: "1.2.3", pid: process.pid });
  });

  it("have figures for Prometheus, for who may read", async () => {
    const id = await world().submit();
    (await world().puppet.next()).succeed();
    await untilStatus(world().engine, id, "succeeded");
    expect((await world().fetch("/metrics", { token: null })).status).toBe(401);
    const response = await world().fetch("/metrics", { token: "reader" });
    const text = await response.text();
    expect(response.headers.get("content-type")).toContain("text/plain; version=0.0.4");
    expect(text).toContain('longhaul_jobs{kind="puppet",state="succeeded"} 1\n');
    expect(text).toContain('longhaul_jobs_finished_total{kind="puppet",state="succeeded"} 1\n');
    expect(text).toContain('longhaul_job_wait_seconds_count{kind="puppet"} 1\n');
    expect(text).toContain('longhaul_job_run_seconds_bucket{kind="puppet",le="+Inf"} 1\n');
    expect(text).toContain('longhaul_http_requests_total{method="POST",route="/v1/jobs",status="201"} 1\n');
    expect(text).toContain("longhaul_http_stream_readers 0\n");
    for (const line of text.trimEnd().split("\n"))
      expect(line).toMatch(/^(# (HELP|TYPE) \w+ .+|\w+(\{(\w+="[^"]*",?)+\})? [\d.e+-]+)$/);
  });

  it("are to be read: one page, whole in itself, that runs nothing", async () => {
    const response = await world().fetch("/docs", { token: null });
    const page = await response.text();
    expect(response.headers.get("content-security-policy")).toMatch(/^default-src 'none'; style-src 'sha256-/);
    expect(page).toContain("/v1/jobs/{id}/output");
    expect(page).not.toMatch(/<script|<link|<img|src=|url\(|@import|href="(https?:)?\/\//);
  });
});

describe("GET /v1/jobs/{id}/artifacts/{name}", () => {
  it("is the file itself, shown in place only if it is a picture, and runs nothing", async () => {
    const id = await world().submit({}, "ada");
    const { context, succeed } = await world().puppet.next();
    const page = "<script>alert(1)</script>";
    await context.artifacts.save("page.html", page);
    await context.artifacts.save("big.png", new Uint8Array(600_000).fill(7));
    succeed();
    const html = await world().fetch(`/v1/jobs/${id}/artifacts/page.html`, { token: "ada" });
    expect(await html.text()).toBe(page);
    expect(Object.fromEntries(html.headers)).toMatchObject({
      "content-type": "text/html; charset=utf-8",
      "content-disposition": 'attachment; filename="page.html"',
      "x-content-type-options": "nosniff",
      "content-security-policy": expect.stringContaining("sandbox") as string,
    });
    const picture = await world().fetch(`/v1/jobs/${id}/artifacts/big.png`, { token: "ada" });
    expect(picture.headers.get("content-disposition")).toBe('inline; filename="big.png"');
    expect((await picture.arrayBuffer()).byteLength).toBe(600_000);
    const status = async (path: string, token: string): Promise<number> => (await world().ask(path, { token })).status;
    expect(await status(`/v1/jobs/${id}/artifacts/page.html`, "bob")).toBe(404);
    expect(await status(`/v1/jobs/${id}/artifacts/none.txt`, "ada")).toBe(404);
    expect(await status(`/v1/jobs/${id}/artifacts/..%2F..%2Fpasswd`, "ada")).toBe(400);
  });
});
