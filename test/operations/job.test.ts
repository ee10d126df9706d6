import { describe, expect, it } from "vitest";
import type { Actor, Engine, Job, SubmitRequest } from "../../src/index.ts";
import type { JobView } from "../../src/operations/job-view.ts";
import { Puppet, type StartedJob } from "../engine/puppet.ts";
import { refusal, untilStatus, useWorld } from "../engine/world.ts";
import { until } from "../until.ts";
import { call } from "./call.ts";

const world = useWorld();

interface Page {
  readonly jobs: JobView[];
  readonly cursor?: string;
}

async function list(engine: Engine, input: object = {}, actor: Actor = {}): Promise<Page> {
  return (await call(engine, "job_list", input, actor)) as Page;
}

async function listIds(engine: Engine, input: object = {}, actor: Actor = {}): Promise<string[]> {
  return (await list(engine, input, actor)).jobs.map(({ id }) => id);
}

function submit(engine: Engine, request: Partial<SubmitRequest> = {}): Promise<Job> {
  return engine.submit({ kind: "puppet", input: {}, ...request });
}

async function start(request: Partial<SubmitRequest> = {}): Promise<StartedJob> {
  const puppet = new Puppet();
  return puppet.start(await world().open([puppet.kind]), request);
}

describe("job_get", () => {
  it("shows a running job with its input and what only the live work tells", async () => {
    const { engine, id, attempt } = await start({
      input: { label: "x" },
      name: "build",
      tags: ["a", "b"],
      batch: "b1",
    });
    attempt.context.serve({ inspect: async () => ({ pid: 7, ports: [80] }) });
    attempt.context.progress({ percent: 50, phase: "half", counts: { done: 1, total: 2 } });
    await engine.wait(id, { until: { phase: "half" } });
    expect(await call(engine, "job_get", { id })).toEqual({
      id,
      kind: "puppet",
      state: "running",
      name: "build",
      owner: "local",
      batch: "b1",
      tags: ["a", "b"],
      attempt: 1,
      attempts: 1,
      created_at: expect.stringMatching(/^\d{4}-.*Z$/) as string,
      started_at: expect.stringMatching(/^\d{4}-.*Z$/) as string,
      progress: { percent: 50, phase: "half", done: 1, total: 2 },
      live: { pid: 7, ports: [80] },
      input: { label: "x" },
      limits: { grace_ms: expect.any(Number) as number },
    });
  });

  it("shows the result of a job that has succeeded, and no live facts any more", async () => {
    const { engine, id, attempt } = await start();
    attempt.context.serve({ inspect: async () => ({ pid: 7 }) });
    attempt.succeed({ answer: [42, null] });
    await untilStatus(engine, id, "succeeded");
    const shown = await call(engine, "job_get", { id });
    expect(shown).toMatchObject({ state: "succeeded", result: { answer: [42, null] } });
    expect(shown).toHaveProperty("finished_at");
    expect(shown).toHaveProperty("expires_at");
    expect(shown).not.toHaveProperty("live");
    expect(shown).not.toHaveProperty("error");
  });

  it("shows why a job has failed", async () => {
    const { engine, id, attempt } = await start();
    attempt.fail(new Error("no disk"));
    await untilStatus(engine, id, "failed");
    const shown = (await call(engine, "job_get", { id })) as JobView & { result?: unknown };
    expect(shown).toMatchObject({ state: "failed", error: { message: expect.stringContaining("no disk") as string } });
    expect(shown.result).toBeUndefined();
  });

  it("shows the open questions of a job, not those that were answered", async () => {
    const { engine, id, attempt } = await start();
    const form = { type: "object" as const, properties: { city: { type: "string" as const } } };
    const asking = [
      attempt.context.ask({ message: "Where to?", form }, "where"),
      attempt.context.ask({ message: "Sure?" }, "sure"),
    ];
    await until(async () => (await engine.questions(id)).length === 2);
    const shown = (await call(engine, "job_get", { id })) as JobView & { result?: unknown };
    expect(shown.state).toBe("waiting");
    expect(shown.questions).toHaveLength(2);
    const askedAt = { asked_at: expect.stringMatching(/^\d{4}-.*Z$/) as string };
    expect(shown.questions).toContainEqual({ key: "where", message: "Where to?", form, ...askedAt });
    expect(shown.questions).toContainEqual({ key: "sure", message: "Sure?", ...askedAt });
    await call(engine, "job_answer", { id, key: "where", answer: { action: "accept", content: { city: "Oslo" } } });
    expect(await call(engine, "job_get", { id })).toMatchObject({ questions: [{ key: "sure" }] });
    await call(engine, "job_answer", { id, answer: { action: "decline" } });
    expect(await call(engine, "job_get", { id })).not.toHaveProperty("questions");
    expect(await Promise.all(asking)).toMatchObject([{ action: "accept" }, { action: "decline" }]);
  });

  it("says why a job is still queued", async () => {
    const puppet = new Puppet({ concurrency: 1 });
    const engine = await world().open([puppet.kind]);
    await submit(engine);
    const { id } = await submit(engine);
    expect(await call(engine, "job_get", { id })).toMatchObject({
      state: "queued",
      reason: '1 of 1 slots for "puppet" are taken',
    });
    const later = await submit(engine, { delayMs: 3_600_000 });
    expect(await call(engine, "job_get", { id: later.id })).toMatchObject({
      reason: expect.stringMatching(/is due in/) as string,
      run_at: expect.any(String) as string,
    });
  });

  it("shows a kind's live facts as absent when it has none", async () => {
    const { engine, id } = await start();
    expect(await call(engine, "job_get", { id })).not.toHaveProperty("live");
  });
});

