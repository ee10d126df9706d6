import { beforeEach, describe, expect, it } from "vitest";
import type { Actor, Engine } from "../../src/index.ts";
import type { JobView } from "../../src/operations/job-view.ts";
import { Puppet } from "../engine/puppet.ts";
import { refusal, untilStatus, useWorld } from "../engine/world.ts";
import { call } from "./call.ts";

const world = useWorld();
let puppet = new Puppet();
beforeEach(() => {
  puppet = new Puppet();
});

interface Inbox {
  readonly waiting: JobView[];
  readonly finished: JobView[];
  readonly cursor?: string;
}

async function readInbox(engine: Engine, input: object = {}, actor?: Actor): Promise<Inbox> {
  return (await call(engine, "inbox_list", input, actor)) as Inbox;
}

async function finish(engine: Engine, request: object = {}): Promise<string> {
  const { id } = await engine.submit({ kind: "puppet", input: {}, ...request });
  (await puppet.next()).succeed();
  await untilStatus(engine, id, "succeeded");
  return id;
}

async function ask(engine: Engine, request: object = {}): Promise<string> {
  const { id } = await engine.submit({ kind: "puppet", input: {}, ...request });
  const { context, succeed, fail } = await puppet.next();
  void context.ask({ message: "Which branch?" }, "branch").then(succeed, fail);
  await untilStatus(engine, id, "waiting");
  return id;
}

describe("inbox_list", () => {
  it("lists open questions and the ends that nobody has looked at, for this machine's user", async () => {
    const engine = await world().open([puppet.kind]);
    expect(await readInbox(engine)).toEqual({ waiting: [], finished: [] });
    const ended = [await finish(engine, { name: "first" }), await finish(engine)];
    const asking = await ask(engine);
    await finish(engine, { owner: "bob" });
    const inbox = await readInbox(engine);
    expect(inbox.waiting).toMatchObject([{ id: asking, questions: [{ key: "branch", message: "Which branch?" }] }]);
    expect(inbox.finished.map(({ id }) => id)).toEqual(ended.toReversed());
    await engine.answer(asking, "branch", { action: "decline" });
    await untilStatus(engine, asking, "succeeded");
    expect((await readInbox(engine)).waiting).toEqual([]);
    expect((await readInbox(engine)).finished[0]?.id).toBe(asking);
  });

  it("shows a caller who is bound to an owner, or to kinds, only what is theirs", async () => {
    const engine = await world().open([puppet.kind]);
    const [mine] = [await finish(engine, { owner: "bob" }), await finish(engine)];
    const asking = await ask(engine, { owner: "bob" });
    expect(await readInbox(engine, {}, { owner: "bob" })).toMatchObject({
      waiting: [{ id: asking }],
      finished: [{ id: mine }],
    });
    expect(await readInbox(engine, {}, { owner: "bob", kinds: ["other"] })).toEqual({ waiting: [], finished: [] });
  });

  it("asks the questions of a child too, but leaves its end to its parent", async () => {
    const engine = await world().open([puppet.kind]);
    const { id } = await engine.submit({ kind: "puppet", input: {}, name: "parent" });
    const parent = await puppet.next();
    await parent.context.spawn({ kind: "puppet", input: {}, key: "child" });
    const child = await puppet.next();
    void child.context.ask({ message: "Really?" }, "q").then(child.succeed, child.fail);
    await untilStatus(engine, child.context.id, "waiting");
    expect((await readInbox(engine)).waiting).toMatchObject([{ id: child.context.id }]);
    await engine.answer(child.context.id, "q", { action: "decline" });
    await untilStatus(engine, child.context.id, "succeeded");
    parent.succeed();
    await untilStatus(engine, id, "succeeded");
    expect(await readInbox(engine)).toMatchObject({ waiting: [], finished: [{ id }] });
  });

  it("goes on where the page before ended, with finished jobs alone", async () => {
    const engine = await world().open([puppet.kind]);
    const ids: string[] = [];
    for (let count = 0; count < 5; count++) ids.unshift(await finish(engine));
    await ask(engine);
    const first = await readInbox(engine, { limit: 3 });
    const second = await readInbox(engine, { limit: 3, cursor: first.cursor });
    expect([...first.finished, ...second.finished].map(({ id }) => id)).toEqual(ids);
    expect([first.waiting.length, second.waiting.length, second.cursor]).toEqual([1, 0, undefined]);
    await expect(readInbox(engine, { cursor: "nonsense" })).rejects.toMatchObject(refusal("invalid_input"));
  });
});

describe("job_seen", () => {
  it("takes jobs out of the inbox, by id or name or all of them, and says how many were new", async () => {
    const engine = await world().open([puppet.kind]);
    const ids = [await finish(engine), await finish(engine, { name: "named" }), await finish(engine)];
    expect(await call(engine, "job_seen", { ids: [ids[0], "named"] })).toEqual({ count: 2 });
    expect((await readInbox(engine)).finished.map(({ id }) => id)).toEqual([ids[2]]);
    expect(await call(engine, "job_seen", { all: true })).toEqual({ count: 1 });
    expect(await call(engine, "job_seen", { all: true })).toEqual({ count: 0 });
    expect(await readInbox(engine)).toEqual({ waiting: [], finished: [] });
  });

  it("of all clears what is the caller's, however much it is", async () => {
    const engine = await world().open([puppet.kind]);
    for (const owner of ["bob", "local"]) await finish(engine, { owner });
    expect(await call(engine, "job_seen", { all: true }, { owner: "bob" })).toEqual({ count: 1 });
    expect((await readInbox(engine)).finished).toHaveLength(1);
    const many = await engine.submitMany(
      Array.from({ length: 1_200 }, () => ({ kind: "puppet", input: {}, delayMs: 3_600_000 })),
    );
    for (const { id } of many) await engine.cancel(id);
    expect(await call(engine, "job_seen", { all: true })).toEqual({ count: 1_201 });
  });

  it("is refused to those who may only read, for jobs of others, and for what is unclear", async () => {
    const engine = await world().open([puppet.kind]);
    const id = await finish(engine);
    const cases: [object, Actor, object][] = [
      [{ ids: [id] }, { scope: "read" }, refusal("not_allowed", /scope "run"/)],
      [{ ids: [id] }, { owner: "bob" }, refusal("not_found")],
      [{}, {}, refusal("invalid_input", /either ids or all/)],
      [{ ids: [id], all: true }, {}, refusal("invalid_input", /either ids or all/)],
    ];
    for (const [input, actor, expected] of cases) {
      await expect(call(engine, "job_seen", input, actor)).rejects.toMatchObject(expected);
    }
    expect((await readInbox(engine)).finished).toHaveLength(1);
  });
});
