import { describe, expect, it } from "vitest";
import type { Actor, Engine } from "../../src/index.ts";
import type { JobView } from "../../src/operations/job-view.ts";
import { Puppet } from "../engine/puppet.ts";
import { refusal, untilStatus, useWorld } from "../engine/world.ts";
import { call } from "./call.ts";

const world = useWorld();

interface News {
  readonly cursor: string;
  readonly reset?: true;
  readonly jobs?: JobView[];
  readonly gone?: string[];
  readonly more?: number;
  readonly counts?: { readonly state: string; readonly count: number }[];
  readonly view?: JobView;
  readonly events?: { readonly type: string }[];
  readonly output?: { readonly attempt: number; readonly text: string; readonly from: number; readonly next: number };
}

async function read(engine: Engine, input: object = {}, actor: Actor = {}): Promise<News> {
  return (await call(engine, "live_read", input, actor)) as News;
}

/** Reads on until something is there that is looked for; the server paces its readers. */
async function readUntil(
  engine: Engine,
  from: News,
  input: object,
  isFound: (all: readonly News[]) => boolean,
  actor: Actor = {},
): Promise<News[]> {
  const all: News[] = [];
  for (let cursor = from.cursor; !isFound(all); cursor = all.at(-1)?.cursor ?? cursor) {
    all.push(await read(engine, { ...input, cursor, wait_ms: 10_000 }, actor));
  }
  return all;
}

const namesOf = (all: readonly News[]): (string | undefined)[] =>
  all.flatMap(({ jobs = [] }) => jobs.map(({ name }) => name));
const goneOf = (all: readonly News[]): string[] => all.flatMap(({ gone = [] }) => gone);
const later = { kind: "puppet", input: {}, delayMs: 3_600_000 };

