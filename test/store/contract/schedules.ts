import { describe, expect, it } from "vitest";
import type { Fired, Firing, Schedule } from "../../../src/store/schedule-store.ts";
import type { JobDraft } from "../../../src/store/store.ts";
import { present } from "../../present.ts";
import { day, second, t0, unknownId } from "../drafts.ts";
import { outcomes, refusal, useWorld, type OpenStore } from "../world.ts";

const hour = 3_600 * second;
const work = { request: '{"kind":"work","input":{"secret":"s"}}', client: '{"cwd":"/tmp"}' };

function plan(more: Partial<Schedule> = {}): Schedule {
  return {
    id: "a1",
    name: "nightly",
    owner: "ann",
    kind: "work",
    input: { shown: true },
    plan: { everyMs: hour, from: t0 },
    missed: "once",
    overlap: false,
    isConfined: false,
    createdAt: t0,
    bounds: {},
    nextAt: t0 + hour,
    revision: 1,
    plannedAt: t0,
    counts: { runs: 0, missed: 0, overlap: 0, refused: 0 },
    ...more,
  };
}

export function describeSchedules(open: OpenStore): void {
  describe("schedules", () => {
    const world = useWorld(open);
    const add = async (more: Partial<Schedule> = {}): Promise<void> => {
      await world().store.schedules.add(plan(more), work, 10);
    };
    const get = async (reference = "a1"): Promise<Schedule> =>
      present((await world().store.schedules.list({ reference }))[0]);
    const draftFor = (plannedAt?: number): JobDraft =>
      world().draft({
        schedule: plannedAt === undefined ? { id: "a1", name: "nightly" } : { id: "a1", name: "nightly", plannedAt },
        idempotencyKey: plannedAt === undefined ? undefined : `a1 ${plannedAt}`,
      });
    const fire = async (more: Partial<Firing> = {}): Promise<Fired | undefined> => {
      const { id, revision, nextAt: next = t0 } = await get();
      const due = more.due ?? [next];
      const last = due.at(-1) ?? t0;
      const jobs = { drafts: due.map(draftFor) };
      return world().store.schedules.fire({ id, revision, now: last, due, nextAt: last + hour, jobs, ...more });
    };
    const runs = async (): Promise<unknown[]> => world().store.schedules.runs("a1", 100);

    it("are listed by name as they were added, also after a restart, without what only their jobs may know", async () => {
      await add({ name: "b" });
      await add({ id: "a2", name: "a", owner: "bob", kind: "other" });
      await world().restart();
      const { schedules } = world().store;
      expect(await schedules.list({})).toEqual([
        plan({ id: "a2", name: "a", owner: "bob", kind: "other" }),
        plan({ name: "b" }),
      ]);
      expect(await schedules.list({ owner: "ann" })).toMatchObject([{ id: "a1" }]);
      expect(await schedules.list({ kinds: ["other"] })).toMatchObject([{ id: "a2" }]);
      expect(await schedules.list({ reference: "a2" })).toMatchObject([{ name: "a" }]);
      expect(await schedules.list({ reference: "b", owner: "bob" })).toEqual([]);
      expect(await schedules.work("a1")).toEqual(work);
      expect(await schedules.work("none")).toBeUndefined();
    });

    it("have names of their own among those of their owner, and are bounded in number", async () => {
      await add();
      await expect(add({ id: "a2" })).rejects.toMatchObject(refusal("conflict"));
      await add({ id: "a2", owner: "bob" });
      await expect(world().store.schedules.add(plan({ id: "a3", name: "x" }), work, 1)).rejects.toMatchObject(
        refusal("conflict"),
      );
      expect(await world().store.schedules.list({})).toHaveLength(2);
    });

    it("are due when their time has come, or when that was worked out in what is now the future", async () => {
      await add();
      const { schedules } = world().store;
      expect(await schedules.due(t0 + hour - 1)).toEqual([]);
      expect(await schedules.nextAfter(t0)).toBe(t0 + hour);
      expect(await schedules.due(t0 + hour)).toMatchObject([{ id: "a1" }]);
      expect(await schedules.nextAfter(t0 + hour)).toBeUndefined();
      expect(await schedules.due(t0 - 1)).toMatchObject([{ id: "a1" }]);
      expect(await schedules.replan(await get(), t0 + second, t0 - 1)).toBe(true);
      expect(await schedules.due(t0 - 1)).toEqual([]);
      expect(await schedules.replan(plan(), t0, t0)).toBe(false);
      expect(await get()).toMatchObject({ nextAt: t0 + second, plannedAt: t0 - 1 });
    });

    it("a time comes to its job and moves the plan on, at once", async () => {
      await add();
      const { created } = present(await fire());
      expect(created).toMatchObject([{ isDuplicate: false, job: { schedule: { id: "a1", plannedAt: t0 + hour } } }]);
      await world().restart();
      expect(await get()).toMatchObject({ nextAt: t0 + 2 * hour, plannedAt: t0 + hour, counts: { runs: 1 } });
      const jobId = present(created[0]).job.id;
      expect((await world().store.list({ schedule: "a1" }, { limit: 10 })).jobs).toMatchObject([{ id: jobId }]);
      expect(await runs()).toEqual([{ plannedAt: t0 + hour, at: t0 + hour, status: "queued", jobId }]);
    });

    it("a firing counts only for the schedule as it was read: else it makes nothing", async () => {
      await add();
      const { revision } = await get();
      await fire();
      expect(await fire({ revision })).toBeUndefined();
      await world().store.schedules.pause("a1", { at: t0 });
      expect(await fire()).toBeUndefined();
      expect(await fire({ id: "none" })).toBeUndefined();
      expect((await world().store.list({}, { limit: 10 })).jobs).toHaveLength(1);
    });

    it("a job that cannot be made leaves the plan where it was", async () => {
      await add();
      const broken = {
        drafts: [{ ...draftFor(t0 + hour), spec: { ...draftFor(t0 + hour).spec, dependsOn: [unknownId] } }],
      };
      await expect(fire({ jobs: broken })).rejects.toMatchObject(refusal("not_found"));
      expect(await get()).toEqual(plan());
      expect(await runs()).toEqual([]);
    });

    it("a time that was seen to before, because the clock was set back, is not seen to again", async () => {
      await add();
      const { job } = present(present(await fire()).created[0]);
      for (const _status of ["queued", "cancelled"]) {
        await world().store.schedules.replan(await get(), t0 + hour, t0);
        expect(await fire()).toEqual({ created: [], isHeldUp: false });
        await world().store.cancel(job.id, { reason: "enough", at: t0 });
      }
      expect(await runs()).toHaveLength(1);
      expect(await get()).toMatchObject({ counts: { runs: 1, overlap: 0 }, nextAt: t0 + 2 * hour });
    });

    it("a time whose job is there already makes no second one, though the time is not remembered any more", async () => {
      await add();
      const [first] = present(await fire()).created;
      await world().store.schedules.remove("a1");
      await add({ overlap: true });
      expect(present(await fire()).created).toEqual([{ job: present(first).job, isDuplicate: true }]);
      expect(await runs()).toEqual([]);
    });

    it("what becomes of the job is remembered with its time, longer than the job itself", async () => {
      await add();
      const { job } = present(present(await fire()).created[0]);
      const { lease } = await world().claimJob(job, { now: t0 + hour });
      expect(await runs()).toMatchObject([{ status: "running" }]);
      await world().store.settle(lease, outcomes.failed, { now: t0 + hour + 1 });
      await world().store.purge(t0 + 100 * day, 10);
      expect(await world().store.get(job.id)).toBeUndefined();
      expect(await runs()).toMatchObject([{ status: "failed", jobId: job.id, endedAt: t0 + hour + 1 }]);
    });

    it("a time that comes while a run is not over is left out, with the reason, and the next one runs", async () => {
      await add();
      const { job } = present(present(await fire()).created[0]);
      expect(await fire()).toEqual({ created: [], isHeldUp: false });
      await world().store.cancel(job.id, { reason: "enough", at: t0 });
      expect(present(await fire()).created).toHaveLength(1);
      expect(await runs()).toMatchObject([
        { plannedAt: t0 + 3 * hour, status: "queued" },
        { plannedAt: t0 + 2 * hour, status: "skipped", skip: "overlap" },
        { plannedAt: t0 + hour, status: "cancelled" },
      ]);
      expect(await get()).toMatchObject({ counts: { runs: 2, overlap: 1 } });
    });

    it("with `all`, times that have come wait for the end of a run, and lose nothing", async () => {
      await add({ missed: "all" });
      const due = [t0 + hour, t0 + 2 * hour];
      const { job } = present(present(await fire({ due })).created[0]);
      expect(job.schedule?.plannedAt).toBe(t0 + hour);
      expect(await fire({ due: [t0 + 2 * hour] })).toEqual({ created: [], isHeldUp: true });
      expect(await get()).toMatchObject({ nextAt: t0 + 2 * hour });
      await world().store.cancel(job.id, { reason: "enough", at: t0 });
      expect(present(await fire({ due: [t0 + 2 * hour] })).created).toHaveLength(1);
    });

    it("a refused time is left out with the reason", async () => {
      await add();
      await fire({ jobs: { refusal: "No such folder." } });
      expect(await runs()).toMatchObject([{ status: "skipped", skip: "refused", reason: "No such folder." }]);
      expect(await get()).toMatchObject({ counts: { runs: 0, refused: 1 } });
    });

    it("a run by hand leaves the plan as it is, does not overlap, and is made once under its key", async () => {
      await add();
      const { schedules } = world().store;
      const draft = { ...draftFor(), spec: { ...draftFor().spec, idempotencyKey: "by hand" } };
      const { job } = present(await schedules.run("a1", draft, t0 + 1));
      expect(present(await schedules.run("a1", draft, t0 + 2))).toMatchObject({
        isDuplicate: true,
        job: { id: job.id },
      });
      await expect(schedules.run("a1", draftFor(), t0 + 2)).rejects.toMatchObject(refusal("conflict"));
      expect(await runs()).toEqual([{ at: t0 + 1, status: "queued", jobId: job.id }]);
      expect(await get()).toMatchObject({ nextAt: t0 + hour, counts: { runs: 1 } });
      expect(await schedules.run("none", draftFor(), t0)).toBeUndefined();
    });

    it("are paused and resumed once, and survive a restart in between", async () => {
      await add();
      const { schedules } = world().store;
      expect(await schedules.pause("a1", { at: t0 + 1, reason: "why" })).toMatchObject({ pause: { reason: "why" } });
      await schedules.pause("a1", { at: t0 + 2 });
      await world().restart();
      expect(await get()).toMatchObject({ pause: { at: t0 + 1, reason: "why" } });
      expect(await get()).not.toHaveProperty("nextAt");
      expect(await world().store.schedules.due(t0 + day)).toEqual([]);
      const resume = { at: t0 + day, nextAt: t0 + 2 * day, bounds: { token: "t" } };
      const resumed = present(await world().store.schedules.resume("a1", resume));
      expect(resumed).toMatchObject({ nextAt: t0 + 2 * day, bounds: { token: "t" } });
      expect(resumed).not.toHaveProperty("pause");
      expect(await world().store.schedules.resume("a1", { ...resume, nextAt: t0 })).toMatchObject({
        nextAt: t0 + 2 * day,
      });
      expect(await world().store.schedules.pause("none", { at: t0 })).toBeUndefined();
    });

    it("are removed with what was remembered of them, and leave their jobs", async () => {
      await add();
      const { job } = present(present(await fire()).created[0]);
      expect(await world().store.schedules.remove("a1")).toBe(true);
      expect(await world().store.schedules.remove("a1")).toBe(false);
      expect(await world().store.schedules.list({})).toEqual([]);
      expect(await world().status(job.id)).toBe("queued");
      await add();
      expect(await runs()).toEqual([]);
    });

    it("of very many times the newest are remembered, and those whose job is not over", async () => {
      await add({ overlap: true });
      const { job } = present(present(await fire()).created[0]);
      for (let time = 0; time < 120; time++) await fire({ jobs: { refusal: "no" } });
      const remembered = (await world().store.schedules.runs("a1", 1_000)) as { jobId?: string }[];
      expect(remembered.length).toBeLessThanOrEqual(102);
      expect(remembered.at(-1)).toMatchObject({ jobId: job.id });
      expect(await get()).toMatchObject({ counts: { refused: 120 } });
    });
  });
}
