import { describe, expect, it } from "vitest";
import { z } from "zod";
import { defineKind, isJobId, type Engine, type Job, type SubmitRequest } from "../../src/index.ts";
import { turns } from "./fake-clock.ts";
import { Puppet } from "./puppet.ts";
import { eventTypes, refusal, statusOf, untilStatus, useWorld } from "./world.ts";

const world = useWorld();

const greet = defineKind({
  name: "greet",
  onInterrupt: "restart",
  input: z.object({ name: z.string(), times: z.int().min(1).default(1) }),
  run: async ({ name, times }) => ({ greeting: Array.from({ length: times }, () => `Hello ${name}`).join(", ") }),
});

const circle: { self?: unknown } = {};
circle.self = circle;
const neverCreated = "01890000-0000-7000-8000-000000000000";

async function openPaused(...puppets: Puppet[]): Promise<Engine> {
  const engine = await world().open([greet, ...puppets.map(({ kind }) => kind)]);
  await engine.pause("greet");
  for (const { kind } of puppets) await engine.pause(kind.name);
  return engine;
}

function ids(jobs: readonly Job[]): string[] {
  return jobs.map(({ id }) => id);
}

describe("submitting one job", () => {
  it("returns the stored job, which then runs to its result", async () => {
    const engine = await world().open([greet]);
    const job = await engine.submit({ kind: "greet", input: { name: "Ada" } });
    expect(isJobId(job.id)).toBe(true);
    expect(job).toMatchObject({ kind: "greet", owner: "local", tags: [], dependsOn: [], priority: 0 });
    await engine.wait(job.id);
    expect(await engine.result(job.id)).toEqual({ greeting: "Hello Ada" });
    expect(await eventTypes(engine, job.id)).toEqual(["job-submitted", "attempt-started", "job-finished"]);
  });

  it("is durable: the job is still there when the folder is opened again", async () => {
    const engine = await openPaused();
    const { id } = await engine.submit({ kind: "greet", input: { name: "Ada" } });
    const reopened = await world().reopen();
    expect(await statusOf(reopened, id)).toBe("queued");
    await reopened.resume("greet");
    expect((await reopened.wait(id)).isReached).toBe(true);
  });

  it("keeps the input as it came, and applies the schema's defaults when it runs", async () => {
    const engine = await world().open([greet]);
    const { id } = await engine.submit({ kind: "greet", input: { name: "Ada" } });
    await engine.wait(id);
    expect(await engine.input(id)).toEqual({ name: "Ada" });
  });

  it("keeps owner, name, tags, batch and priority, and records who submitted", async () => {
    const engine = await openPaused();
    const facts = { owner: "team", name: "morning", tags: ["a", "b"], batch: "b1", priority: 7 };
    const { id } = await engine.submit({ kind: "greet", input: { name: "Ada" }, by: "Grace", ...facts });
    expect(await engine.get(id)).toMatchObject(facts);
    expect(await engine.events(id)).toMatchObject([{ type: "job-submitted", by: "Grace", seq: 1 }]);
  });

  it("does not start a delayed job before its time, and then starts it", async () => {
    const puppet = new Puppet();
    const engine = await world().openTimed([puppet.kind]);
    const { id } = await engine.submit({ kind: "puppet", input: {}, delayMs: 60_000 });
    await world().clock.advance(59_999);
    expect(puppet.started).toEqual([]);
    expect(await statusOf(engine, id)).toBe("queued");
    await world().clock.advance(1);
    await puppet.next();
    expect(await statusOf(engine, id)).toBe("running");
  });

  it("starts a delayed job whose time came while no engine was open", async () => {
    const puppet = new Puppet();
    const engine = await world().openTimed([puppet.kind]);
    await engine.submit({ kind: "puppet", input: { label: "late" }, delayMs: 60_000 });
    await world().stop();
    world().clock.jump(60_000);
    await world().openTimed([puppet.kind]);
    expect((await puppet.next()).label).toBe("late");
  });

  it("runs jobs of higher priority first, and those of equal priority in the order they came", async () => {
    const puppet = new Puppet({ concurrency: 1 });
    const engine = await openPaused(puppet);
    for (const [label, priority] of [
      ["a", 0],
      ["b", 5],
      ["c", -5],
      ["d", 5],
      ["e", 0],
    ] as const) {
      await engine.submit({ kind: "puppet", input: { label }, priority });
    }
    await engine.resume("puppet");
    for (let count = 0; count < 5; count++) (await puppet.next()).succeed();
    expect(puppet.started).toEqual(["b", "d", "a", "e", "c"]);
  });
});

