import { describe, expect, it } from "vitest";
import type { JobId } from "../../../src/job/id.ts";
import type { Claim, Hint, Store } from "../../../src/store/store.ts";
import { until } from "../../until.ts";
import { useEach } from "../../use-each.ts";
import { day, second, t0 } from "../drafts.ts";
import { outcomes, World, type OpenStore } from "../world.ts";

/** Two worlds on one store. */
type Pair = readonly [World, World];

/**
 * What many engines do at the same time. Where two can have the store open they do it through two stores on one database; where only one
 * can, the calls at least overlap.
 */
export function describeTogether(open: OpenStore): void {
  describe("two engines at once", () => {
    const pair = useEach(
      async (): Promise<Pair> => {
        const world = new World(await open());
        return [world, await world.other()];
      },
      ([world]) => world.cleanup(),
    );
    describeSharing(pair);
    describeSharingMany(pair);
    describeCounting(pair);
    describeRaces(pair);
    describeRounds(pair);
  });
}

function stores(pair: Pair): readonly [Store, Store] {
  return [pair[0].store, pair[1].store];
}

/** Calls through both, `times` each, all at once. */
function both<T>(pair: Pair, call: (world: World, index: number) => Promise<T>, times = 1): Promise<T[]> {
  return Promise.all(Array.from({ length: 2 * times }, (_, index) => call(pair[index % 2 === 0 ? 0 : 1], index)));
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0);
}

function idsOf(claims: readonly Claim[]): JobId[] {
  return claims.map(({ job }) => job.id).toSorted();
}

function describeSharing(pair: () => Pair): void {
  it("what one has stored the other sees, and may go on with", async () => {
    const [one, other] = pair();
    const { id } = await one.submit({ name: "shared", input: "needle" });
    const [claim] = await other.claim({ worker: "w2" });
    expect(claim?.job.id).toBe(id);
    expect(await one.job(id)).toEqual(claim?.job);
    expect((await one.store.list({ text: "needle" }, { limit: 9 })).jobs.map((job) => job.id)).toEqual([id]);
    expect((await other.store.list({ text: "needle" }, { limit: 9 })).jobs.map((job) => job.id)).toEqual([id]);
    await one.store.cancel(id, { reason: "not needed", at: t0 });
    if (claim === undefined) throw new Error("nothing was claimed");
    expect(await other.store.beat([claim.lease], t0 + second)).toEqual({
      lost: [],
      cancelled: [{ id, reason: "not needed" }],
    });
    await one.store.settle(claim.lease, outcomes.succeeded, { now: t0 });
    expect(await other.status(id)).toBe("cancelled");
    expect(await other.store.beat([claim.lease], t0 + second)).toEqual({ lost: [id], cancelled: [] });
  });

  it("each hears of what the other does", async () => {
    const [one, other] = pair();
    const hints: Hint[] = [];
    one.store.subscribe((hint) => hints.push(hint));
    const { job, lease } = await other.start();
    await other.store.cancel(job.id, { reason: "not needed", at: t0 });
    await other.store.settle(lease, outcomes.succeeded, { now: t0 });
    const { id } = await other.submit();
    await until(() => hints.some((hint) => hint.type === "job-changed" && hint.id === id));
    expect(hints).toContainEqual({ type: "job-ready" });
    expect(hints).toContainEqual({ type: "cancel-requested", id: job.id, reason: "not needed" });
    const statuses = hints.flatMap((hint) =>
      hint.type === "job-changed" && hint.id === job.id ? [[hint.seq, hint.status]] : [],
    );
    expect(statuses.at(-1)).toEqual([4, "cancelled"]);
  });

  it("a pause that one has made holds for the other, and so does its end", async () => {
    const [one, other] = pair();
    const { id } = await other.submit();
    await one.store.setPaused("work", true);
    expect(await other.claim()).toEqual([]);
    await other.store.setPaused("work", false);
    expect(await one.claimIds()).toEqual([id]);
  });

  it("an owner with one job waits through neither behind another's hundred", async () => {
    const [one, other] = pair();
    await one.submitMany(60, { owner: "ann" });
    await one.claim({ max: 20 });
    await other.submit({ owner: "bob" });
    const next = [...(await other.claim()), ...(await one.claim())];
    expect(next.map(({ job }) => job.owner)).toContain("bob");
  });
}

function describeSharingMany(pair: () => Pair): void {
  it("of many jobs that one changes at once the other hears of each, or that it has not", async () => {
    const [one, other] = pair();
    const heard = new Set<JobId>();
    let isLost = false;
    one.store.subscribe((hint) => {
      if (hint.type === "job-changed") heard.add(hint.id);
      isLost ||= hint.type === "hints-lost";
    });
    const jobs = await other.submitMany(400);
    await until(() => isLost || jobs.every(({ id }) => heard.has(id)));
    expect(isLost || heard.size >= 400).toBe(true);
  });
}