describe("job_list", () => {
  it("lists the newest first, 20 unless told", async () => {
    const engine = await world().open([new Puppet().kind]);
    const jobs = await engine.submitMany(Array.from({ length: 25 }, () => ({ kind: "puppet", input: {} })));
    const newestFirst = jobs.map(({ id }) => id).toReversed();
    expect(await listIds(engine)).toEqual(newestFirst.slice(0, 20));
    expect(await listIds(engine, { limit: 3 })).toEqual(newestFirst.slice(0, 3));
  });

  it("tells why jobs are queued, and what they ask, where it is to explain", async () => {
    const puppet = new Puppet();
    const { engine, id, attempt } = await puppet.start(await world().open([puppet.kind], { concurrency: 1 }));
    void attempt.context.ask({ message: "Sure?" }, "sure").catch(() => undefined);
    await untilStatus(engine, id, "waiting");
    await engine.pause("puppet");
    const [first, second] = await engine.submitMany([
      { kind: "puppet", input: {} },
      { kind: "puppet", input: {} },
    ]);
    expect((await list(engine, { explain: true })).jobs).toMatchObject([
      { id: second?.id, reason: 'kind "puppet" is paused', jobs_ahead: 1 },
      { id: first?.id, reason: 'kind "puppet" is paused', jobs_ahead: 0 },
      { id, questions: [{ key: "sure", message: "Sure?" }] },
    ]);
    expect((await list(engine)).jobs[0]).not.toHaveProperty("reason");
  });

  it("goes on where the page before ended, until there is no cursor any more", async () => {
    const engine = await world().open([new Puppet().kind]);
    const jobs = await engine.submitMany(Array.from({ length: 7 }, () => ({ kind: "puppet", input: {} })));
    const seen: string[] = [];
    const sizes: number[] = [];
    let cursor: string | undefined;
    do {
      const page = await list(engine, { limit: 3, cursor });
      seen.push(...page.jobs.map(({ id }) => id));
      sizes.push(page.jobs.length);
      cursor = page.cursor;
    } while (cursor !== undefined);
    expect(seen).toEqual(jobs.map(({ id }) => id).toReversed());
    expect(sizes).toEqual([3, 3, 1]);
  });

  it("filters by state, kind, batch, tag, name, text and time, and by several of them together", async () => {
    const [puppet, other] = [new Puppet(), new Puppet({ name: "other" })];
    const engine = await world().open([puppet.kind, other.kind]);
    const a = await submit(engine, { name: "alpha", batch: "b1", tags: ["red"], input: { label: "zebra" } });
    const b = await submit(engine, { kind: "other", name: "beta", batch: "b1", tags: ["red", "blue"] });
    const c = await submit(engine, { delayMs: 3_600_000, name: "gamma" });
    const ids = (filter: object): Promise<string[]> => listIds(engine, filter);
    expect(await ids({ state: ["queued"] })).toEqual([c.id]);
    expect(await ids({ state: ["queued", "running"] })).toEqual([c.id, b.id, a.id]);
    expect(await ids({ kind: "other" })).toEqual([b.id]);
    expect(await ids({ batch: "b1" })).toEqual([b.id, a.id]);
    expect(await ids({ tag: "blue" })).toEqual([b.id]);
    expect(await ids({ name: "gamma" })).toEqual([c.id]);
    expect(await ids({ text: "zebra" })).toEqual([a.id]);
    expect(await ids({ text: "beta" })).toEqual([b.id]);
    expect(await ids({ tag: "red", kind: "puppet", batch: "b1" })).toEqual([a.id]);
    expect(await ids({ created_from: "2000-01-01T00:00:00Z" })).toEqual([c.id, b.id, a.id]);
    expect(await ids({ created_before: "2000-01-01T00:00:00+02:00" })).toEqual([]);
    expect(await ids({ kind: "nothing" })).toEqual([]);
  });

  it("shows nobody the jobs of another owner", async () => {
    const engine = await world().open([new Puppet().kind]);
    const ann = await submit(engine, { owner: "ann" });
    const bob = await submit(engine, { owner: "bob" });
    expect(await listIds(engine, {}, { owner: "ann" })).toEqual([ann.id]);
    expect(await listIds(engine)).toEqual([bob.id, ann.id]);
  });
});