describe("submitting many jobs", () => {
  it("returns them in the order of the requests, whatever they depend on", async () => {
    const engine = await openPaused();
    const jobs = await engine.submitMany([
      { kind: "greet", input: { name: "last" }, name: "last", dependsOn: ["first", "second"] },
      { kind: "greet", input: { name: "second" }, name: "second", ref: "second", dependsOn: ["first"] },
      { kind: "greet", input: { name: "first" }, name: "first", ref: "first" },
    ]);
    expect(jobs.map(({ name }) => name)).toEqual(["last", "second", "first"]);
    expect(jobs[0]?.dependsOn).toEqual([jobs[2]?.id, jobs[1]?.id]);
  });

  it("starts them in the order of the requests", async () => {
    const puppet = new Puppet({ concurrency: 1 });
    const engine = await world().open([puppet.kind]);
    const labels = Array.from({ length: 20 }, (_, index) => `job ${index}`);
    await engine.submitMany(labels.map((label) => ({ kind: "puppet", input: { label } })));
    for (const label of labels) {
      const attempt = await puppet.next();
      expect(attempt.label).toBe(label);
      attempt.succeed();
    }
  });

  it("takes an empty list and creates nothing", async () => {
    const engine = await world().open([greet]);
    expect(await engine.submitMany([])).toEqual([]);
    expect(await engine.count()).toEqual([]);
  });

  it("creates none of them when the store refuses one", async () => {
    const engine = await openPaused();
    await engine.submit({ kind: "greet", input: { name: "Ada" }, idempotencyKey: "k" });
    const refused = engine.submitMany([
      { kind: "greet", input: { name: "before" } },
      { kind: "greet", input: { name: "Grace" }, idempotencyKey: "k" },
      { kind: "greet", input: { name: "after" } },
    ]);
    await expect(refused).rejects.toMatchObject(refusal("conflict"));
    expect(await engine.count()).toEqual([{ kind: "greet", status: "queued", count: 1 }]);
  });
});