function describeCounting(pair: () => Pair): void {
  it("no job is claimed by both, and none by neither", async () => {
    const jobs = await pair()[0].submitMany(60);
    const claims = await both(
      pair(),
      async (world, index) => {
        const mine: Claim[] = [];
        for (;;) {
          const more = await world.claim({ max: 3, worker: `worker ${index}` });
          if (more.length === 0) return mine;
          mine.push(...more);
        }
      },
      4,
    );
    expect(idsOf(claims.flat())).toEqual(jobs.map(({ id }) => id).toSorted());
  });

  it("jobs that are created while both claim are claimed once", async () => {
    const [created, ...claims] = await Promise.all([
      both(pair(), (world) => world.submit(), 8),
      ...[0, 1, 0, 1].map((index) => pair()[index === 0 ? 0 : 1].claim({ max: 3 })),
    ]);
    const rest = await pair()[0].claim({ max: 99 });
    expect(idsOf([...claims.flat(), ...rest])).toEqual(created.map(({ id }) => id).toSorted());
  });

  it("no key is held more often than it may be, jobs that wait for an answer included", async () => {
    const [one, other] = pair();
    await one.store.limits("work", { perKey: 2 });
    await one.submitMany(12, { key: "a" });
    await other.submitMany(12, { key: "b" });
    const held: Claim[] = [];
    for (let round = 0; round < 6; round++) {
      const claims = (await both(pair(), (world) => world.claim({ max: 3 }), 2)).flat();
      held.push(...claims);
      for (const key of ["a", "b"]) expect(held.filter(({ job }) => job.key === key)).toHaveLength(2);
      const [first, second_] = held.splice(0, 2);
      if (first === undefined || second_ === undefined) throw new Error("too few are held");
      await other.store.ask(first.lease, { key: "q", question: { message: "Which?" }, at: t0 });
      expect(await one.claim({ max: 9 })).toEqual([]);
      await both(pair(), (world, index) =>
        world.store.settle((index === 0 ? first : second_).lease, outcomes.succeeded, { now: t0 }),
      );
    }
  });

  it("no more start within a window than the rate says, whichever of them starts them", async () => {
    const [one] = pair();
    await one.submitMany(40);
    await one.store.limits("work", { rate: { starts: 5, perMs: 10 * second } });
    const claim = async (now: number): Promise<number> =>
      sum(
        (await both(pair(), (world, index) => world.claim({ max: 2, now: now - index }), 4)).map(
          ({ length }) => length,
        ),
      );
    expect(await claim(t0)).toBe(5);
    expect(await claim(t0 + 9 * second)).toBe(0);
    expect(await claim(t0 + 10 * second + 10)).toBe(5);
  });

  it("deliveries are claimed by one of them, and no more of a host than it may have", async () => {
    const [one] = pair();
    const url = "https://a.example/";
    for (let job = 0; job < 6; job++) {
      await one.finish("succeeded", { webhook: { url, on: ["end"] }, kept: { url } });
    }
    const claim = async (now: number): Promise<string[]> =>
      (
        await both(pair(), (world) => world.store.claimDeliveries({ now, leaseMs: second, max: 4, perHost: 3 }), 3)
      ).flatMap(({ claims }) => claims.map(({ job, attempt }) => `${job.id} ${attempt}`));
    const first = await claim(t0);
    expect([first.length, new Set(first).size]).toEqual([3, 3]);
    expect(await claim(t0 + second - 1)).toEqual([]);
    expect(await claim(t0 + second)).toHaveLength(3);
  });

  it("a receiver that wants no more is told no more, also of what happens at that moment", async () => {
    const [one, other] = pair();
    const url = "https://a.example/";
    for (let round = 0; round < 8; round++) {
      const webhook = { url, on: ["end", "question"] } as const;
      const { job, lease } = await one.start({ webhook, kept: { url } });
      const ask = (key: string): Promise<unknown> =>
        one.store.ask(lease, { key, question: { message: "Which?" }, at: t0 });
      await ask("first");
      const { claims } = await other.store.claimDeliveries({ now: t0, leaseMs: second, max: 1, perHost: 9 });
      const [claim] = claims;
      if (claim === undefined) throw new Error("there is nothing to deliver");
      const asking = async (): Promise<void> => {
        for (let question = 0; question < 6; question++) await ask(String(question));
      };
      const ending = other.store.settleDelivery(claim, { state: "gone", at: t0, status: 410 });
      await Promise.all([asking(), ending]);
      const { deliveries } = await one.store.listDeliveries({ job: job.id }, { limit: 9 });
      expect(new Set(deliveries.map(({ state }) => state))).toEqual(new Set(["gone"]));
      await one.store.settle(lease, outcomes.succeeded, { now: t0 });
    }
  });

  it("requests of a token are counted together", async () => {
    const [one] = pair();
    await one.store.tokens.add({ id: "a1", name: "ci", digest: "00ff", scope: "run", createdAt: t0 });
    const takes = await both(pair(), ({ store }) => store.tokens.take("a1", { rate: "5/min", now: t0 }), 6);
    expect(takes.filter((waitMs) => waitMs === undefined)).toHaveLength(5);
  });
}

