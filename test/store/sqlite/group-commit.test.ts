import { describe, expect, it } from "vitest";
import { second, t0, unknownId } from "../drafts.ts";
import { leaseMs, outcomes, refusal } from "../world.ts";
import { present } from "../../present.ts";
import { openRecordedStore, type Recording } from "./recorded-store.ts";

const commitsIn = ({ log }: Recording): number => log.filter((sql) => sql.includes("COMMIT")).length;

/** What SQLite throws when the disk has no room. */
const diskFull = Object.assign(new Error("database or disk is full"), { errcode: 13 });

/** The next commits fail, until the returned function is called. */
function fillDisk(recording: Recording): () => void {
  recording.beforeExecute = (sql) => {
    if (sql === "COMMIT") throw diskFull;
  };
  return () => {
    recording.beforeExecute = () => undefined;
  };
}

describe("group commit", () => {
  it("writes of one turn share one commit", async () => {
    const recording = await openRecordedStore();
    const { world } = recording;
    const { job, lease } = await world.start();
    const before = commitsIn(recording);
    await Promise.all([
      world.submit(),
      world.submitMany(10),
      world.store.append(lease, [{ type: "job-active-again" }], t0),
      world.store.cancel(job.id, { reason: "not needed", at: t0 }),
      world.store.saveCheckpoint(lease, "1"),
      world.claim({ max: 3 }),
      world.store.setPaused("other", true),
    ]);
    expect(commitsIn(recording) - before).toBe(1);
  });

  it("writes of different turns have commits of their own", async () => {
    const recording = await openRecordedStore();
    const before = commitsIn(recording);
    await recording.world.submit();
    await recording.world.submit();
    expect(commitsIn(recording) - before).toBe(2);
  });

  it("writes that come turn after turn, as requests on new connections do, share the commits of a slow disk", async () => {
    const recording = await openRecordedStore();
    recording.beforeExecute = (sql) => {
      if (sql === "COMMIT") Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
    };
    await recording.world.submit();
    const before = commitsIn(recording);
    const submissions: Promise<unknown>[] = [];
    for (let turn = 0; turn < 100; turn++) {
      submissions.push(recording.world.submit());
      await new Promise((resolve) => setImmediate(resolve));
    }
    await Promise.all(submissions);
    expect(commitsIn(recording) - before).toBeLessThan(50);
  });

  it("no write is answered, and no hint given, before its commit", async () => {
    const { world, log } = await openRecordedStore();
    world.store.subscribe((hint) => log.push(hint.type));
    log.length = 0;
    await world.submit().then(() => log.push("answered"));
    const committed = log.indexOf("COMMIT");
    expect(committed).toBeGreaterThanOrEqual(0);
    expect(log.indexOf("answered")).toBeGreaterThan(committed);
    expect(log.indexOf("job-changed")).toBeGreaterThan(committed);
  });

  it("a claim sees the other writes of its turn, whichever was asked for first", async () => {
    const { world } = await openRecordedStore();
    const [claims, job] = await Promise.all([world.claimIds(), world.submit()]);
    expect(claims).toEqual([job.id]);
  });

  it("an operation that is refused leaves nothing behind and does not disturb the others of its turn", async () => {
    const { world } = await openRecordedStore();
    const { job, lease } = await world.start();
    const draft = world.draft();
    const results = await Promise.allSettled([
      world.submit({ name: "before" }),
      world.store.create([draft, world.draft({ dependsOn: [unknownId] })]),
      world.store.append(lease, [{ type: "job-active-again" }], t0),
      world.store.retry(job.id, { at: t0 }),
      world.submit({ name: "after" }),
      world.claim({ max: 10 }),
    ]);
    expect(results.map(({ status }) => status)).toEqual([
      "fulfilled",
      "rejected",
      "fulfilled",
      "rejected",
      "fulfilled",
      "fulfilled",
    ]);
    expect(await world.store.get(draft.spec.id)).toBeUndefined();
    expect(await world.eventTypes(job.id)).toEqual(["job-submitted", "attempt-started", "job-active-again"]);
    expect(await world.store.count({})).toEqual([{ kind: "work", status: "running", count: 3 }]);
  });

  it("after an operation was refused, jobs are claimed, read and written as if it had not been asked", async () => {
    const { world } = await openRecordedStore();
    const { lease } = await world.start();
    const refused = world.submit({ dependsOn: [unknownId] }).catch(() => undefined);
    await Promise.all([world.store.report(lease, { progress: { percent: 5 }, isEvent: true, at: t0 }), refused]);
    await world.store.append(lease, [{ type: "job-active-again" }], t0);
    const ended = present(await world.store.settle(lease, outcomes.succeeded, { now: t0 }));
    expect(ended.state).toMatchObject({ progress: { percent: 5 } });
    expect((await world.events(lease.id)).map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5]);
  });
});

