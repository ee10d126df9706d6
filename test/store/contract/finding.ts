import { describe, expect, it } from "vitest";
import type { Job } from "../../../src/job/job.ts";
import { jobStatuses, type JobStatus } from "../../../src/job/state.ts";
import type { JobFilter } from "../../../src/store/store.ts";
import { day, second, t0, unknownId, type DraftOptions } from "../drafts.ts";
import { outcomes, refusal, terminalStatuses, useWorld, type OpenStore, type World } from "../world.ts";
import { present } from "../../present.ts";

export function describeFinding(open: OpenStore): void {
  describe("finding", () => {
    const world = useWorld(open);
    describeReads(world);
    describeFilters(world);
    describeCursors(world);
  });
}

function describeReads(world: () => World): void {
  it("an id that is not there has no job, payload, checkpoint, tombstone, events or questions", async () => {
    const { store } = world();
    expect(await store.get(unknownId)).toBeUndefined();
    expect(await store.payload(unknownId)).toBeUndefined();
    expect(await store.loadCheckpoint(unknownId)).toBeUndefined();
    expect(await store.tombstone(unknownId)).toBeUndefined();
    expect(await store.queued(unknownId, { now: t0, countUpTo: 10 })).toBeUndefined();
    expect(await store.read(unknownId, 0, 10)).toEqual([]);
    expect(await store.questions(unknownId)).toEqual([]);
    expect(await store.output.streams(unknownId, 1)).toEqual([]);
  });

  it("jobs are counted by kind and status, for an owner, a batch, both or all", async () => {
    await world().create({ owner: "ann", batch: "x" }, { owner: "ann" }, { owner: "bob", batch: "x" });
    await world().finish("failed", { owner: "bob", kind: "other", batch: "x" });
    const queued = { kind: "work", status: "queued" };
    const failed = { kind: "other", status: "failed", count: 1 };
    const count = async (filter: Pick<JobFilter, "owner" | "batch">): Promise<unknown> =>
      (await world().store.count(filter)).toSorted((a, b) => b.kind.localeCompare(a.kind));
    expect(await count({})).toEqual([{ ...queued, count: 3 }, failed]);
    expect(await count({ owner: "ann" })).toEqual([{ ...queued, count: 2 }]);
    expect(await count({ batch: "x" })).toEqual([{ ...queued, count: 2 }, failed]);
    expect(await count({ owner: "bob", batch: "x" })).toEqual([{ ...queued, count: 1 }, failed]);
    expect(await count({ owner: "eve" })).toEqual([]);
  });

  it("batches are told by name, page by page, each owner's own", async () => {
    const { store } = world();
    await world().create(
      { batch: "b", owner: "bob" },
      { batch: "b" },
      { batch: "a" },
      { batch: "c", owner: "bob" },
      {},
    );
    expect(await store.batches({}, { limit: 10 })).toEqual(["a", "b", "c"]);
    expect(await store.batches({}, { limit: 2 })).toEqual(["a", "b"]);
    expect(await store.batches({}, { limit: 2, after: "a" })).toEqual(["b", "c"]);
    expect(await store.batches({}, { limit: 10, after: "aa" })).toEqual(["b", "c"]);
    expect(await store.batches({ owner: "bob" }, { limit: 10 })).toEqual(["b", "c"]);
    expect(await store.batches({ owner: "eve" }, { limit: 10 })).toEqual([]);
    expect(await store.batches({}, { limit: 10, after: "c" })).toEqual([]);
  });

  it("a probe of the disk changes nothing, and fails once the store is closed", async () => {
    const { store } = world();
    const { id } = await world().submit();
    const before = await store.get(id);
    await store.probe();
    expect(await store.get(id)).toEqual(before);
    await store.close();
    await expect(store.probe()).rejects.toMatchObject(refusal("stopped"));
  });

  it("an id is found by its last characters, within an owner and up to a limit", async () => {
    const { store } = world();
    const [ann, bob] = [await world().submit({ owner: "ann" }), await world().submit({ owner: "bob" })];
    expect(await store.idsEndingWith(ann.id.slice(-8), {}, 2)).toEqual([ann.id]);
    expect(await store.idsEndingWith(ann.id.slice(-8), { owner: "ann" }, 2)).toEqual([ann.id]);
    expect(await store.idsEndingWith(ann.id.slice(-8), { owner: "bob" }, 2)).toEqual([]);
    expect(await store.idsEndingWith(ann.id.slice(-8), { kinds: ["other", ann.kind] }, 2)).toEqual([ann.id]);
    expect(await store.idsEndingWith(ann.id.slice(-8), { kinds: ["other"] }, 2)).toEqual([]);
    expect(await store.idsEndingWith(bob.id, {}, 2)).toEqual([bob.id]);
    expect(await store.idsEndingWith("", {}, 1)).toHaveLength(1);
  });

  it("the last characters of an id are characters, not a pattern", async () => {
    const { id } = await world().submit();
    for (const suffix of ["%", "_", `%${id.slice(-4)}`, `${id.slice(-4, -1)}_`, "*", "'", "\\", "ÿ"]) {
      expect(await world().store.idsEndingWith(suffix, {}, 2)).toEqual([]);
    }
  });
}

