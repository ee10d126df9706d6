import { beforeEach, describe, expect, it } from "vitest";
import type { Actor, Engine, Job } from "../../src/index.ts";
import { Puppet } from "./puppet.ts";
import { refusal, useWorld } from "./world.ts";

const world = useWorld();
let engine: Engine;
let job: Job;
let puppet: Puppet;

beforeEach(async () => {
  puppet = new Puppet();
  engine = await world().open([puppet.kind, new Puppet({ name: "other" }).kind]);
  job = await engine.submit({ kind: "puppet", input: {}, name: "work" }, { owner: "ada", by: "ada (http)" });
  await puppet.next();
});

type Act = (actor: Actor) => Promise<unknown>;

const reads: Record<string, Act> = {
  get: (actor) => engine.get(job.id, actor),
  input: (actor) => engine.input(job.id, actor),
  events: (actor) => engine.events(job.id, 0, 10, actor),
  follow: (actor) => engine.follow(job.id, actor).next(),
  readOutput: (actor) => engine.readOutput(job.id, {}, actor),
  outputSizes: (actor) => engine.outputSizes(job.id, 1, actor),
  wait: (actor) => engine.wait(job.id, { timeoutMs: 0, ...actor }),
  inspect: (actor) => engine.inspect(job.id, actor),
  silentMs: (actor) => engine.silentMs(job.id, actor),
  questions: (actor) => engine.questions(job.id, actor),
  diagnose: (actor) => engine.diagnose(job.id, actor),
  findId: (actor) => engine.findId(job.id.slice(-12), actor),
};

const steering: Record<string, Act> = {
  cancel: (actor) => engine.cancel(job.id, "no more", actor),
  retry: (actor) => engine.retry(job.id, actor),
  send: (actor) => engine.send(job.id, "text", actor),
  feed: (actor) => engine.feed(job.id, { bytes: Buffer.from("text") }, actor),
  resize: (actor) => engine.resize(job.id, { columns: 80, rows: 24 }, actor),
  answer: (actor) => engine.answer(job.id, "key", { action: "decline" }, actor),
};

const administration: Record<string, Act> = {
  pause: (actor) => engine.pause("puppet", actor),
  resume: (actor) => engine.resume("puppet", actor),
  prune: (actor) => engine.prune(actor),
  "tokens.create": (actor) => engine.tokens.create({ name: "new" }, actor),
  "tokens.list": (actor) => engine.tokens.list(actor),
  "tokens.revoke": (actor) => engine.tokens.revoke("new", actor),
};

describe("the scope", () => {
  it.each(Object.keys(reads))("read is enough for %s", async (name) => {
    await expect(reads[name]?.({ owner: "ada", scope: "read" })).resolves.not.toThrow();
  });

  it.each(Object.keys(steering))("read is too little for %s, and nothing happens", async (name) => {
    const { lastSeq } = await engine.get(job.id);
    await expect(steering[name]?.({ owner: "ada", scope: "read" })).rejects.toMatchObject(
      refusal("not_allowed", /needs the scope "run"; the token has "read"/),
    );
    expect(await engine.get(job.id)).toMatchObject({ lastSeq, state: { status: "running" } });
  });

  it("read is too little to submit, and nothing is made", async () => {
    const actor = { owner: "ada", scope: "read" } as const;
    await expect(engine.submit({ kind: "puppet", input: {} }, actor)).rejects.toMatchObject(refusal("not_allowed"));
    await expect(engine.submitMany([{ kind: "puppet", input: {} }], actor)).rejects.toMatchObject(
      refusal("not_allowed"),
    );
    expect((await engine.list()).jobs).toHaveLength(1);
  });

  it.each(Object.keys(administration))("run is too little for %s", async (name) => {
    await expect(administration[name]?.({ scope: "run" })).rejects.toMatchObject(
      refusal("not_allowed", /needs the scope "admin"; the token has "run"/),
    );
    expect([await engine.pausedKinds(), await engine.tokens.list()]).toEqual([[], []]);
  });
});