describe("a commit that fails", () => {
  it("is told to all whose writes it held, and nothing of them is stored", async () => {
    const recording = await openRecordedStore();
    const { world } = recording;
    const { job, lease } = await world.start();
    const hints: unknown[] = [];
    world.store.subscribe((hint) => hints.push(hint));
    const freeDisk = fillDisk(recording);
    const writes = await Promise.allSettled([
      world.submit(),
      world.store.append(lease, [{ type: "job-active-again" }], t0),
      world.store.settle(lease, outcomes.succeeded, { now: t0, result: "1" }),
    ]);
    for (const write of writes) expect(write).toMatchObject({ status: "rejected", reason: refusal("storage_full") });
    expect(await world.job(job.id)).toEqual(job);
    expect(await world.store.count({})).toEqual([{ kind: "work", status: "running", count: 1 }]);
    expect(hints).toEqual([]);
    freeDisk();
    expect(present(await world.store.settle(lease, outcomes.succeeded, { now: t0 })).lastSeq).toBe(3);
  });

  it("does not lose sight of a delayed job whose time came with it", async () => {
    const recording = await openRecordedStore();
    const { world } = recording;
    const job = await world.submit({ runAt: t0 + second });
    await world.claim({ now: t0 });
    const freeDisk = fillDisk(recording);
    await expect(world.claim({ now: t0 + second })).rejects.toMatchObject(refusal("storage_full"));
    freeDisk();
    expect(await world.claimIds({ now: t0 + second })).toEqual([job.id]);
  });

  it("does not cost anybody a turn", async () => {
    const recording = await openRecordedStore();
    const { world } = recording;
    const freeDisk = fillDisk(recording);
    await expect(world.submitMany(100, { owner: "ann" })).rejects.toMatchObject(refusal("storage_full"));
    freeDisk();
    await world.submitMany(100, { owner: "bob" });
    await world.submit({ owner: "ann" });
    expect((await world.claim({ max: 2 })).map(({ job }) => job.owner)).toContain("ann");
  });

  it("leaves claimed jobs claimable, and their leases worth nothing", async () => {
    const recording = await openRecordedStore();
    const { world } = recording;
    const job = await world.submit();
    const freeDisk = fillDisk(recording);
    await expect(world.claim()).rejects.toMatchObject(refusal("storage_full"));
    freeDisk();
    expect(await world.job(job.id)).toEqual(job);
    expect((await world.claimJob(job)).job.state).toMatchObject({
      status: "running",
      lease: { expiresAt: t0 + leaseMs },
    });
  });

  it("is told as a failure of the storage when it is not for lack of room", async () => {
    const recording = await openRecordedStore();
    const ioError = Object.assign(new Error("disk I/O error"), { errcode: 10 });
    recording.beforeExecute = (sql) => {
      if (sql === "COMMIT") throw ioError;
    };
    await expect(recording.world.submit()).rejects.toMatchObject({ ...refusal("storage_failed"), cause: ioError });
    recording.beforeExecute = () => undefined;
    await recording.world.submit();
  });
});
