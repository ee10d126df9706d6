import { describe, expect, it } from "vitest";
import type { DeliveryClaim, DeliveryClaimRequest, DeliveryClaims } from "../../../src/store/delivery.ts";
import type { Hint } from "../../../src/store/store.ts";
import { day, second, t0, type DraftOptions } from "../drafts.ts";
import { outcomes, terminalStatuses, useWorld, type OpenStore } from "../world.ts";
import { present } from "../../present.ts";
import { until } from "../../until.ts";

const secret = "whsec_c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0";
const question = { message: "Which?" };

function hooked(url = "https://a.example/hook?token=hidden", more: DraftOptions = {}): DraftOptions {
  const { origin, pathname } = new URL(url);
  return { webhook: { url: `${origin}${pathname}`, on: ["end", "question"] }, kept: { url, secret }, ...more };
}

/** A job that tells people in two places. */
function telling(more: DraftOptions = {}): DraftOptions {
  return {
    notify: { to: ["ntfy+https://a.example/…", "desktop"], on: ["end", "stall"] },
    targets: [
      { format: "ntfy", url: "https://a.example/hidden-topic" },
      { format: "desktop", url: "desktop:" },
    ],
    ...more,
  };
}

export function describeDelivering(open: OpenStore): void {
  describe("delivering", () => {
    const world = useWorld(open);
    const claim = (options: Partial<DeliveryClaimRequest> = {}): Promise<DeliveryClaims> =>
      world().store.claimDeliveries({ now: t0, leaseMs: 20 * second, max: 8, perHost: 8, ...options });
    const claimOne = async (now = t0): Promise<DeliveryClaim> => present((await claim({ now, max: 1 })).claims[0]);
    const list = async (filter = {}): Promise<unknown[]> =>
      (await world().store.listDeliveries(filter, { limit: 100 })).deliveries;

    it.each(terminalStatuses)("the end of a job that has %s is recorded with it", async (status) => {
      const { id, lastSeq } = await world().finish(status, hooked());
      expect(await list()).toEqual([
        {
          jobId: id,
          seq: lastSeq,
          target: 0,
          type: `job.${status}`,
          url: "https://a.example/hook",
          state: "pending",
          attempts: 0,
          createdAt: t0,
          nextAt: t0,
        },
      ]);
    });

    it("a question is recorded with its event, and an end after it on its own", async () => {
      const { lease } = await world().start(hooked());
      await world().store.ask(lease, { key: "q", question, at: t0 });
      await world().store.settle(lease, outcomes.failed, { now: t0 });
      expect(await list()).toMatchObject([{ type: "job.failed" }, { type: "job.question" }]);
    });

    it("what the webhook does not want is not recorded", async () => {
      const { lease } = await world().start({ ...hooked(), webhook: { url: "https://a.example/", on: ["end"] } });
      await world().store.ask(lease, { key: "q", question, at: t0 });
      expect(await list()).toEqual([]);
    });

    it("a job without a webhook is never recorded", async () => {
      for (const status of terminalStatuses) await world().finish(status);
      expect(await list()).toEqual([]);
      expect(await claim()).toEqual({ claims: [] });
    });

    it("an end that follows from another job's is recorded too", async () => {
      const { job: parent, lease } = await world().start({ kind: "parent" });
      const child = await world().submit(hooked(undefined, { parent: parent.id }));
      const dependent = await world().submit(hooked(undefined, { dependsOn: [parent.id] }));
      await world().store.settle(lease, outcomes.failed, { now: t0 });
      expect(await list()).toMatchObject(
        [dependent, child].map(({ id }) => ({ jobId: id, type: "job.cancelled", state: "pending" })),
      );
    });

    it("a claim tells all that the sender needs, and the job as its event left it", async () => {
      const { id, lastSeq } = await world().finish("failed", hooked());
      await world().store.retry(id, { at: t0 });
      expect(await claimOne()).toMatchObject({
        job: { id, state: { status: "failed" } },
        seq: lastSeq,
        target: 0,
        format: "webhook",
        type: "job.failed",
        host: "a.example",
        url: "https://a.example/hook?token=hidden",
        secret,
        attempt: 1,
        tries: 1,
      });
    });

    it("what is claimed is not claimed again until its lease ends, nor what is not due yet", async () => {
      await world().finish("failed", hooked());
      const first = await claimOne();
      expect(await claim({ now: t0 + 20 * second - 1 })).toEqual({ claims: [], nextAt: t0 + 20 * second });
      const second_ = await claimOne(t0 + 20 * second);
      expect(second_).toMatchObject({ seq: first.seq, attempt: 2, tries: 2 });
      expect(await world().store.settleDelivery(first, { state: "delivered", at: t0, status: 200 })).toBe(false);
      const nextAt = t0 + day;
      expect(
        await world().store.settleDelivery(second_, { state: "pending", nextAt, error: "down", status: 500 }),
      ).toBe(true);
      expect(await list()).toMatchObject([
        { state: "pending", attempts: 2, nextAt, lastError: "down", lastStatus: 500 },
      ]);
      expect(await claim({ now: t0 + 30 * second })).toEqual({ claims: [], nextAt });
    });

    it("a full host leaves room for the others, however much waits for it", async () => {
      for (let job = 0; job < 20; job++) await world().finish("succeeded", hooked("https://full.example/"));
      await world().finish("succeeded", hooked("https://b.example/"));
      const hosts = ({ claims }: DeliveryClaims): string[] => claims.map(({ host }) => host).toSorted();
      const { claims } = await claim({ perHost: 2 });
      expect(hosts({ claims })).toEqual(["b.example", "full.example", "full.example"]);
      expect(hosts(await claim({ perHost: 2 }))).toEqual([]);
      await world().store.settleDelivery(present(claims.find(({ host }) => host === "full.example")), {
        state: "delivered",
        at: t0,
      });
      expect(hosts(await claim({ perHost: 2 }))).toEqual(["full.example"]);
      await world().finish("succeeded", hooked("https://z.example/"));
      expect(hosts(await claim({ perHost: 3, max: 1 }))).toEqual(["z.example"]);
    });

    it("what is under way to a host counts whoever has claimed it, until its lease ends", async () => {
      for (let job = 0; job < 6; job++) await world().finish("succeeded", hooked());
      const counts = await Promise.all([1, 2, 3].map(async () => (await claim({ perHost: 2 })).claims.length));
      expect(counts.reduce((sum, count) => sum + count)).toBe(2);
      expect((await claim({ perHost: 2, now: t0 + 20 * second })).claims).toHaveLength(2);
    });

    it("what was delivered is done, with its time", async () => {
      await world().finish("succeeded", hooked());
      const claimed = await claimOne();
      expect(await world().store.settleDelivery(claimed, { state: "delivered", at: t0 + 1, status: 204 })).toBe(true);
      expect(await world().store.settleDelivery(claimed, { state: "failed", error: "late" })).toBe(false);
      expect(await list()).toMatchObject([{ state: "delivered", deliveredAt: t0 + 1, lastStatus: 204, attempts: 1 }]);
      expect(await claim({ now: t0 + day })).toEqual({ claims: [] });
    });

    it("a clock that is set back does not put off what is to be delivered", async () => {
      await world().finish("failed", hooked());
      const first = await claimOne();
      await world().store.settleDelivery(first, { state: "pending", nextAt: t0 + second, error: "no" });
      expect((await claim({ now: t0 - day })).claims).toHaveLength(1);
    });

    it("an attempt that was cut short does not count as a try", async () => {
      await world().finish("succeeded", hooked());
      await world().store.settleDelivery(await claimOne(), { state: "released", nextAt: t0 });
      expect(await claimOne()).toMatchObject({ attempt: 2, tries: 1 });
    });

    it("what is recorded survives a restart, and so does that it was claimed", async () => {
      await world().finish("succeeded", hooked());
      const { seq } = await claimOne();
      await world().restart();
      if (!world().store.capabilities.isExclusive) return;
      expect(await claimOne()).toMatchObject({ seq, attempt: 2, tries: 1, secret });
    });

    it("a receiver that is gone gets no more of that job, and all of the others", async () => {
      const { lease } = await world().start(hooked());
      for (const key of ["a", "b"]) await world().store.ask(lease, { key, question, at: t0 });
      await world().store.settleDelivery(await claimOne(), { state: "gone", at: t0, status: 410 });
      await world().store.settle(lease, outcomes.failed, { now: t0 });
      expect(await list()).toMatchObject([
        { type: "job.question", state: "gone" },
        { type: "job.question", state: "gone", lastStatus: 410 },
      ]);
      const other = await world().finish("failed", hooked());
      expect((await claim()).claims).toMatchObject([{ job: { id: other.id } }]);
    });

    it("redelivering makes what was given up pending again, as if it had never been tried", async () => {
      const { id } = await world().finish("failed", hooked());
      await world().store.settleDelivery(await claimOne(), { state: "gone", at: t0, status: 410 });
      const seq = present((await world().store.listDeliveries({}, { limit: 1 })).deliveries[0]).seq;
      expect(await world().store.redeliver(id, undefined, t0 + 5)).toEqual([{ seq, target: 0 }]);
      expect(await world().store.redeliver(id, undefined, t0 + 5)).toEqual([]);
      expect(await claimOne(t0 + 5)).toMatchObject({ seq, attempt: 2, tries: 1 });
      await world().store.retry(id, { at: t0 });
      await world().store.cancel(id, { reason: "enough", at: t0 });
      expect(await list({ state: "pending" })).toMatchObject([{ type: "job.cancelled" }, { type: "job.failed" }]);
    });

    it("redelivering one works whatever became of it, unless it is under way or unknown", async () => {
      const { id, lastSeq } = await world().finish("failed", hooked());
      const claimed = await claimOne();
      expect(await world().store.redeliver(id, { seq: lastSeq, target: 0 }, t0)).toEqual([]);
      await world().store.settleDelivery(claimed, { state: "delivered", at: t0, status: 200 });
      expect(await world().store.redeliver(id, { seq: lastSeq + 1, target: 0 }, t0)).toEqual([]);
      expect(await world().store.redeliver(id, undefined, t0)).toEqual([]);
      expect(await world().store.redeliver(id, { seq: lastSeq, target: 0 }, t0)).toEqual([{ seq: lastSeq, target: 0 }]);
      expect(await list()).toMatchObject([{ state: "pending", nextAt: t0 }]);
    });

    it("each of those who are notified has a delivery of its own, beside the webhook's", async () => {
      const { id, lastSeq } = await world().finish("failed", { ...hooked(), ...telling() });
      const common = { jobId: id, seq: lastSeq, type: "job.failed", state: "pending" };
      expect(await list()).toMatchObject([
        { ...common, target: 2, url: "desktop" },
        { ...common, target: 1, url: "ntfy+https://a.example/…" },
        { ...common, target: 0, url: "https://a.example/hook" },
      ]);
      const { claims } = await claim();
      expect(claims.map(({ target, format, host, url }) => [target, format, host, url])).toEqual([
        [0, "webhook", "a.example", "https://a.example/hook?token=hidden"],
        [2, "desktop", "desktop", "desktop:"],
        [1, "ntfy", "a.example", "https://a.example/hidden-topic"],
      ]);
      const pages = [await world().store.listDeliveries({}, { limit: 2 })];
      pages.push(await world().store.listDeliveries({}, { limit: 2, cursor: present(pages[0]?.cursor) }));
      expect(pages.map(({ deliveries }) => deliveries.map(({ target }) => target))).toEqual([[2, 1], [0]]);
    });

    it("what becomes of one delivery says nothing of the others of its event", async () => {
      const { id, lastSeq } = await world().finish("failed", telling());
      const [desktop, ntfy] = (await claim()).claims.toSorted((a, b) => b.target - a.target);
      await world().store.settleDelivery(present(desktop), { state: "delivered", at: t0 });
      await world().store.settleDelivery(present(ntfy), { state: "gone", at: t0, status: 410 });
      expect(await list()).toMatchObject([{ state: "delivered" }, { state: "gone", lastStatus: 410 }]);
      await world().store.retry(id, { at: t0 });
      await world().store.cancel(id, { reason: "enough", at: t0 });
      expect(await list({ state: "pending" })).toMatchObject([{ type: "job.cancelled", target: 2 }]);
      const key = { seq: lastSeq, target: 1 };
      expect(await world().store.redeliver(id, key, t0)).toEqual([key]);
      expect(await list({ state: "pending" })).toMatchObject([{ target: 2 }, key]);
    });

    it("a job that falls silent is recorded for those who want to know, once for each silence", async () => {
      const { lease } = await world().start({ ...hooked(), ...telling() });
      await world().store.stall(lease, t0 - 1, t0);
      await world().store.stall(lease, t0 - 1, t0);
      expect(await list()).toMatchObject([
        { type: "job.stalled", target: 2 },
        { type: "job.stalled", target: 1 },
      ]);
    });

    it("an end is not recorded for those who want to be told only of jobs that took longer", async () => {
      const notify = { to: ["desktop"], on: ["end", "question"] as const, afterMs: 10 * second };
      const targets = [{ format: "desktop", url: "desktop:" }] as const;
      for (const tookMs of [9 * second, 10 * second]) {
        const { lease } = await world().start({ notify, targets });
        await world().store.settle(lease, outcomes.succeeded, { now: t0 + tookMs });
      }
      expect(await list()).toMatchObject([{ type: "job.succeeded", createdAt: t0 + 10 * second }]);
    });

    it("lists by job, owner and state, newest first, page by page", async () => {
      const jobs = [];
      for (const owner of ["ann", "bob", "ann"])
        jobs.push(await world().finish("failed", hooked(undefined, { owner })));
      const [first, second_, third] = jobs.map(({ id }) => id);
      const ids = async (filter: object): Promise<unknown[]> =>
        ((await list(filter)) as { jobId: string }[]).map(({ jobId }) => jobId);
      expect(await ids({})).toEqual([third, second_, first]);
      expect(await ids({ owner: "ann" })).toEqual([third, first]);
      expect(await ids({ job: second_ })).toEqual([second_]);
      expect(await ids({ job: second_, owner: "ann" })).toEqual([]);
      await world().store.settleDelivery(await claimOne(), { state: "failed", error: "no" });
      expect(await ids({ state: "failed" })).toEqual([first]);
      const page = await world().store.listDeliveries({}, { limit: 2 });
      const { cursor } = page;
      expect(page.deliveries.map(({ jobId }) => jobId)).toEqual([third, second_]);
      const rest = await world().store.listDeliveries({}, { limit: 2, cursor: present(cursor) });
      expect(rest).toMatchObject({ deliveries: [{ jobId: first }] });
      expect(rest.cursor).toBeUndefined();
      await expect(world().store.listDeliveries({}, { limit: 2, cursor: "x" })).rejects.toMatchObject({
        code: "invalid_input",
      });
    });

    it("a hint tells that there is something to deliver, and no other job rings it", async () => {
      const hints: Hint["type"][] = [];
      world().store.subscribe(({ type }) => hints.push(type));
      await world().finish("succeeded");
      await until(() => hints.filter((type) => type === "job-changed").length >= 3);
      expect(hints).not.toContain("delivery-due");
      const { id, lastSeq } = await world().finish("succeeded", hooked());
      const count = (): number => hints.filter((type) => type === "delivery-due").length;
      await until(() => count() === 1);
      await world().store.redeliver(id, { seq: lastSeq, target: 0 }, t0);
      await until(() => count() === 2);
    });

    it("a job is kept beyond its retention while a delivery is pending, and then removed with its deliveries", async () => {
      const { id } = await world().finish("succeeded", hooked());
      expect(await world().store.purge(t0 + 2 * day, 10)).toBe(0);
      await world().store.settleDelivery(await claimOne(), { state: "failed", error: "no" });
      expect(await world().store.purge(t0 + 2 * day, 10)).toBe(1);
      expect(await world().store.get(id)).toBeUndefined();
      expect(await list()).toEqual([]);
      expect(await list({ job: id })).toEqual([]);
      expect(await world().store.redeliver(id, undefined, t0)).toEqual([]);
    });
  });
}