describe("another owner's job, and one of a kind that the token is not for", () => {
  const strangers: readonly [string, Actor][] = [
    ["another owner", { owner: "bob" }],
    ["another kind", { owner: "ada", kinds: ["other"] }],
  ];

  it.each(strangers)("looks as if it did not exist: %s", async (_name, actor) => {
    for (const act of [...Object.values(reads), ...Object.values(steering)]) {
      await expect(act(actor)).rejects.toMatchObject(refusal("not_found", /There is no job/));
    }
    expect((await engine.list({}, {}, actor)).jobs).toEqual([]);
    expect((await engine.list({ name: "work", owner: "ada" }, {}, actor)).jobs).toEqual([]);
    expect(await engine.count({}, actor)).toEqual([]);
    expect((await engine.list({}, {}, { owner: "ada", kinds: ["puppet"] })).jobs).toHaveLength(1);
  });

  it.each(strangers)("cannot be depended on, and nothing is made: %s", async (_name, actor) => {
    const request = { kind: "other", input: {}, dependsOn: [job.id] };
    await expect(engine.submit(request, actor)).rejects.toMatchObject(refusal("not_found"));
    expect((await engine.list()).jobs).toHaveLength(1);
    await expect(engine.submit(request, { owner: "ada" })).resolves.toMatchObject({ dependsOn: [job.id] });
  });

  it.each(strangers)("looks so also when it has expired: %s", async (_name, actor) => {
    const gone = await engine.submit(
      { kind: "puppet", input: {}, retention: { succeededMs: 0 } },
      { owner: "ada", by: "ada" },
    );
    (await puppet.next()).succeed();
    await engine.wait(gone.id);
    while ((await engine.prune()) === 0);
    await expect(engine.get(gone.id, { owner: "ada" })).rejects.toMatchObject(refusal("expired"));
    await expect(engine.get(gone.id, actor)).rejects.toMatchObject(refusal("not_found"));
  });
});

describe("kinds", () => {
  it("a token for some kinds starts those and no others", async () => {
    const actor = { owner: "ada", kinds: ["other"] };
    await expect(engine.submit({ kind: "puppet", input: {} }, actor)).rejects.toMatchObject(
      refusal("not_allowed", /^The token is not for kind "puppet", only for: other\.$/),
    );
    const both = [
      { kind: "other", input: {} },
      { kind: "puppet", input: {} },
    ];
    await expect(engine.submitMany(both, actor)).rejects.toMatchObject(refusal("not_allowed"));
    await expect(engine.pause("puppet", actor)).rejects.toMatchObject(refusal("not_allowed"));
    expect(await engine.submit({ kind: "other", input: {} }, actor)).toMatchObject({ kind: "other", owner: "ada" });
  });

  it("a barred kind can be seen and cancelled, but not started, run again or sent anything", async () => {
    const actor = { owner: "ada", barredKinds: ["puppet"] };
    const barred = refusal("not_allowed", /Kind "puppet" is not served to other machines/);
    await expect(engine.submit({ kind: "puppet", input: {} }, actor)).rejects.toMatchObject(barred);
    await expect(engine.send(job.id, "text", actor)).rejects.toMatchObject(barred);
    expect(await engine.get(job.id, actor)).toMatchObject({ id: job.id });
    await engine.cancel(job.id, "no more", actor);
    await engine.wait(job.id);
    await expect(engine.retry(job.id, actor)).rejects.toMatchObject(barred);
    expect(await engine.submit({ kind: "other", input: {} }, actor)).toMatchObject({ kind: "other" });
  });
});

describe("the record", () => {
  it("says who submitted, answered, cancelled and retried", async () => {
    const actor = { owner: "ada", by: "ada (mcp)" };
    const { id } = await engine.submit({ kind: "puppet", input: {}, owner: "bob", by: "bob" }, actor);
    const attempt = await puppet.next();
    const asked = attempt.context.ask({ message: "Which?" });
    await engine.wait(id, { until: "question" });
    const [question] = await engine.questions(id);
    await engine.answer(id, question?.key ?? "", { action: "decline" }, actor);
    await asked;
    await engine.cancel(id, "no more", actor);
    await engine.wait(id);
    await engine.retry(id, actor);
    const events = await engine.events(id, 0, 100);
    const caused = ["job-submitted", "question-answered", "cancel-requested", "job-retried"];
    expect(
      events
        .filter(({ type }) => caused.includes(type))
        .map((event) => ({ type: event.type, by: "by" in event ? event.by : "" })),
    ).toEqual(caused.map((type) => ({ type, by: "ada (mcp)" })));
    expect(await engine.get(id)).toMatchObject({ owner: "ada" });
  });

  it("says who cancelled a job that was queued", async () => {
    const { id } = await engine.submit({ kind: "puppet", input: {}, delayMs: 3_600_000 });
    await engine.cancel(id, "no more", { by: "ada (http)" });
    expect(JSON.stringify(await engine.events(id))).toContain('"by":"ada (http)"');
  });
});
