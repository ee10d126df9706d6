import { copyFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Job } from "../../../src/job/job.ts";
import { connect } from "../../../src/store/sqlite/driver.ts";
import { openSqliteStore } from "../../../src/store/sqlite/open.ts";
import { migrations } from "../../../src/store/sqlite/schema.ts";
import type { Store } from "../../../src/store/store.ts";
import { makeTempFolder } from "../../temp-folder.ts";
import { outcomes } from "../world.ts";
import { present } from "../../present.ts";

const fixtures = join(import.meta.dirname, "../../fixtures");
const versions = readdirSync(fixtures).flatMap((name) => /^store-v(\d+)\.db$/.exec(name)?.[1] ?? []);

function copyFixture(version: string): string {
  const file = join(makeTempFolder(), "longhaul.db");
  copyFileSync(join(fixtures, `store-v${version}.db`), file);
  return file;
}

/** What the tables and indexes of a file are, once the current code has opened it. */
async function readSchema(file: string): Promise<unknown[]> {
  await (await openSqliteStore({ file })).close();
  const connection = await connect(file, { isReadOnly: true });
  onTestFinished(() => connection.close());
  return connection.prepare("SELECT type, name, sql FROM sqlite_schema ORDER BY type, name").all();
}

async function openFixture(version: string): Promise<Store> {
  const file = copyFixture(version);
  const store = await openSqliteStore({ file });
  onTestFinished(() => store.close());
  return store;
}

async function listByName(store: Store): Promise<Map<string, Job>> {
  const { jobs } = await store.list({}, { limit: 100 });
  return new Map(jobs.map((job) => [job.name ?? "", job]));
}

describe("stores of earlier versions", () => {
  it("there is a fixture of every version", () => {
    expect(versions.map(Number).toSorted((a, b) => a - b)).toEqual(migrations.map((_, index) => index + 1));
  });
});