function describeRaces(pair: () => Pair): void {
  it("one job is made under an idempotency key, whoever asks", async () => {
    const created = await both(pair(), (world) => world.create({ idempotencyKey: "k", input: 1 }), 4);
    const [first] = created.flat();
    expect(new Set(created.flat().map(({ job }) => job.id))).toEqual(new Set([first?.job.id]));
    expect(created.flat().filter(({ isDuplicate }) => !isDuplicate)).toHaveLength(1);
    expect((await pair()[0].store.list({}, { limit: 9 })).jobs).toHaveLength(1);
  });

  it("a job ends once, a question is answered once, a mark is set once", async () => {
    const [one] = pair();
    const { job, lease } = await one.start();
    await one.store.ask(lease, { key: "q", question: { message: "Which?" }, at: t0 });
    const answers = await both(
      pair(),
      ({ store }) => store.answer(job.id, { key: "q", answer: { action: "decline" }, at: t0 }),
      3,
    );
    expect(answers.filter((answer) => answer === "answered")).toHaveLength(1);
    const ends = await both(pair(), ({ store }) => store.settle(lease, outcomes.failed, { now: t0 }), 3);
    expect(ends.filter((end) => end !== undefined)).toHaveLength(1);
    expect((await one.eventTypes(job.id)).filter((type) => type === "job-finished")).toHaveLength(1);
    const change = { before: undefined, now: t0, expiresAt: t0 + second };
    const marks = await both(
      pair(),
      ({ store }, index) => store.marks.replace("m", { ...change, value: String(index) }),
      3,
    );
    expect(marks.filter(Boolean)).toHaveLength(1);
  });

  it("a lost job is taken over once, by whoever is first", async () => {
    const { lease } = await pair()[0].start();
    const lost = { ...lease, before: t0 + day };
    const takers = await both(
      pair(),
      ({ store }, index) => store.adopt(lost, { worker: `w ${index}`, machine: "m1", now: t0, leaseMs: second }),
      3,
    );
    expect(takers.filter((taken) => taken !== undefined)).toHaveLength(1);
  });

  it("events have no gap and no double, whoever makes them", async () => {
    const { job, lease } = await pair()[0].start();
    await both(
      pair(),
      async ({ store }, index) => {
        if (index === 7) await store.cancel(job.id, { reason: "not needed", at: t0 });
        return store.append(lease, [{ type: "job-active-again" }, { type: "job-active-again" }], t0);
      },
      8,
    );
    const seqs = (await pair()[1].events(job.id)).map(({ seq }) => seq);
    expect(seqs).toEqual(Array.from({ length: 2 + 32 + 1 }, (_, index) => index + 1));
    expect((await pair()[0].job(job.id)).lastSeq).toBe(35);
  });

  it("a job that depends on one which is about to succeed, or fail, is never left waiting", async () => {
    const [one, other] = pair();
    for (let round = 0; round < 10; round++) {
      const isFailing = round % 3 === 2;
      const needed = await one.start({ kind: "needed" });
      const dependOn = (): Promise<JobId | undefined> =>
        other.submit({ dependsOn: [needed.job.id] }).then(
          ({ id }) => id,
          () => undefined,
        );
      const [dependent] = await Promise.all([
        dependOn(),
        one.store.settle(needed.lease, isFailing ? outcomes.failed : outcomes.succeeded, { now: t0 }),
      ]);
      const status = dependent === undefined ? "refused" : await other.status(dependent);
      expect(isFailing ? ["refused", "cancelled"] : ["queued"]).toContain(status);
      expect(await one.claimIds()).toEqual(isFailing ? [] : [dependent]);
    }
  });

  it("a job whose last two dependencies succeed at the same time is ready", async () => {
    const [one] = pair();
    for (let round = 0; round < 10; round++) {
      const needed = [await one.start({ kind: "needed" }), await one.start({ kind: "needed" })];
      const { id } = await one.submit({ dependsOn: needed.map(({ job }) => job.id) });
      await both(pair(), async ({ store }, index) => {
        const lease = needed[index]?.lease;
        if (lease !== undefined) await store.settle(lease, outcomes.succeeded, { now: t0 });
      });
      expect(await one.claimIds()).toEqual([id]);
    }
  });

  it("children of a job that fails end with it, also those that are claimed or cancelled meanwhile", async () => {
    const [one, other] = pair();
    const { job, lease } = await one.start({ kind: "parent" });
    const children = await one.submitMany(5, { parent: job.id });
    await Promise.all([
      other.store.settle(lease, outcomes.failed, { now: t0 }),
      ...children.slice(0, 2).map(({ id }) => one.store.cancel(id, { reason: "not needed", at: t0 })),
      other.claim({ max: 2 }),
    ]);
    for (const { state } of await Promise.all(children.map(({ id }) => one.job(id)))) {
      expect(state.status === "cancelled" || (state.status === "running" && state.cancelRequest !== undefined)).toBe(
        true,
      );
    }
  });
}

