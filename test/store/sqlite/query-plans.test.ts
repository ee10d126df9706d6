import { describe, expect, it } from "vitest";
import { jobStatuses } from "../../../src/job/state.ts";
import type { JobFilter } from "../../../src/store/store.ts";
import { day, second, t0, unknownId } from "../drafts.ts";
import { leaseMs, outcomes, terminalStatuses, type World } from "../world.ts";
import { openRecordedStore, type Recording } from "./recorded-store.ts";

/** A store with a few jobs in each state, so that the planner has no empty tables to be clever about. */
async function openPopulatedStore(): Promise<Recording> {
  const recording = await openRecordedStore();
  const { world } = recording;
  await world.submitMany(50, { name: "n", batch: "b", tags: ["t"], key: "k", parent: unknownId });
  await world.submitMany(50, { owner: "bob", kind: "other", runAt: t0 + day, limits: { queueMs: day } });
  for (const { lease } of await world.claim({ max: 10 })) {
    await world.store.settle(lease, outcomes.failed, { now: t0 });
  }
  for (const status of terminalStatuses) await world.finish(status, { kind: "third", priority: 9 });
  await world.claim({ max: 5 });
  await world.store.tidy();
  return recording;
}

/** The plans of the statements that a call runs for the first time. */
async function plansOf({ connection, prepared }: Recording, call: () => Promise<unknown>): Promise<string[]> {
  prepared.clear();
  await call();
  const texts = [...prepared].filter((sql) => /^\s*(SELECT|UPDATE|DELETE|WITH)/.test(sql));
  expect(texts.length).toBeGreaterThan(0);
  return texts.flatMap((sql) => {
    const steps = connection.prepare(`EXPLAIN QUERY PLAN ${sql}`).all() as { detail: string }[];
    return steps.map(({ detail }) => detail);
  });
}

/** A scan that reads jobs in the order of their index, and stops at the limit, is not a scan of the table. */
const isFullScan = (step: string): boolean =>
  /^SCAN (jobs|j|events|inputs|tags|questions|deliveries|d|receivers)\b(?!.*INDEX)/.test(step);
const isSort = (step: string): boolean => step.includes("USE TEMP B-TREE FOR ORDER BY");
const page = { limit: 20 };

function claimDeliveries({ store }: World): Promise<unknown> {
  return store.claimDeliveries({ now: t0, leaseMs, max: 8, perHost: 2 });
}

