import { describe, expect, it } from "vitest";
import type { Answer, Question } from "../../src/index.ts";
import { Puppet, type StartedJob } from "./puppet.ts";
import { eventTypes, refusal, stateOf, statusOf, untilStatus, useWorld } from "./world.ts";

const world = useWorld();

const accepted: Answer = { action: "accept", content: {} };
const form: Question["form"] = {
  type: "object",
  properties: {
    city: { type: "string" },
    people: { type: "integer" },
    budget: { type: "number" },
    isUrgent: { type: "boolean" },
    colour: { type: "string", enum: ["red", "green"] },
    dates: { type: "array" },
  },
  required: ["city"],
};

async function start(): Promise<StartedJob> {
  const puppet = new Puppet({ onInterrupt: "resume" });
  return puppet.start(await world().open([puppet.kind]));
}

describe("asking", () => {
  it("makes the job wait, and the answer sets it running again and reaches the attempt", async () => {
    const { engine, id, attempt } = await start();
    const asking = attempt.context.ask({ message: "Where to?", form }, "where");
    await untilStatus(engine, id, "waiting");
    expect(await stateOf(engine, id, "waiting")).toMatchObject({ openQuestions: ["where"] });
    expect(await engine.questions(id)).toEqual([
      { key: "where", question: { message: "Where to?", form }, askedAt: expect.any(Number) as number },
    ]);
    const answer: Answer = { action: "accept", content: { city: "Oslo", people: 2 } };
    const job = await engine.answer(id, "where", answer, { by: "Grace" });
    expect(job.state.status).toBe("running");
    expect(await asking).toEqual(answer);
    expect(await engine.questions(id)).toMatchObject([
      { key: "where", answer, answeredAt: expect.any(Number) as number },
    ]);
    expect((await eventTypes(engine, id)).slice(2)).toEqual(["question-asked", "question-answered"]);
    expect((await engine.events(id)).at(-1)).toMatchObject({ key: "where", by: "Grace" });
  });

  it("two questions at once waits until both are answered, in whatever order", async () => {
    const { engine, id, attempt } = await start();
    const first = attempt.context.ask({ message: "First?" }, "first");
    const second = attempt.context.ask({ message: "Second?" }, "second");
    await untilStatus(engine, id, "waiting");
    expect((await stateOf(engine, id, "waiting")).openQuestions).toEqual(["first", "second"]);
    const job = await engine.answer(id, "second", { action: "decline" });
    expect(job.state).toMatchObject({ status: "waiting", openQuestions: ["first"] });
    expect(await second).toEqual({ action: "decline" });
    await engine.answer(id, "first", accepted);
    expect(await first).toEqual(accepted);
    expect(await statusOf(engine, id)).toBe("running");
  });

  it("gives each question a key of its own where the kind names none", async () => {
    const { engine, id, attempt } = await start();
    void attempt.context.ask({ message: "First?" }).catch(() => undefined);
    void attempt.context.ask({ message: "Second?" }).catch(() => undefined);
    await untilStatus(engine, id, "waiting");
    const keys = (await engine.questions(id)).map(({ key }) => key);
    expect(new Set(keys).size).toBe(2);
  });

  it("the same key twice returns the answer that was given", async () => {
    const { engine, id, attempt } = await start();
    const asking = attempt.context.ask({ message: "Sure?" }, "sure");
    await untilStatus(engine, id, "waiting");
    await engine.answer(id, "sure", accepted);
    await asking;
    expect(await attempt.context.ask({ message: "Sure?" }, "sure")).toEqual(accepted);
    expect(await statusOf(engine, id)).toBe("running");
  });

  it("is refused without a message, and the attempt may go on", async () => {
    const { engine, id, attempt } = await start();
    await expect(attempt.context.ask({ message: "" })).rejects.toMatchObject(refusal("invalid_input"));
    expect(await statusOf(engine, id)).toBe("running");
    expect(await engine.questions(id)).toEqual([]);
  });

  it("may be left unanswered: a job that ends meanwhile has ended, and takes no answer any more", async () => {
    const { engine, id, attempt } = await start();
    void attempt.context.ask({ message: "Sure?" }, "sure").catch(() => undefined);
    await untilStatus(engine, id, "waiting");
    attempt.succeed("without you");
    await untilStatus(engine, id, "succeeded");
    await expect(engine.answer(id, "sure", accepted)).rejects.toMatchObject(refusal("conflict", /has succeeded/));
  });
});