describe("an idempotency key", () => {
  it("makes the same request return the same job, also when the input's fields come in another order", async () => {
    const engine = await openPaused();
    const first = await engine.submit({ kind: "greet", input: { name: "Ada", times: 2 }, idempotencyKey: "k" });
    const again = await engine.submit({ kind: "greet", input: { times: 2, name: "Ada" }, idempotencyKey: "k" });
    expect(again).toEqual(first);
    expect(await engine.count()).toEqual([{ kind: "greet", status: "queued", count: 1 }]);
  });

  it("returns the job as it is by now, also after its end and after a restart", async () => {
    const engine = await world().open([greet]);
    const request = { kind: "greet", input: { name: "Ada" }, idempotencyKey: "k" };
    const { id } = await engine.submit(request);
    await engine.wait(id);
    const reopened = await world().reopen();
    expect(await reopened.submit(request)).toMatchObject({ id, state: { status: "succeeded", attempt: 1 } });
  });

  it("is refused with another input, and creates nothing", async () => {
    const engine = await openPaused();
    const { id } = await engine.submit({ kind: "greet", input: { name: "Ada" }, idempotencyKey: "k" });
    const refused = engine.submit({ kind: "greet", input: { name: "Grace" }, idempotencyKey: "k" });
    await expect(refused).rejects.toMatchObject({ ...refusal("conflict", /"k" belongs to job/), details: { job: id } });
    expect(await engine.count()).toEqual([{ kind: "greet", status: "queued", count: 1 }]);
  });

  it("is refused with another kind", async () => {
    const puppet = new Puppet();
    const engine = await openPaused(puppet);
    await engine.submit({ kind: "greet", input: { name: "Ada" }, idempotencyKey: "k" });
    const refused = engine.submit({ kind: "puppet", input: { name: "Ada" }, idempotencyKey: "k" });
    await expect(refused).rejects.toMatchObject(refusal("conflict"));
  });

  it("belongs to its owner: another owner's same key makes another job", async () => {
    const engine = await openPaused();
    const request = { kind: "greet", input: { name: "Ada" }, idempotencyKey: "k" };
    const mine = await engine.submit({ ...request, owner: "me" });
    const yours = await engine.submit({ ...request, owner: "you" });
    expect(yours.id).not.toBe(mine.id);
  });

  it("makes one job of two equal requests in one call", async () => {
    const engine = await openPaused();
    const request = { kind: "greet", input: { name: "Ada" }, idempotencyKey: "k" };
    const [first, second] = await engine.submitMany([request, request]);
    expect(second?.id).toBe(first?.id);
  });

  it("makes one job of requests that come at the same time", async () => {
    const engine = await openPaused();
    const request = { kind: "greet", input: { name: "Ada" }, idempotencyKey: "k" };
    const jobs = await Promise.all(Array.from({ length: 10 }, () => engine.submit(request)));
    expect(new Set(ids(jobs)).size).toBe(1);
  });
});

describe("finding jobs", () => {
  it("lists and counts the jobs of a batch", async () => {
    const engine = await openPaused();
    const batch = await engine.submitMany([
      { kind: "greet", input: { name: "a" }, batch: "b1" },
      { kind: "greet", input: { name: "b" }, batch: "b1" },
    ]);
    await engine.submit({ kind: "greet", input: { name: "c" }, batch: "b2" });
    expect(ids((await engine.list({ batch: "b1" })).jobs)).toEqual(ids(batch).toReversed());
    expect(await engine.count({ batch: "b1" })).toEqual([{ kind: "greet", status: "queued", count: 2 }]);
  });

  it("lists jobs by tag, by name and by words of their input", async () => {
    const engine = await openPaused();
    const [tagged, named, worded] = await engine.submitMany([
      { kind: "greet", input: { name: "one" }, tags: ["nightly", "nightly", "slow"] },
      { kind: "greet", input: { name: "two" }, name: "report" },
      { kind: "greet", input: { name: "zebra crossing" } },
    ]);
    expect((await engine.list({ tags: ["nightly"] })).jobs).toEqual([tagged]);
    expect((await engine.list({ name: "report" })).jobs).toEqual([named]);
    expect((await engine.list({ text: "zebra cross" })).jobs).toEqual([worded]);
  });

  it("pages through a list, newest first, by its cursor", async () => {
    const engine = await openPaused();
    const all = await engine.submitMany(Array.from({ length: 5 }, () => ({ kind: "greet", input: { name: "Ada" } })));
    const first = await engine.list({}, { limit: 3 });
    const second = await engine.list({}, { limit: 3, cursor: first.cursor ?? "" });
    expect([...ids(first.jobs), ...ids(second.jobs)]).toEqual(ids(all).toReversed());
    expect(second.cursor).toBeUndefined();
  });

  it("finds an id by its last characters, within what the owner may see", async () => {
    const engine = await openPaused();
    const { id } = await engine.submit({ kind: "greet", input: { name: "Ada" }, owner: "me" });
    expect(await engine.findId(id.slice(-8))).toBe(id);
    expect(await engine.findId(id.slice(-8).toUpperCase(), { owner: "me" })).toBe(id);
    await expect(engine.findId(id.slice(-8), { owner: "you" })).rejects.toMatchObject(refusal("not_found"));
    await expect(engine.findId("not an id")).rejects.toMatchObject(refusal("not_found"));
  });

  it("refuses the end of an id that more than one job has", async () => {
    const engine = await openPaused();
    const request = { kind: "greet", input: { name: "Ada" } };
    const jobs = await engine.submitMany(Array.from({ length: 17 }, () => request));
    const ends = ids(jobs).map((id) => id.slice(-1));
    const shared = ends.find((end, index) => ends.indexOf(end) !== index) ?? "";
    await expect(engine.findId(shared)).rejects.toMatchObject(refusal("conflict", /give more of it/));
  });
});