describe("job_count", () => {
  it("counts by kind and state, in a batch if one is given, and only the caller's own", async () => {
    const [puppet, other] = [new Puppet(), new Puppet({ name: "other" })];
    const engine = await world().open([puppet.kind, other.kind]);
    expect(await call(engine, "job_count")).toMatchObject({ counts: [], total: 0 });
    await engine.submitMany([
      { kind: "puppet", input: {}, delayMs: 3_600_000, batch: "b1" },
      { kind: "puppet", input: {}, delayMs: 3_600_000 },
      { kind: "other", input: {}, delayMs: 3_600_000, owner: "ann" },
    ]);
    const all = (await call(engine, "job_count")) as { counts: object[] };
    expect(all.counts).toHaveLength(2);
    expect(all.counts).toContainEqual({ kind: "puppet", state: "queued", count: 2 });
    expect(all.counts).toContainEqual({ kind: "other", state: "queued", count: 1 });
    expect(await call(engine, "job_count", { batch: "b1" })).toEqual({
      counts: [{ kind: "puppet", state: "queued", count: 1 }],
      total: 1,
    });
    expect(await call(engine, "job_count", {}, { owner: "ann" })).toEqual({
      counts: [{ kind: "other", state: "queued", count: 1 }],
      total: 1,
    });
  });

  it("counts what a filter leaves, by its fields or as one text, and no jobs of others", async () => {
    const engine = await world().open([new Puppet().kind]);
    const ann = { kind: "puppet", input: {}, owner: "ann", delayMs: 3_600_000, tags: ["a", "b"] };
    await engine.submitMany([ann, { ...ann, tags: ["a"] }, { ...ann, owner: "bob" }]);
    const total = async (input: object, actor: Actor = {}): Promise<number> =>
      ((await call(engine, "job_count", input, actor)) as { total: number }).total;
    expect(await total({ tag: "a" })).toBe(3);
    expect(await total({ tag: ["a", "b"], owner: "ann" })).toBe(1);
    expect(await total({ q: "tag:a tag:b state:queued kind:puppet,other" })).toBe(2);
    expect(await total({ owner: "bob" }, { owner: "ann" })).toBe(0);
    expect(await total({ q: "tag:a owner:bob" }, { owner: "ann" })).toBe(0);
    expect(await total({ state: ["running"] })).toBe(0);
    await expect(call(engine, "job_count", { q: "tag:a", tag: "b" })).rejects.toMatchObject(
      refusal("invalid_input", /^tag is given twice/),
    );
  });
});

