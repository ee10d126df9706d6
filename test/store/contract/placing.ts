import { describe, expect, it } from "vitest";
import type { JobId } from "../../../src/job/id.ts";
import type { Job } from "../../../src/job/job.ts";
import type { Member } from "../../../src/store/member.ts";
import type { Created } from "../../../src/store/store.ts";
import { second, t0 } from "../drafts.ts";
import { leaseMs, useWorld, type OpenStore, type World } from "../world.ts";
import { present } from "../../present.ts";

export function describePlacing(open: OpenStore): void {
  describe("machines", () => {
    const world = useWorld(open);
    describePlaces(world);
    describeReach(world);
    describeMembers(world);
  });
}

const ids = (jobs: readonly Job[]): JobId[] => jobs.map(({ id }) => id);

function describePlaces(world: () => World): void {
  it("a job that is pinned to a machine is claimed there and nowhere else", async () => {
    const job = await world().submit({ place: "m2" });
    expect(await world().claimIds({ machine: "m1", max: 9 })).toEqual([]);
    expect(await world().claimIds({ machine: "m2", max: 9 })).toEqual([job.id]);
    expect((await world().job(job.id)).place).toBe("m2");
  });

  it("a job that is pinned to a label is claimed where the machine has it", async () => {
    const job = await world().submit({ place: "gpu" });
    expect(await world().claimIds({ labels: ["big", "gp"], max: 9 })).toEqual([]);
    expect(await world().claimIds({ labels: ["big", "gpu"], max: 9 })).toEqual([job.id]);
  });

  it("pinned jobs and others are claimed in one order", async () => {
    const created = await world().create(
      { owner: "a", place: "m1" },
      { owner: "b" },
      { owner: "c", place: "gpu", priority: 5 },
      { owner: "d", place: "elsewhere", priority: 9 },
      { owner: "e", place: "m1" },
    );
    const [a, b, c, , e] = created.map(({ job }) => job.id);
    expect(await world().claimIds({ labels: ["gpu"], max: 3 })).toEqual([c, a, b]);
    expect(await world().claimIds({ labels: ["gpu"], max: 3 })).toEqual([e]);
  });

  it("a limit per key counts pinned jobs and others alike", async () => {
    await world().create({ key: "k" }, { key: "k", place: "m1" }, { key: "k", place: "gpu" });
    const claim = (): Promise<JobId[]> => world().claimIds({ labels: ["gpu"], max: 9, perKey: 2 });
    expect(await claim()).toHaveLength(2);
    expect(await claim()).toEqual([]);
  });

  it("jobs that wait for one place do not hold up their owner's others", async () => {
    await world().submitMany(50, { owner: "ann", place: "elsewhere" });
    await world().submitMany(50, { owner: "bob" });
    await world().submit({ owner: "ann" });
    expect((await world().claim({ max: 2 })).map(({ job }) => job.owner)).toContain("ann");
  });

  it("a delayed job keeps its place, and so does one that is retried, after a restart as well", async () => {
    const job = await world().submit({ place: "m2", runAt: t0 + second });
    await world().restart();
    expect(await world().claimIds({ now: t0 + second })).toEqual([]);
    const claim = present((await world().claim({ machine: "m2", now: t0 + second }))[0]);
    expect(claim.job.id).toBe(job.id);
    await world().store.settle(claim.lease, { type: "interrupted", cause: "test", isLoss: true }, { now: t0 + second });
    await world().restart();
    expect(await world().claimIds({ now: t0 + second })).toEqual([]);
    expect(await world().claimIds({ machine: "m2", now: t0 + second })).toEqual([job.id]);
  });

  it("the jobs ahead of one are those of its place", async () => {
    await world().submitMany(3, { place: "m2" });
    await world().submitMany(2);
    const [pinned, free] = await world().create({ place: "m2" }, {});
    const ahead = async (created: Created | undefined): Promise<unknown> =>
      (await world().store.queued(present(created).job.id, { now: t0, countUpTo: 9 }))?.jobsAhead;
    expect(await ahead(pinned)).toBe(3);
    expect(await ahead(free)).toBe(2);
  });
}