describe("an answer", () => {
  const bad: [rule: string, content: Extract<Answer, { action: "accept" }>["content"], message: RegExp][] = [
    ["lacks a required field", { people: 2 }, /"city" is required/],
    [
      "has a field that was not asked for",
      { city: "Oslo", age: 5 },
      /"age" is not asked for: the fields are city, people/,
    ],
    [
      "has text where a whole number belongs",
      { city: "Oslo", people: "two" },
      /"people" must be a whole number, got "two"/,
    ],
    [
      "has a fraction where a whole number belongs",
      { city: "Oslo", people: 1.5 },
      /"people" must be a whole number, got 1\.5/,
    ],
    ["has a number where text belongs", { city: 5 }, /"city" must be a string, got 5/],
    ["has text where a number belongs", { city: "Oslo", budget: "5" }, /"budget" must be a number, got "5"/],
    ["has text where yes or no belongs", { city: "Oslo", isUrgent: "yes" }, /"isUrgent" must be a boolean, got "yes"/],
    [
      "has a word that is not on the list",
      { city: "Oslo", colour: "blue" },
      /"colour" must be one of red, green, got "blue"/,
    ],
    ["has text where a list belongs", { city: "Oslo", dates: "now" }, /"dates" must be a list, got "now"/],
  ];
  it.each(bad)("that %s is refused, and the question stays open", async (_rule, content, message) => {
    const { engine, id, attempt } = await start();
    const asking = attempt.context.ask({ message: "Where to?", form }, "where");
    await untilStatus(engine, id, "waiting");
    const refused = engine.answer(id, "where", { action: "accept", content });
    await expect(refused).rejects.toMatchObject(refusal("invalid_input", message));
    expect(await statusOf(engine, id)).toBe("waiting");
    const good: Answer = {
      action: "accept",
      content: { city: "Oslo", colour: "red", dates: ["1 May"], isUrgent: true },
    };
    await engine.answer(id, "where", good);
    expect(await asking).toEqual(good);
  });

  it("of an unknown sort is refused", async () => {
    const { engine, id, attempt } = await start();
    void attempt.context.ask({ message: "Sure?" }, "sure").catch(() => undefined);
    await untilStatus(engine, id, "waiting");
    const refused = engine.answer(id, "sure", { action: "perhaps" } as unknown as Answer);
    await expect(refused).rejects.toMatchObject(refusal("invalid_input", /action/));
    expect(await statusOf(engine, id)).toBe("waiting");
  });

  it.each(["decline", "cancel"] as const)("may be to %s, whatever the form wants", async (action) => {
    const { engine, id, attempt } = await start();
    const asking = attempt.context.ask({ message: "Where to?", form }, "where");
    await untilStatus(engine, id, "waiting");
    await engine.answer(id, "where", { action });
    expect(await asking).toEqual({ action });
  });

  it("is taken once: a second one is refused and changes nothing", async () => {
    const { engine, id, attempt } = await start();
    const asking = attempt.context.ask({ message: "Sure?" }, "sure");
    await untilStatus(engine, id, "waiting");
    await engine.answer(id, "sure", { action: "decline" });
    await expect(engine.answer(id, "sure", accepted)).rejects.toMatchObject(
      refusal("conflict", /has already been answered/),
    );
    expect(await asking).toEqual({ action: "decline" });
    expect(await engine.questions(id)).toMatchObject([{ answer: { action: "decline" } }]);
  });

  it("is taken once also of two that come at the same time", async () => {
    const { engine, id, attempt } = await start();
    const asking = attempt.context.ask({ message: "Sure?" }, "sure");
    await untilStatus(engine, id, "waiting");
    const given = await Promise.allSettled([
      engine.answer(id, "sure", { action: "decline" }),
      engine.answer(id, "sure", accepted),
    ]);
    expect(given.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
    const isDeclined = given[0].status === "fulfilled";
    expect(await asking).toEqual(isDeclined ? { action: "decline" } : accepted);
  });

  it("to a question that was not asked is refused", async () => {
    const { engine, id } = await start();
    const refused = engine.answer(id, "nothing", accepted);
    await expect(refused).rejects.toMatchObject(refusal("not_found", /has not asked a question "nothing"/));
  });
});

describe("a question survives a restart of the engine", () => {
  it("open: the resumed attempt asks again under the same key, and is answered then", async () => {
    const { puppet, id, engine, attempt } = await start();
    void attempt.context.ask({ message: "Sure?" }).catch(() => undefined);
    await untilStatus(engine, id, "waiting");
    const [asked] = await engine.questions(id);
    const reopened = await world().reopen();
    const resumed = await puppet.next();
    const again = resumed.context.ask({ message: "Sure?" });
    await untilStatus(reopened, id, "waiting");
    expect(await reopened.questions(id)).toEqual([asked]);
    await reopened.answer(id, asked?.key ?? "", accepted);
    expect(await again).toEqual(accepted);
  });

  it("answered: the resumed attempt finds the answer", async () => {
    const { puppet, id, engine, attempt } = await start();
    const asking = attempt.context.ask({ message: "Sure?" });
    await untilStatus(engine, id, "waiting");
    const [asked] = await engine.questions(id);
    await engine.answer(id, asked?.key ?? "", accepted);
    await asking;
    const reopened = await world().reopen();
    expect(await (await puppet.next()).context.ask({ message: "Sure?" })).toEqual(accepted);
    expect(await statusOf(reopened, id)).toBe("running");
  });

  it("and may be answered while the job is back in the queue", async () => {
    const { puppet, id, engine, attempt } = await start();
    void attempt.context.ask({ message: "Sure?" }, "sure").catch(() => undefined);
    await untilStatus(engine, id, "waiting");
    await engine.pause("puppet");
    const reopened = await world().reopen();
    expect(await statusOf(reopened, id)).toBe("queued");
    await reopened.answer(id, "sure", accepted);
    await reopened.resume("puppet");
    expect(await (await puppet.next()).context.ask({ message: "Sure?" }, "sure")).toEqual(accepted);
  });
});