describe("job_events", () => {
  it("tells what happened after a sequence number, as many as wanted", async () => {
    const { engine, id, attempt } = await start();
    attempt.context.log("hello");
    attempt.succeed();
    await untilStatus(engine, id, "succeeded");
    const read = async (input: object): Promise<{ seq: number; type: string }[]> => {
      const answer = await call(engine, "job_events", { id, ...input });
      return (answer as { events: { seq: number; type: string }[] }).events;
    };
    const all = await read({});
    expect(all.map(({ type }) => type)).toContain("message-logged");
    expect(all.length).toBeGreaterThanOrEqual(4);
    const [first, second] = all;
    expect(await read({ limit: 1 })).toEqual([first]);
    expect(await read({ after: first?.seq, limit: 1 })).toEqual([second]);
    expect(await read({ after: all.at(-1)?.seq })).toEqual([]);
  });
});

describe("job_send", () => {
  it.each([
    [{ text: "yes" }, "yes\n"],
    [{ text: "yes\n" }, "yes\n"],
    [{ text: "" }, "\n"],
    [{ text: "yes", newline: false }, "yes"],
    [{ text: "größe" }, "größe\n"],
  ])("of %j hands over %j and tells how many bytes that are", async (input, sent) => {
    const { engine, id, attempt } = await start();
    const received: string[] = [];
    attempt.context.serve({ send: async (text) => void received.push(text) });
    expect(await call(engine, "job_send", { id, ...input })).toEqual({ id, sent: Buffer.byteLength(sent) });
    expect(received).toEqual([sent]);
  });

  it("leaves on record who sent how much, and not what", async () => {
    const { engine, id, attempt } = await start();
    attempt.context.serve({ send: async () => undefined });
    await engine.send(id, "hunter2\n", { by: "ada (http)" });
    await until(async () => (await engine.events(id)).at(-1)?.type === "text-sent");
    const events = await engine.events(id);
    expect(events.at(-1)).toMatchObject({ bytes: 8, by: "ada (http)" });
    expect(JSON.stringify(events)).not.toContain("hunter2");
  });

  it("to a job that takes no input, or has ended, is refused", async () => {
    const { engine, id, attempt } = await start();
    const send = (): Promise<unknown> => call(engine, "job_send", { id, text: "x" });
    await expect(send()).rejects.toMatchObject(refusal("conflict", /it takes no input\.$/));
    attempt.succeed();
    await untilStatus(engine, id, "succeeded");
    await expect(send()).rejects.toMatchObject(refusal("conflict", /it has succeeded\.$/));
  });
});