async function list(world: World, filter: JobFilter): Promise<string[]> {
  return (await world.store.list(filter, { limit: 100 })).jobs.map(({ name, id }) => name ?? id);
}

function describeFilters(world: () => World): void {
  it("jobs are listed newest first", async () => {
    await world().create({ name: "one" }, { name: "two" });
    await world().submit({ name: "three", createdAt: t0 + second });
    expect(await list(world(), {})).toEqual(["three", "two", "one"]);
  });

  it("a listed job is the job that get returns", async () => {
    const { job } = await world().start({ tags: ["t"], batch: "b", key: "k" });
    expect((await world().store.list({}, { limit: 10 })).jobs).toEqual([await world().job(job.id)]);
  });

  const parent = unknownId;
  const filters: [filter: JobFilter, matching: DraftOptions, other: DraftOptions][] = [
    [{ owner: "ann" }, { owner: "ann" }, { owner: "anna" }],
    [{ kind: "work" }, { kind: "work" }, { kind: "other" }],
    [{ batch: "b" }, { batch: "b" }, { batch: "B" }],
    [{ parent }, { parent }, {}],
    [{ tags: ["red"] }, { tags: ["blue", "red"] }, { tags: ["blue", "redder"] }],
    [{ tags: ["blue", "red"] }, { tags: ["blue", "red"] }, { tags: ["blue"] }],
    [{ kinds: ["work", "other"] }, { kind: "other" }, { kind: "third" }],
    [{ kinds: ["work", "other"], owner: "ann" }, { kind: "other" }, { kind: "work", owner: "bob" }],
    [{ name: "hit" }, {}, { name: "hit 2" }],
    [{ createdFrom: t0 + 10 }, { createdAt: t0 + 10 }, { createdAt: t0 + 9 }],
    [{ createdBefore: t0 + 10 }, { createdAt: t0 + 9 }, { createdAt: t0 + 10 }],
  ];

  it.each(filters)("the filter %j finds what fits and nothing else", async (filter, matching, other) => {
    const drafts = [
      { name: "hit", ...matching },
      { name: "miss", ...other },
    ].toSorted((a, b) => (a.createdAt ?? t0) - (b.createdAt ?? t0));
    for (const draft of drafts) await world().submit(draft);
    expect(await list(world(), filter)).toEqual(["hit"]);
    expect(await list(world(), { ...filter, status: ["queued"] })).toEqual(["hit"]);
    expect(await list(world(), { ...filter, status: ["running", "queued"] })).toEqual(["hit"]);
    expect(await list(world(), { ...filter, status: ["running"] })).toEqual([]);
  });

  it("filters narrow each other", async () => {
    const all = { owner: "ann", kind: "work", batch: "b", parent, createdAt: t0 + 5 };
    const filter: JobFilter = {
      owner: "ann",
      kind: "work",
      batch: "b",
      parent,
      tags: ["t"],
      name: "hit",
      text: "needle",
    };
    const hit = { ...all, name: "hit", tags: ["t"], input: "needle" };
    await world().create(
      { ...hit, owner: "bob" },
      { ...hit, kind: "other" },
      { ...hit, batch: "c" },
      { ...hit, parent: (await world().submit({ createdAt: t0 + 5 })).id },
      { ...hit, tags: [] },
      { ...hit, name: "miss" },
      { ...hit, input: "hay" },
      { ...hit },
    );
    const times = { createdFrom: t0 + 5, createdBefore: t0 + 6 };
    expect(await list(world(), { ...filter, ...times, status: ["queued"] })).toEqual(["hit"]);
    expect(await list(world(), { ...filter, ...times, createdFrom: t0 + 6 })).toEqual([]);
    expect(await list(world(), { ...filter, ...times, createdBefore: t0 + 5 })).toEqual([]);
  });

  it("jobs are found by their ids, newest first, as far as they match the rest", async () => {
    const jobs = await world().submitMany(3);
    const ids = jobs.map(({ id }) => id);
    const listed = async (filter: JobFilter): Promise<string[]> =>
      (await world().store.list(filter, { limit: 10 })).jobs.map(({ id }) => id);
    expect(await listed({ ids: [unknownId, ...ids.slice(1), ...ids.slice(1)] })).toEqual(ids.slice(1).toReversed());
    expect(await listed({ ids, status: ["running"] })).toEqual([]);
    expect(await listed({ ids: [], owner: "ann" })).toEqual([]);
    await world().submit({ name: "needle" });
    const named = await world().submit({ name: "needle too" });
    expect(await listed({ ids: [...ids, named.id], text: "needle" })).toEqual([named.id]);
  });

  it("jobs are found by the time of their end, and those that have not ended are not", async () => {
    for (const at of [10, 20, 30]) {
      const { lease } = await world().start({ name: `${at}` });
      await world().store.settle(lease, outcomes.failed, { now: t0 + at });
    }
    await world().start({ name: "running" });
    expect(await list(world(), { finishedFrom: t0 + 20 })).toEqual(["30", "20"]);
    expect(await list(world(), { finishedBefore: t0 + 20 })).toEqual(["10"]);
    expect(await list(world(), { finishedFrom: t0 + 11, finishedBefore: t0 + 30, status: ["failed"] })).toEqual(["20"]);
    expect(await list(world(), { finishedFrom: t0 + 31 })).toEqual([]);
    const [last] = (await world().store.list({ name: "30" }, { limit: 1 })).jobs;
    await world().store.retry(present(last).id, { at: t0 + 40 });
    expect(await list(world(), { finishedFrom: t0 + 20 })).toEqual(["20"]);
  });

  it("the inputs of several jobs are read at once, as they may be shown", async () => {
    const concealed = await world().submit({ input: { secret: 1 }, shownInput: { secret: "***" } });
    const plain = await world().submit({ input: { a: 1 } });
    const inputs = await world().store.inputs([concealed.id, unknownId, plain.id]);
    expect(Object.fromEntries(inputs)).toEqual({ [concealed.id]: '{"secret":"***"}', [plain.id]: '{"a":1}' });
  });

  it("times without jobs find nothing", async () => {
    await world().submit();
    expect(await list(world(), { createdFrom: t0 + day })).toEqual([]);
    expect(await list(world(), { createdBefore: t0 - day })).toEqual([]);
    expect(await list(world(), { createdFrom: t0 + 1, createdBefore: t0 })).toEqual([]);
  });

  it.each(jobStatuses.map((status) => [status]))("the status %s finds just the jobs that are in it", async (status) => {
    await createOneOfEach(world());
    expect(await list(world(), { status: [status] })).toEqual([status]);
  });

  it("several statuses find the jobs in any of them, newest first, each once", async () => {
    await createOneOfEach(world());
    expect(await list(world(), { status: ["cancelled", "queued", "failed"] })).toEqual(
      (await list(world(), {})).filter((name) => ["cancelled", "queued", "failed"].includes(name)),
    );
    expect((await list(world(), { status: [...jobStatuses] })).toSorted()).toEqual([...jobStatuses].toSorted());
    expect(await list(world(), { status: ["queued", "queued"] })).toEqual(["queued"]);
  });
}