describe("live_read", () => {
  it("tells each job that has changed since the cursor, as it is now, and how many are in each state", async () => {
    const engine = await world().open([new Puppet().kind]);
    await engine.submit({ ...later, name: "before" });
    const start = await read(engine, { counts: true });
    expect(start).toMatchObject({ counts: [{ state: "queued", count: 1 }] });
    expect(start).not.toHaveProperty("jobs");
    const { id } = await engine.submit({ ...later, name: "after" });
    const [told] = await readUntil(engine, start, { counts: true }, (all) => namesOf(all).includes("after"));
    expect(told).toMatchObject({ jobs: [{ id, state: "queued" }], counts: [{ state: "queued", count: 2 }] });
    await engine.cancel(id);
    const all = await readUntil(engine, told ?? start, { counts: true }, (news) => namesOf(news).length > 0);
    expect(all.at(-1)).toMatchObject({ jobs: [{ id, state: "cancelled" }] });
  });

  it("waits until there is something new, and answers without it when the time is over", async () => {
    const engine = await world().open([new Puppet().kind]);
    const { cursor } = await read(engine);
    expect(await read(engine, { cursor, wait_ms: 20 })).toEqual({ cursor });
  });

  it("tells only jobs that match, and names those that match no more or were removed", async () => {
    const engine = await world().open([new Puppet().kind]);
    const start = await read(engine, { q: "tag:x state:queued" });
    const { id } = await engine.submit({ ...later, name: "hit", tags: ["x"] });
    await engine.submit({ ...later, name: "miss" });
    const first = await readUntil(engine, start, { q: "tag:x state:queued" }, (all) => namesOf(all).includes("hit"));
    await engine.cancel(id);
    const second = await readUntil(engine, first.at(-1) ?? start, { q: "tag:x state:queued" }, (all) =>
      goneOf(all).includes(id),
    );
    await engine.remove(id);
    const third = await readUntil(engine, second.at(-1) ?? start, { q: "tag:x state:queued" }, (all) =>
      goneOf(all).includes(id),
    );
    expect(namesOf([...first, ...second, ...third])).toEqual(["hit"]);
  });

  it("tells nobody of the jobs of others, not even that they change or go", async () => {
    const engine = await world().open([new Puppet().kind, new Puppet({ name: "other" }).kind]);
    const ann: Actor = { owner: "ann" };
    const start = await read(engine, {}, ann);
    const bobs = await engine.submit({ ...later, owner: "bob", name: "bobs" });
    await engine.cancel(bobs.id);
    await engine.remove(bobs.id);
    await engine.submit({ ...later, owner: "ann", name: "anns" });
    const all = await readUntil(engine, start, { counts: true }, (news) => namesOf(news).includes("anns"), ann);
    expect(namesOf(all)).toEqual(["anns"]);
    expect(goneOf(all)).toEqual([]);
    expect(all.at(-1)).toMatchObject({ counts: [{ count: 1 }] });
    const kinds: Actor = { kinds: ["other"] };
    const { cursor } = await read(engine, {}, kinds);
    await engine.submit({ ...later, name: "unseen" });
    expect(namesOf([await read(engine, { cursor, wait_ms: 400 }, kinds)])).toEqual([]);
  });

  it("tells at most 200 jobs at once and how many more there are; of a thousand it says to look again", async () => {
    const engine = await world().open([new Puppet().kind]);
    const start = await read(engine);
    await engine.submitMany(Array.from({ length: 250 }, () => later));
    const [told] = await readUntil(engine, start, {}, (all) => all.length > 0);
    expect(told).toMatchObject({ more: 50 });
    expect(told?.jobs).toHaveLength(200);
    await engine.submitMany(Array.from({ length: 1_100 }, () => later));
    const all = await readUntil(engine, told ?? start, {}, (news) => news.length > 0);
    expect(all.at(-1)).toMatchObject({ reset: true });
  });

  it("says to look again to a reader of an engine that has ended, and goes on with a job's events and output", async () => {
    const puppet = new Puppet();
    const { engine, id, attempt } = await puppet.start(await world().open([puppet.kind]));
    attempt.context.output("stdout").write("one\n");
    attempt.succeed();
    await untilStatus(engine, id, "succeeded");
    const seen = await read(engine, { job: id });
    expect(seen).toMatchObject({
      view: { state: "succeeded" },
      output: { attempt: 1, text: "one\n", from: 0, next: 4 },
    });
    expect(seen.events?.map(({ type }) => type)).toContain("job-finished");
    const reopened = await world().reopen();
    const again = await read(reopened, { job: id, cursor: seen.cursor, wait_ms: 0 });
    expect(again).toMatchObject({ reset: true });
    expect(again).not.toHaveProperty("events");
    expect(again).not.toHaveProperty("output");
  });

  it("tells a job's events and output, over its attempts, each once", async () => {
    const puppet = new Puppet();
    const { engine, id, attempt } = await puppet.start(await world().open([puppet.kind]), { limits: { attempts: 1 } });
    const input = { job: id, jobs: false };
    const start = await read(engine, input);
    attempt.context.output("stdout").write("first\n");
    attempt.fail(new Error("no"));
    await untilStatus(engine, id, "failed");
    await engine.retry(id);
    const second = await puppet.next();
    second.context.output("stdout").write("second\n");
    second.succeed();
    const isOver = (all: readonly News[]): boolean =>
      all.flatMap(({ events = [] }) => events).filter(({ type }) => type === "job-finished").length === 2 &&
      all.some(({ output }) => output?.text.includes("second") === true);
    const all = await readUntil(engine, start, input, isOver);
    expect(all.flatMap(({ output }) => (output === undefined ? [] : [[output.attempt, output.text]]))).toEqual([
      [1, "first\n"],
      [2, "second\n"],
    ]);
    expect(all.some((news) => "jobs" in news)).toBe(false);
  });

  it.each(["nonsense", "0a1b2c3d:x", "0a1b2c3d:1/2"])("refuses the cursor %j, which it never told", async (cursor) => {
    const engine = await world().open([]);
    await expect(read(engine, { cursor })).rejects.toMatchObject(refusal("invalid_input"));
  });
});