describe("job_answer", () => {
  const accept = { action: "accept" };

  it("needs no key for the only open question", async () => {
    const { engine, id, attempt } = await start();
    const asking = attempt.context.ask({ message: "Sure?" });
    await untilStatus(engine, id, "waiting");
    expect(await call(engine, "job_answer", { id, answer: accept })).toMatchObject({ id, state: "running" });
    expect(await asking).toEqual({ action: "accept", content: {} });
  });

  it("needs a key where several questions are open, and names them", async () => {
    const { engine, id, attempt } = await start();
    const asking = [attempt.context.ask({ message: "A?" }, "a"), attempt.context.ask({ message: "B?" }, "b")];
    await until(async () => (await engine.questions(id)).length === 2);
    await expect(call(engine, "job_answer", { id, answer: accept })).rejects.toMatchObject(
      refusal("invalid_input", /asks more than one question: give the key \(a, b\)\.$/),
    );
    expect(await call(engine, "job_answer", { id, key: "b", answer: accept })).toMatchObject({
      state: "waiting",
      questions: [{ key: "a" }],
    });
    expect(await call(engine, "job_answer", { id, key: "a", answer: accept })).toMatchObject({ state: "running" });
    await Promise.all(asking);
  });

  it("to a job that has ended is refused with that", async () => {
    const { engine, id, attempt } = await start();
    attempt.succeed();
    await untilStatus(engine, id, "succeeded");
    for (const key of [undefined, "x"]) {
      await expect(call(engine, "job_answer", { id, key, answer: accept })).rejects.toMatchObject(
        refusal("conflict", /has ended \(it has succeeded\), so it asks nothing any more\.$/),
      );
    }
  });

  it("to a job that asks nothing, or not that, is refused", async () => {
    const { engine, id } = await start();
    await expect(call(engine, "job_answer", { id, answer: accept })).rejects.toMatchObject(
      refusal("invalid_input", /has no open question\.$/),
    );
    await expect(call(engine, "job_answer", { id, key: "x", answer: accept })).rejects.toMatchObject(
      refusal("not_found", /has not asked a question "x"/),
    );
  });

  it("that does not fit the form is refused and the question stays open", async () => {
    const { engine, id, attempt } = await start();
    const form = { type: "object" as const, properties: { city: { type: "string" as const } }, required: ["city"] };
    const asking = attempt.context.ask({ message: "Where?", form }, "where");
    await untilStatus(engine, id, "waiting");
    await expect(
      call(engine, "job_answer", { id, answer: { action: "accept", content: { city: 5 } } }),
    ).rejects.toMatchObject(refusal("invalid_input", /"city" must be a string, got 5/));
    expect(await call(engine, "job_get", { id })).toMatchObject({ state: "waiting" });
    await call(engine, "job_answer", { id, answer: { action: "cancel" } });
    expect(await asking).toEqual({ action: "cancel" });
  });
});

describe.each(["job_cancel", "job_retry"])("the targets of %s", (verb) => {
  it.each([{}, { ids: ["x"], filter: { kind: "puppet" } }])("are either ids or a filter, not %j", async (input) => {
    const { engine, id } = await start({ name: "x" });
    await expect(call(engine, verb, input)).rejects.toMatchObject(
      refusal("invalid_input", /^Say which jobs: give either ids or a filter\.$/),
    );
    expect(await call(engine, "job_get", { id })).toMatchObject({ state: "running" });
  });

  it("are not every job because the filter is empty", async () => {
    const { engine, id } = await start();
    await expect(call(engine, verb, { filter: {} })).rejects.toMatchObject(
      refusal("invalid_input", /^The filter is empty: say which jobs/),
    );
    expect(await call(engine, "job_get", { id })).toMatchObject({ state: "running" });
  });

  it("are none if one of the ids is unknown", async () => {
    const { engine, id } = await start();
    await expect(call(engine, verb, { ids: [id, "nobody"] })).rejects.toMatchObject(refusal("not_found", /"nobody"/));
    expect(await call(engine, "job_get", { id })).toMatchObject({ state: "running" });
  });
});