/** One job in each state, named after it. */
async function createOneOfEach(world: World): Promise<void> {
  for (const status of terminalStatuses) await world.finish(status, { name: status });
  const { lease } = await world.start({ name: "waiting" });
  await world.store.ask(lease, { key: "q", question: { message: "Which?" }, at: t0 });
  await world.start({ name: "running" });
  await world.submit({ name: "queued" });
}

function describeCursors(world: () => World): void {
  const pages = async (filter: JobFilter, limit: number, between?: () => Promise<unknown>): Promise<string[][]> => {
    const all: string[][] = [];
    let cursor: string | undefined;
    do {
      const page = await world().store.list(filter, { limit, cursor });
      all.push(page.jobs.map(({ name }) => name ?? ""));
      cursor = page.cursor;
      await between?.();
    } while (cursor !== undefined);
    return all;
  };

  it("pages follow each other without overlap, and the last has no cursor", async () => {
    await world().create(...["1", "2", "3", "4", "5"].map((name) => ({ name })));
    expect(await pages({}, 2)).toEqual([["5", "4"], ["3", "2"], ["1"]]);
    expect(await pages({}, 5)).toEqual([["5", "4", "3", "2", "1"]]);
    expect(await pages({ owner: "nobody" }, 2)).toEqual([[]]);
  });

  const everyFilter: [string, JobFilter][] = [
    ["no filter", {}],
    ["an owner", { owner: "ann" }],
    ["a status", { status: ["queued"] }],
    ["several statuses", { status: ["queued", "running"] }],
    ["a tag", { tags: ["t"] }],
    ["a text", { text: "needle" }],
    ["times", { createdFrom: t0, createdBefore: t0 + day }],
  ];

  it.each(everyFilter)("with %s, a cursor goes on where its page ended while jobs are added", async (_what, filter) => {
    const fitting = { tags: ["t"], input: "needle" };
    await world().create(...["1", "2", "3", "4", "5"].map((name) => ({ ...fitting, name })));
    const added = (): Promise<Job> => world().submit({ ...fitting, name: "added", createdAt: t0 + second });
    expect(await pages(filter, 2, added)).toEqual([["5", "4"], ["3", "2"], ["1"]]);
  });

  it("a cursor is good after a restart", async () => {
    await world().create(...["1", "2", "3"].map((name) => ({ name })));
    const { cursor } = await world().store.list({}, { limit: 2 });
    await world().restart();
    const { jobs } = await world().store.list({}, { limit: 2, cursor: present(cursor) });
    expect(jobs.map(({ name }) => name)).toEqual(["1"]);
  });

  it("a cursor never leads to jobs that were added after its page, even where older ones were purged", async () => {
    const old = await world().create({ name: "1" }, { name: "2" });
    for (const { job } of old) await world().store.cancel(job.id, { reason: "not needed", at: t0 });
    const { cursor } = await world().store.list({}, { limit: 1 });
    await world().store.purge(t0 + 30 * day, 10);
    await world().submit({ name: "3", createdAt: t0 + 30 * day });
    expect((await world().store.list({}, { limit: 10, cursor: present(cursor) })).jobs).toEqual([]);
  });

  it.each(["", "nonsense", "-1", "1.5", "1; DROP TABLE jobs", "9".repeat(40)])(
    "the cursor %j, which no list returned, is refused",
    async (cursor) => {
      await expect(world().store.list({}, { limit: 10, cursor })).rejects.toMatchObject(refusal("invalid_input"));
    },
  );

  it("a job changes its place in a list by its state, not by time", async () => {
    const first = await world().start({ name: "first" });
    await world().submit({ name: "second" });
    await world().store.settle(first.lease, outcomes.failed, { now: t0 + second });
    expect(await list(world(), {})).toEqual(["second", "first"]);
    const statuses: JobStatus[] = ["failed"];
    expect(await list(world(), { status: statuses })).toEqual(["first"]);
  });

  it("a list and a count keep to the wanted kinds", async () => {
    await world().submit({ kind: "work" });
    const other = await world().submit({ kind: "other", owner: "bob", tags: ["t"] });
    const { store } = world();
    const listed = async (filter: object): Promise<string[]> =>
      (await store.list(filter, { limit: 10 })).jobs.map(({ id }) => id);
    for (const filter of [{}, { owner: "bob" }, { tags: ["t"] }, { status: ["queued"] }, { kind: "other" }]) {
      expect(await listed({ ...filter, kinds: ["other", "none"] })).toEqual([other.id]);
    }
    expect(await listed({ kind: "work", kinds: ["other"] })).toEqual([]);
    expect(await store.count({ kinds: ["other"] })).toEqual([{ kind: "other", status: "queued", count: 1 }]);
    expect(await store.count({ kinds: [] })).toEqual([]);
  });
}