describe("bad input", () => {
  const good: SubmitRequest = { kind: "greet", input: { name: "Ada" } };
  const cases: [rule: string, requests: SubmitRequest[], code: Parameters<typeof refusal>[0], message: RegExp][] = [
    ["an unknown kind", [{ kind: "nope", input: {} }], "unknown_kind", /no kind "nope"; known kinds: greet/],
    [
      "an input field of the wrong type",
      [{ kind: "greet", input: { name: 5 } }],
      "invalid_input",
      /^name must be a string, got 5\./,
    ],
    ["a missing input field", [{ kind: "greet", input: {} }], "invalid_input", /name is missing: it must be a string/],
    [
      "an input field out of range",
      [{ kind: "greet", input: { name: "Ada", times: 0 } }],
      "invalid_input",
      /times must be at least 1, got 0/,
    ],
    [
      "an input that is not an object",
      [{ kind: "greet", input: "Ada" }],
      "invalid_input",
      /The input must be an object, got "Ada"/,
    ],
    [
      "an input that is missing",
      [{ kind: "greet", input: undefined }],
      "invalid_input",
      /The input is missing: it must be an object/,
    ],
    ["a negative delay", [{ ...good, delayMs: -1 }], "invalid_input", /delayMs must be at least 0, got -1/],
    ["a fractional delay", [{ ...good, delayMs: 0.5 }], "invalid_input", /delayMs must be a whole number, got 0\.5/],
    [
      "a field that no request has",
      [{ ...good, delay: 5 } as SubmitRequest],
      "invalid_input",
      /delay is not a field of the request/,
    ],
    [
      "a limit that does not exist",
      [{ ...good, limits: { maxMs: 5 } as object }],
      "invalid_input",
      /limits\.maxMs is not a field of the request/,
    ],
    [
      "no attempts at all",
      [{ ...good, limits: { attempts: 0 } }],
      "invalid_input",
      /limits\.attempts must be at least 1, got 0/,
    ],
    ["an empty tag", [{ ...good, tags: ["ok", ""] }], "invalid_input", /tags\[1\] must not be empty/],
    [
      "an unknown ref",
      [{ ...good, dependsOn: ["nobody"] }],
      "invalid_input",
      /"nobody", which is neither a job id nor the ref/,
    ],
    ["a dependency that never existed", [{ ...good, dependsOn: [neverCreated] }], "not_found", /to depend on/],
    [
      "a ref that two requests have",
      [
        { ...good, ref: "a" },
        { ...good, ref: "a" },
      ],
      "invalid_input",
      /Two requests have the ref "a"/,
    ],
    ["a job that depends on itself", [{ ...good, ref: "a", dependsOn: ["a"] }], "invalid_input", /in a circle/],
    [
      "jobs that depend on each other in a circle",
      [
        { ...good, name: "free" },
        { ...good, name: "one", ref: "a", dependsOn: ["c"] },
        { ...good, name: "two", ref: "b", dependsOn: ["a"] },
        { ...good, name: "three", ref: "c", dependsOn: ["b"] },
      ],
      "invalid_input",
      /in a circle \(one, two, three\)/,
    ],
    ["one bad request after good ones", [good, good, { kind: "nope", input: {} }], "unknown_kind", /nope/],
  ];

  it.each(cases)("refuses %s and creates nothing", async (_rule, requests, code, message) => {
    const engine = await world().open([greet]);
    await expect(engine.submitMany(requests)).rejects.toMatchObject(refusal(code, message));
    expect(await engine.count()).toEqual([]);
  });

  it("keeps no label with the character NUL in it, which not every store can, and looks for none", async () => {
    const engine = await openPaused();
    for (const field of ["name", "batch", "key", "idempotencyKey", "owner"]) {
      const request = { kind: "greet", input: { name: "Ada" }, [field]: "a\0b" };
      const message = new RegExp(`^${field} must not contain the character NUL`);
      await expect(engine.submit(request)).rejects.toMatchObject(refusal("invalid_input", message));
    }
    const tagged = { kind: "greet", input: { name: "Ada" }, tags: ["a", "\0"] };
    await expect(engine.submit(tagged)).rejects.toMatchObject(refusal("invalid_input", /^tags\[1\] must not/));
    for (const filter of [{ name: "\0" }, { tag: "a\0" }, { batch: "\0b" }]) {
      await expect(engine.list(filter)).rejects.toMatchObject(
        refusal("invalid_input", /must not contain the character NUL/),
      );
    }
    expect((await engine.list({ text: "a\0b" })).jobs).toEqual([]);
    expect((await engine.list()).jobs).toEqual([]);
  });

  it("names the field that does not fit in the error's details", async () => {
    const engine = await world().open([greet]);
    const refused = engine.submit({ ...good, limits: { backoff: { initialMs: -1, factor: 2, maxMs: 1, jitter: 0 } } });
    await expect(refused).rejects.toMatchObject({ details: { field: "limits.backoff.initialMs" } });
  });

  it.each([
    ["a number too big for JSON", 1n],
    ["a function", () => undefined],
    ["an object that contains itself", circle],
  ])("refuses an input that is not JSON: %s", async (_rule, value) => {
    const loose = defineKind({ name: "loose", onInterrupt: "restart", input: z.unknown(), run: async () => null });
    const engine = await world().open([loose]);
    await expect(engine.submit({ kind: "loose", input: value })).rejects.toMatchObject(refusal("invalid_input"));
    expect(await engine.count()).toEqual([]);
  });

  it("refuses an input of more than a megabyte, unless told otherwise", async () => {
    const engine = await world().open([greet]);
    const wrapping = JSON.stringify({ name: "" }).length;
    const largest = { kind: "greet", input: { name: "x".repeat(1_000_000 - wrapping) } };
    const tooLarge = { kind: "greet", input: { name: "x".repeat(1_000_001 - wrapping) } };
    await expect(engine.submit(tooLarge)).rejects.toMatchObject({
      ...refusal("too_large", /has 1000001 bytes; at most 1000000 are allowed/),
      details: { bytes: 1_000_001, limit: 1_000_000 },
    });
    expect(await engine.count()).toEqual([]);
    const { id } = await engine.submit(largest);
    expect(await engine.input(id)).toEqual(largest.input);
  });

  it("takes the limit of the input's size from the options, and counts bytes, not characters", async () => {
    const engine = await world().open([greet], { maxInputBytes: 20 });
    await engine.submit({ kind: "greet", input: { name: "123456789" } });
    const refused = engine.submit({ kind: "greet", input: { name: "ääääääää" } });
    await expect(refused).rejects.toMatchObject(refusal("too_large", /has 27 bytes; at most 20/));
  });

  it("lets a kind have a limit of its own for the size, and time limits that follow from the input", async () => {
    const timed = defineKind({
      name: "timed",
      input: z.object({ ms: z.int() }),
      onInterrupt: "restart",
      maxInputBytes: 30,
      limits: { idleMs: 5 },
      limitsOf: ({ ms }) => ({ runMs: ms }),
      run: async () => "x",
    });
    const engine = await world().open([timed], { maxInputBytes: 1 });
    const submit = (input: object, limits = {}): Promise<Job> => engine.submit({ kind: "timed", input, limits });
    expect((await submit({ ms: 70 })).limits).toMatchObject({ runMs: 70, idleMs: 5 });
    expect((await submit({ ms: 70 }, { runMs: 80 })).limits).toMatchObject({ runMs: 80 });
    await expect(submit({ ms: 1, more: "x".repeat(30) })).rejects.toMatchObject(refusal("too_large", /at most 30/));
  });

  it("refuses two kinds of one name when the engine is opened, and leaves the folder free", async () => {
    await expect(world().open([greet, greet])).rejects.toMatchObject(
      refusal("conflict", /Two kinds are named "greet"/),
    );
    await world().open([greet]);
  });
});