function describeRounds(pair: () => Pair): void {
  it("queued jobs whose time has passed end once, and all of them", async () => {
    const jobs = await pair()[0].submitMany(25, { limits: { queueMs: second } });
    const expire = async ({ store }: World): Promise<void> => {
      while ((await store.expireQueued(t0 + second, 4)) > 0);
    };
    await both(pair(), expire, 2);
    expect(new Set(await pair()[0].statuses(jobs))).toEqual(new Set(["timed_out"]));
    for (const { id } of jobs) expect(await pair()[1].eventTypes(id)).toEqual(["job-submitted", "job-finished"]);
  });

  it("jobs whose retention has ended are removed once, while others are retried", async () => {
    const [one] = pair();
    const jobs = await one.submitMany(25);
    await Promise.all(jobs.map(({ id }) => one.store.cancel(id, { reason: "not needed", at: t0 })));
    const saved = jobs[12]?.id ?? jobs[0]?.id;
    if (saved === undefined) throw new Error("there are no jobs");
    const purged: number[] = [];
    const purge = async ({ store }: World): Promise<void> => {
      for (;;) {
        const count = await store.purge(t0 + day, 4);
        purged.push(count);
        if (count === 0) return;
      }
    };
    const [retried] = await Promise.all([one.store.retry(saved, { at: t0 + day }), both(pair(), purge, 2)]);
    const isSaved = retried !== undefined;
    expect(sum(purged)).toBe(isSaved ? 24 : 25);
    expect(await one.store.get(saved)).toEqual(retried);
    expect((await one.store.list({}, { limit: 99 })).jobs).toHaveLength(isSaved ? 1 : 0);
  });

  it("upkeep and the search for lost jobs go on while others write", async () => {
    const [one, other] = pair();
    const tidy = async ({ store }: World): Promise<void> => {
      while (await store.tidy());
    };
    const { job } = await one.start({ kind: "lost" });
    const [, , lost] = await Promise.all([
      both(pair(), (world) => world.submit({ name: "needle" }), 6),
      both(pair(), tidy, 2),
      both(pair(), ({ store }) => store.lost({ before: t0 + day, kinds: ["lost"], limit: 5 }), 2),
    ]);
    expect(lost.map((jobs) => jobs.map(({ id }) => id))).toEqual(lost.map(() => [job.id]));
    const found = await Promise.all(stores(pair()).map((store) => store.list({ text: "needle" }, { limit: 99 })));
    expect(found.map(({ jobs }) => jobs.length)).toEqual([12, 12]);
    expect(await other.claim({ max: 99 })).toHaveLength(12);
  });

  it("a time of a schedule comes to one job", async () => {
    const [one] = pair();
    const schedule = {
      id: "a1",
      name: "nightly",
      owner: "ann",
      kind: "work",
      input: null,
      plan: { everyMs: second, from: t0 },
      missed: "once",
      overlap: true,
      isConfined: false,
      createdAt: t0,
      bounds: {},
      nextAt: t0 + second,
      revision: 1,
      plannedAt: t0,
      counts: { runs: 0, missed: 0, overlap: 0, refused: 0 },
    } as const;
    await one.store.schedules.add(schedule, { request: "{}" }, 10);
    const now = t0 + second;
    const fired = await both(
      pair(),
      ({ store, draft }) =>
        store.schedules.fire({
          id: "a1",
          revision: 1,
          now,
          due: [now],
          nextAt: now + second,
          jobs: { drafts: [draft({ schedule: { id: "a1", name: "nightly", plannedAt: now } })] },
        }),
      3,
    );
    expect(fired.filter((each) => each !== undefined)).toHaveLength(1);
    expect((await one.store.list({ schedule: "a1" }, { limit: 9 })).jobs).toHaveLength(1);
  });
}