describe("job_cancel", () => {
  it("by ids cancels those, keeps the reason and leaves finished jobs as they are", async () => {
    const { engine, puppet, id, attempt } = await start();
    attempt.succeed();
    await untilStatus(engine, id, "succeeded");
    const queued = await submit(engine, { delayMs: 3_600_000, name: "later" });
    const running = await submit(engine);
    await puppet.next();
    const answer = await call(engine, "job_cancel", { ids: [id, "later", running.id], reason: "not needed" });
    expect(answer).toMatchObject({
      jobs: [
        { id, state: "succeeded" },
        { id: queued.id, state: "cancelled", reason: "not needed" },
        { id: running.id, state: "running", cancel_requested: true },
      ],
    });
    await untilStatus(engine, running.id, "cancelled");
    expect(await call(engine, "job_get", { id: running.id })).toMatchObject({ reason: "not needed" });
  });

  it("by a filter cancels what matches and has not ended, and nothing of another owner", async () => {
    const engine = await world().open([new Puppet().kind]);
    const later = { kind: "puppet", input: {}, delayMs: 3_600_000, batch: "b1" };
    const jobs = await engine.submitMany([later, later, { ...later, owner: "ann" }, { ...later, batch: "b2" }]);
    await engine.cancel(jobs[0]?.id ?? "", "before");
    const answer = await call(engine, "job_cancel", { filter: { batch: "b1" } }, { owner: "local" });
    expect((answer as Page).jobs.map(({ id }) => id)).toEqual([jobs[1]?.id]);
    const states = await Promise.all(jobs.map(async ({ id }) => (await engine.get(id)).state.status));
    expect(states).toEqual(["cancelled", "cancelled", "queued", "queued"]);
  });

  it("by a filter reaches more jobs than one page holds", async () => {
    const engine = await world().open([new Puppet().kind]);
    const later = { kind: "puppet", input: {}, delayMs: 3_600_000, batch: "b1" };
    await engine.submitMany(Array.from({ length: 1_100 }, () => later));
    const answer = await call(engine, "job_cancel", { filter: { batch: "b1", state: ["queued"] } });
    expect((answer as Page).jobs).toHaveLength(1_100);
    expect(await call(engine, "job_count")).toMatchObject({
      counts: [{ kind: "puppet", state: "cancelled", count: 1_100 }],
    });
  });

  it("by a filter reaches all jobs that match, however many, and says how many: so does job_retry", async () => {
    const engine = await world().open([new Puppet({ concurrency: 1 }).kind]);
    await engine.pause("puppet");
    const job = { kind: "puppet", input: {}, batch: "b1" };
    for (let n = 0; n < 11; n++) await engine.submitMany(Array.from({ length: 1_000 }, () => job));
    const cancelled = await call(engine, "job_cancel", { filter: { batch: "b1" } });
    expect(cancelled).toMatchObject({ count: 11_000, jobs: { length: 10_000 } });
    const counts = (state: string): object => ({ counts: [{ kind: "puppet", state, count: 11_000 }] });
    expect(await call(engine, "job_count")).toMatchObject(counts("cancelled"));
    expect(await call(engine, "job_retry", { filter: { batch: "b1" } })).toMatchObject({ count: 11_000 });
    expect(await call(engine, "job_count")).toMatchObject(counts("queued"));
  }, 60_000);

  it("by a filter that names only states of finished jobs changes nothing", async () => {
    const { engine, id } = await start();
    expect(await call(engine, "job_cancel", { filter: { state: ["failed"] } })).toEqual({ count: 0, jobs: [] });
    expect(await call(engine, "job_get", { id })).toMatchObject({ state: "running" });
  });
});

describe("job_retry", () => {
  it("by ids runs a failed job again as a new attempt of the same job", async () => {
    const { engine, puppet, id, attempt } = await start();
    attempt.fail(new Error("no disk"));
    await untilStatus(engine, id, "failed");
    expect(await call(engine, "job_retry", { ids: [id] })).toMatchObject({ jobs: [{ id, attempt: 2 }] });
    (await puppet.next()).succeed("fine");
    await untilStatus(engine, id, "succeeded");
    expect(await call(engine, "job_get", { id })).toMatchObject({ attempt: 2, result: "fine" });
  });

  it("by a filter retries what failed or was cancelled, not what succeeded or still runs", async () => {
    const { engine, puppet, id: failed, attempt } = await start({ batch: "b1" });
    attempt.fail(new Error("no disk"));
    const succeeded = await submit(engine, { batch: "b1" });
    (await puppet.next()).succeed();
    const cancelled = await submit(engine, { batch: "b1", delayMs: 3_600_000 });
    await engine.cancel(cancelled.id);
    const running = await submit(engine, { batch: "b1" });
    await puppet.next();
    await engine.wait([failed, succeeded.id]);
    const answer = await call(engine, "job_retry", { filter: { batch: "b1" } });
    expect((answer as Page).jobs.map(({ id }) => id)).toEqual([cancelled.id, failed]);
    expect(await call(engine, "job_get", { id: succeeded.id })).toMatchObject({ state: "succeeded", attempt: 1 });
    expect(await call(engine, "job_get", { id: running.id })).toMatchObject({ state: "running", attempt: 1 });
  });
});