function describeReach(world: () => World): void {
  const rescue = { worker: "w2", now: t0 + 2 * second, leaseMs };

  it("a lost job is adopted on the machine where its attempt ran, and on no other", async () => {
    const { job, lease } = await world().start({}, { machine: "m1", leaseMs: second });
    const lost = { ...lease, before: t0 + 2 * second };
    expect(await world().store.adopt(lost, { ...rescue, machine: "m2" })).toBeUndefined();
    expect((await world().job(job.id)).state).toEqual(job.state);
    const claim = present(await world().store.adopt(lost, { ...rescue, machine: "m1" }));
    expect(claim.job.state).toMatchObject({ lease: { worker: "w2", machine: "m1" } });
  });

  it("a lost job is abandoned by any machine", async () => {
    const { lease } = await world().start({}, { machine: "m1", leaseMs: second });
    const outcome = { type: "interrupted", cause: "test", isLoss: true } as const;
    const abandoned = await world().store.abandon({ ...lease, before: t0 + 2 * second }, outcome, t0 + 2 * second);
    expect(present(abandoned).state.status).toBe("queued");
  });

  it("the lost jobs of one machine are told without those of others", async () => {
    const [one, two] = [
      await world().start({ kind: "a" }, { machine: "m1" }),
      await world().start({ kind: "b" }, { machine: "m2" }),
    ];
    const lost = async (machine?: string): Promise<JobId[]> =>
      ids(await world().store.lost({ before: Infinity, kinds: ["a", "b"], machine, limit: 9 }));
    expect(await lost("m1")).toEqual([one.job.id]);
    expect(await lost("m2")).toEqual([two.job.id]);
    expect(await lost("m3")).toEqual([]);
    expect(await lost()).toEqual([one.job.id, two.job.id]);
  });
}

function describeMembers(world: () => World): void {
  const member = (worker: string, machine: string, expiresAt = t0 + 10 * second): Member => ({
    worker,
    machine,
    role: "worker",
    labels: ["gpu", "big"],
    kinds: [{ name: "work", slots: 4, running: 1 }],
    version: "1.2.3",
    address: "http://127.0.0.1:7070",
    startedAt: t0,
    beatAt: t0,
    expiresAt,
  });
  const machines = async (now = t0): Promise<unknown> =>
    (await world().store.members(now)).map(({ machine, worker }) => `${machine} ${worker}`);

  it("who has joined is a member, as it has told of itself, by the names of the machines", async () => {
    const [second_, first] = [member("w2", "m2"), member("w1", "m1")];
    await world().store.join(second_);
    await world().store.join(first);
    expect(await world().store.members(t0)).toEqual([first, second_]);
  });

  it("who joins again is known once, by its last word", async () => {
    const { address: _address, ...moved } = { ...member("w1", "m1"), kinds: [], beatAt: t0 + 5 };
    await world().store.join(member("w1", "m1"));
    await world().store.join(moved);
    expect(await world().store.members(t0)).toEqual([moved]);
  });

  it("who is not heard until its time has ended is no member", async () => {
    await world().store.join(member("w1", "m1", t0 + second));
    await world().store.join(member("w2", "m2", t0 + second + 1));
    expect(await machines(t0 + second)).toEqual(["m2 w2"]);
  });

  it("who leaves is no member, unless its machine has another engine by now", async () => {
    await world().store.join(member("w1", "m1"));
    await world().store.join(member("w2", "m2"));
    await world().store.leave("w1");
    await world().store.leave("stranger");
    expect(await machines()).toEqual(["m2 w2"]);
    await world().store.join(member("w3", "m2"));
    await world().store.leave("w2");
    expect(await machines()).toEqual(["m2 w3"]);
  });

  it("the store tells the time, in milliseconds since 1970", async () => {
    const before = await world().store.time();
    const after = await world().store.time();
    expect(before).toBeGreaterThan(Date.UTC(2024, 0, 1));
    expect(after).toBeGreaterThanOrEqual(before);
  });
}