describe("an id that nobody can find", () => {
  const verbs: [verb: string, call: (engine: Engine, id: string, owner: string) => Promise<unknown>][] = [
    ["get", (engine, id, owner) => engine.get(id, { owner })],
    ["input", (engine, id, owner) => engine.input(id, { owner })],
    ["result", (engine, id, owner) => engine.result(id, { owner })],
    ["events", (engine, id, owner) => engine.events(id, 0, 10, { owner })],
    ["follow", (engine, id, owner) => engine.follow(id, { owner }).next()],
    ["readOutput", (engine, id, owner) => engine.readOutput(id, {}, { owner })],
    ["outputSizes", (engine, id, owner) => engine.outputSizes(id, 1, { owner })],
    ["wait", (engine, id, owner) => engine.wait(id, { owner })],
    ["cancel", (engine, id, owner) => engine.cancel(id, "no", { owner })],
    ["retry", (engine, id, owner) => engine.retry(id, { owner })],
    ["questions", (engine, id, owner) => engine.questions(id, { owner })],
    ["answer", (engine, id, owner) => engine.answer(id, "key", { action: "decline" }, { owner })],
    ["diagnose", (engine, id, owner) => engine.diagnose(id, { owner })],
  ];

  it.each(verbs)(
    "is refused by %s alike when it never existed, is no id at all, or belongs to somebody else",
    async (_verb, call) => {
      const engine = await openPaused();
      const { id: foreign } = await engine.submit({ kind: "greet", input: { name: "Ada" }, owner: "you" });
      for (const id of [neverCreated, "nonsense", foreign]) {
        const unknown = { ...refusal("not_found"), message: `There is no job ${id}.` };
        await expect(call(engine, id, "me")).rejects.toMatchObject(unknown);
      }
      expect(await statusOf(engine, foreign)).toBe("queued");
    },
  );

  it("says of an expired job when it went, but only to its owner", async () => {
    const { clock } = world();
    const engine = await world().openTimed([greet]);
    const { id } = await engine.submit({ kind: "greet", input: { name: "Ada" }, owner: "me" });
    await untilStatus(engine, id, "succeeded");
    clock.jump(25 * 3_600_000);
    expect(await engine.prune()).toBe(1);
    const removedAt = new Date(clock.now()).toISOString();
    const expired = refusal("expired", new RegExp(`has expired.*removed at ${removedAt}`));
    await expect(engine.get(id)).rejects.toMatchObject(expired);
    await expect(engine.get(id, { owner: "me" })).rejects.toMatchObject(expired);
    await expect(engine.get(id, { owner: "you" })).rejects.toMatchObject(refusal("not_found"));
  });

  it("leaves a foreign job untouched by what was refused", async () => {
    const puppet = new Puppet();
    const engine = await world().open([puppet.kind]);
    const { id } = await engine.submit({ kind: "puppet", input: {}, owner: "you" });
    const attempt = await puppet.next();
    await expect(engine.cancel(id, "mine now", { owner: "me" })).rejects.toMatchObject(refusal("not_found"));
    await turns();
    expect(attempt.context.signal.aborted).toBe(false);
  });
});