describe("query plans", () => {
  const filters: JobFilter[] = [
    { owner: "ann" },
    { kind: "work" },
    { batch: "b" },
    { parent: unknownId },
    { schedule: "a1" },
    { tags: ["t"] },
    { name: "n" },
    { text: "n" },
    { owner: "ann", kind: "work" },
    { owner: "ann", status: ["queued"] },
    { owner: "ann", status: ["queued", "running"], kind: "work" },
    { batch: "b", status: ["failed"] },
    { tags: ["t"], owner: "ann", status: ["queued"] },
    { kinds: ["work", "other"] },
    { kinds: ["work"], owner: "ann" },
    { tags: ["t", "u"] },
    { finishedFrom: t0, finishedBefore: t0 + day },
    { finishedFrom: t0, status: ["failed"] },
    { createdFrom: t0, createdBefore: t0 + day },
    { owner: "ann", createdFrom: t0 },
  ];

  it.each(filters.map((filter) => [filter]))("the list %j searches by an index", async (filter) => {
    const recording = await openPopulatedStore();
    const plans = await plansOf(recording, () => recording.world.store.list(filter, page));
    expect(plans.filter(isFullScan)).toEqual([]);
    expect(plans.join("\n")).toMatch(/USING (COVERING )?INDEX|USING (INTEGER )?PRIMARY KEY|VIRTUAL TABLE INDEX/);
  });

  it.each(jobStatuses.map((status) => [status]))("the list of %s jobs reads an index in order", async (status) => {
    const recording = await openPopulatedStore();
    const plans = await plansOf(recording, () => recording.world.store.list({ status: [status] }, page));
    expect(plans.filter((step) => isFullScan(step) || isSort(step))).toEqual([]);
    expect(plans.join("\n")).toMatch(/SEARCH j USING (COVERING )?INDEX jobs_\w+ \(.*status=\?/);
  });

  it.each([{ owner: "ann" }, { kind: "work" }, { batch: "b" }, { name: "n" }, {}].map((one) => [one]))(
    "the list %j is not sorted, but read in order",
    async (filter) => {
      const recording = await openPopulatedStore();
      const plans = await plansOf(recording, () => recording.world.store.list(filter, page));
      expect(plans.filter(isSort)).toEqual([]);
    },
  );

  it("a page that follows a cursor begins at the cursor", async () => {
    const recording = await openPopulatedStore();
    const { cursor = "" } = await recording.world.store.list({ status: ["queued"] }, { limit: 5 });
    const plans = await plansOf(recording, () =>
      recording.world.store.list({ status: ["queued"] }, { limit: 5, cursor }),
    );
    expect(plans.join("\n")).toMatch(/status=\? AND rowid<\?/);
  });

  it.each([
    ["any job", {}],
    ["a few per key", { perKey: 2 }],
  ])("claiming %s reads an index in order", async (_what, options) => {
    const recording = await openRecordedStore();
    const { world } = recording;
    await world.submitMany(20, { key: "k" });
    const plans = await plansOf(recording, () => world.claim({ max: 5, now: t0 + second, ...options }));
    expect(plans.filter((step) => isFullScan(step) || isSort(step))).toEqual([]);
    expect(plans.join("\n")).toMatch(/INDEX jobs_ready/);
  });

  const rounds: [string, (recording: Recording) => Promise<unknown>][] = [
    ["looking for lost jobs", ({ world }) => world.store.lost({ before: t0, kinds: ["work"], limit: 10 })],
    ["ending queued jobs", ({ world }) => world.store.expireQueued(t0, 10)],
    ["purging", ({ world }) => world.store.purge(t0, 10)],
    ["getting a job", ({ world }) => world.store.get(unknownId)],
    ["reading events", ({ world }) => world.store.read(unknownId, 0, 10)],
    ["counting all", ({ world }) => world.store.count({})],
    ["counting what matches", ({ world }) => world.store.countMatching({ tags: ["t"] }, { limit: 20 })],
    ["finding some by their ids", ({ world }) => world.store.inputs([unknownId])],
    ["counting ends", ({ world }) => world.store.rollups.collect(t0)],
    ["counting a batch", ({ world }) => world.store.count({ batch: "b" })],
    ["listing batches", ({ world }) => world.store.batches({ owner: "ann" }, { limit: 20 })],
    ["claiming deliveries", ({ world }) => claimDeliveries(world)],
    ["listing deliveries", ({ world }) => world.store.listDeliveries({}, page)],
    ["listing deliveries by state", ({ world }) => world.store.listDeliveries({ state: "failed" }, page)],
    ["delivering again", async ({ world }) => world.store.redeliver((await world.submit()).id, undefined, t0)],
  ];

  it.each(rounds)("%s searches by an index", async (_what, call) => {
    const recording = await openRecordedStore();
    await recording.world.submitMany(20, { batch: "b" });
    const plans = await plansOf(recording, () => call(recording));
    expect(plans.filter(isFullScan)).toEqual([]);
  });

  it.each([[undefined], [["work"]]])(
    "the ends that nobody has looked at are read in the order of their index (kinds %j)",
    async (kinds) => {
      const recording = await openPopulatedStore();
      const filter = { owner: "ann", ...(kinds === undefined ? {} : { kinds }) };
      const plans = await plansOf(recording, () => recording.world.store.unseen(filter, page));
      expect(plans.filter((step) => isFullScan(step) || isSort(step))).toEqual([]);
      expect(plans.join("\n")).toMatch(
        /SEARCH j USING INDEX jobs_unseen \(owner=\? AND .*\(unseen_at,rowid\)<\(\?,\?\)\)/,
      );
    },
  );

  it("a job without a webhook runs no statement on its account, from its submit to its end", async () => {
    const recording = await openRecordedStore();
    const { world, prepared } = recording;
    const { lease } = await world.start();
    await world.store.ask(lease, { key: "q", question: { message: "Which?" }, at: t0 });
    await world.store.settle(lease, outcomes.failed, { now: t0 });
    expect([...prepared].filter((sql) => /receivers|deliveries/.test(sql))).toEqual([]);
  });
});