describe.each(versions)("a store of version %s", (version) => {
  it("is brought to the schema of a new store", async () => {
    const fresh = await readSchema(join(makeTempFolder(), "longhaul.db"));
    expect(await readSchema(copyFixture(version))).toEqual(fresh);
  });

  it("opens with all of its jobs in their states", async () => {
    const store = await openFixture(version);
    const jobs = await listByName(store);
    expect(Object.fromEntries([...jobs].map(([name, { state }]) => [name, state.status]))).toEqual({
      queued: "queued",
      urgent: "queued",
      blocked: "queued",
      "to be retried": "queued",
      running: "running",
      "asked to cancel": "running",
      waiting: "waiting",
      succeeded: "succeeded",
      partial: "succeeded",
      failed: "failed",
      "timed out": "timed_out",
      cancelled: "cancelled",
    });
    expect(jobs.get("partial")?.state).toMatchObject({ partial: true });
    expect(jobs.get("running")?.state).toMatchObject({ progress: { percent: 40 }, lease: { worker: "fixture" } });
    expect(jobs.get("waiting")?.state).toMatchObject({ openQuestions: ["branch"] });
    expect(jobs.get("asked to cancel")?.state).toMatchObject({ cancelRequest: { reason: "not needed" } });
    expect(jobs.get("to be retried")?.state).toMatchObject({ attempt: 2, because: "retry" });
  });

  it("has all that belongs to them", async () => {
    const store = await openFixture(version);
    const jobs = await listByName(store);
    const id = (name: string): Job["id"] => present(jobs.get(name)).id;
    for (const { id: each, lastSeq, name } of jobs.values()) {
      const events = await store.read(each, 0, 100);
      expect(events.map(({ seq }) => seq)).toEqual(Array.from({ length: lastSeq }, (_, index) => index + 1));
      expect((await store.payload(each))?.input).toBe(JSON.stringify({ name }));
    }
    expect(await store.payload(id("succeeded"))).toMatchObject({ result: '{"answer":42}' });
    expect(await store.loadCheckpoint(id("running"))).toBe('{"page":4}');
    expect(await store.questions(id("waiting"))).toMatchObject([
      { key: "answered", answer: { action: "decline" } },
      { key: "branch", question: { message: "Which branch?" } },
    ]);
    expect(await store.pausedKinds()).toEqual(["paused"]);
    expect((await store.list({ text: "purpose" }, { limit: 10 })).jobs.map(({ name }) => name)).toEqual([
      "timed out",
      "failed",
    ]);
    expect((await store.list({ tags: ["fixture"], batch: "fixtures" }, { limit: 100 })).jobs).toHaveLength(jobs.size);
  });

  it.runIf(Number(version) >= 2)("has what is to be posted to webhooks", async () => {
    const store = await openFixture(version);
    const request = { leaseMs: 1_000, max: 10, perHost: 10 };
    const { claims } = await store.claimDeliveries({ ...request, now: Date.UTC(2026, 0, 2) });
    expect(claims.map(({ job, type }) => [job.name, type])).toEqual([
      ["succeeded", "job.succeeded"],
      ["partial", "job.succeeded"],
      ["failed", "job.failed"],
      ["timed out", "job.timed_out"],
      ["cancelled", "job.cancelled"],
    ]);
    expect(claims[0]).toMatchObject({ url: "https://hooks.example/jobs?token=fixture", secret: "whsec_fixture" });
  });

  it.runIf(Number(version) < 5)("lists none of the jobs that ended before there was an inbox", async () => {
    const store = await openFixture(version);
    expect((await store.unseen({ owner: "ann" }, { limit: 10 })).jobs).toEqual([]);
  });

  it.runIf(Number(version) >= 6)("has its schedules", async () => {
    const store = await openFixture(version);
    expect(await store.schedules.list({})).toMatchObject([
      { name: "hourly", owner: "ann", bounds: { token: "fixture" }, nextAt: Date.UTC(2026, 0, 1, 3) },
    ]);
    expect(await store.schedules.runs("0123456789ab", 10)).toMatchObject([
      { status: "skipped", skip: "refused", reason: "The fixture refuses." },
      { status: "skipped", skip: "missed" },
    ]);
  });

  it("counts its jobs, and knows when they ended", async () => {
    const store = await openFixture(version);
    const running = present((await listByName(store)).get("running"));
    // Changed before it is counted, and counted once.
    await store.cancel(present((await listByName(store)).get("queued")).id, { reason: "test", at: running.createdAt });
    const counts = await store.count({ owner: "ann" });
    const of = (status: string): number =>
      counts.filter((count) => count.status === status).reduce((sum, { count }) => sum + count, 0);
    expect([of("queued"), of("running"), of("waiting"), of("cancelled")]).toEqual([3, 2, 1, 2]);
    const { jobs } = await store.list({ finishedFrom: running.createdAt }, { limit: 10 });
    expect(jobs.map(({ name }) => name)).toHaveLength(6);
    expect(await store.count({ batch: "fixtures" })).toEqual(counts);
  });

  it("goes on where it was: jobs are claimed, settled, unblocked and retried", async () => {
    const store = await openFixture(version);
    const jobs = await listByName(store);
    const running = present(jobs.get("running"));
    const now = running.createdAt;
    const claim = async (kind: string): Promise<(string | undefined)[]> => {
      const { claims } = await store.claim({
        worker: "new",
        machine: "m1",
        now,
        leaseMs: 1_000,
        wants: [{ kind, max: 10 }],
      });
      return claims.map(({ job }) => job.name);
    };
    expect(await claim("work")).toEqual(["urgent", "queued"]);
    const lost = { id: running.id, worker: "fixture", fence: 1, before: Infinity };
    const { lease } = present(await store.adopt(lost, { worker: "new", machine: "m1", now, leaseMs: 1_000 }));
    await store.settle(lease, outcomes.succeeded, { now });
    expect(await claim("work")).toEqual(["blocked"]);
    await store.retry(present(jobs.get("failed")).id, { at: now });
    expect(await claim("kind of failed")).toEqual(["failed"]);
  });
});
