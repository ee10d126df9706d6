import { describe, expect, it } from "vitest";
import type { JobEvent } from "../../src/index.ts";
import { Puppet, type StartedJob } from "./puppet.ts";
import { untilStatus, useWorld } from "./world.ts";
import { present } from "../present.ts";

const world = useWorld();

async function start(): Promise<StartedJob> {
  const puppet = new Puppet();
  return puppet.start(await world().open([puppet.kind]));
}

async function collect(events: AsyncIterable<JobEvent>): Promise<JobEvent[]> {
  const all: JobEvent[] = [];
  for await (const event of events) all.push(event);
  return all;
}

async function take(events: AsyncGenerator<JobEvent>, count: number): Promise<JobEvent[]> {
  const taken: JobEvent[] = [];
  while (taken.length < count) taken.push(present((await events.next()).value as JobEvent | undefined));
  return taken;
}

function seqs(events: readonly JobEvent[]): number[] {
  return events.map(({ seq }) => seq);
}

function upTo(last: number, from = 1): number[] {
  return Array.from({ length: last - from + 1 }, (_, index) => from + index);
}

describe("following a job", () => {
  it("gives every event from the start, in order, as they come, and ends with the job", async () => {
    const { engine, id, attempt } = await start();
    const following = engine.follow(id);
    expect((await take(following, 2)).map(({ type }) => type)).toEqual(["job-submitted", "attempt-started"]);
    attempt.context.log("working");
    expect(await take(following, 1)).toMatchObject([{ type: "message-logged", message: "working", seq: 3, jobId: id }]);
    attempt.succeed();
    expect(await collect(following)).toMatchObject([{ type: "job-finished", status: "succeeded", seq: 4 }]);
  });

  it("that has ended gives all its events and ends", async () => {
    const { engine, id, attempt } = await start();
    attempt.succeed();
    await untilStatus(engine, id, "succeeded");
    expect(await collect(engine.follow(id))).toEqual(await engine.events(id));
  });

  it("goes on after a sequence number, without gaps or repeats", async () => {
    const { engine, id, attempt } = await start();
    for (let index = 0; index < 10; index++) attempt.context.log(`message ${index}`);
    const first = await take(engine.follow(id), 5);
    const rest = engine.follow(id, { after: present(first.at(-1)).seq });
    const more = await take(rest, 4);
    attempt.succeed();
    const all = [...first, ...more, ...(await collect(rest))];
    expect(seqs(all)).toEqual(upTo(13));
    expect(all).toEqual(await engine.events(id));
  });

  it("after the last event of a job that has ended gives nothing and ends", async () => {
    const { engine, id, attempt } = await start();
    attempt.succeed();
    await untilStatus(engine, id, "succeeded");
    const { lastSeq } = await engine.get(id);
    expect(await collect(engine.follow(id, { after: lastSeq }))).toEqual([]);
  });

  it("gives all of many events, though they are read in pages", async () => {
    const { engine, id, attempt } = await start();
    const following = collect(engine.follow(id));
    for (let index = 0; index < 1_000; index++) attempt.context.log(`message ${index}`);
    attempt.succeed();
    expect(seqs(await following)).toEqual(upTo(1_003));
  });

  it("gives many readers the same, wherever each began and however slow it is", async () => {
    const { engine, id, attempt } = await start();
    const readers = Array.from({ length: 20 }, (_, index) => collect(engine.follow(id, { after: index % 5 })));
    const slow = engine.follow(id);
    await slow.next();
    for (let index = 0; index < 100; index++) attempt.context.log(`message ${index}`);
    attempt.succeed();
    const all = await Promise.all(readers);
    all.forEach((events, index) => expect(seqs(events)).toEqual(upTo(103, (index % 5) + 1)));
    expect(seqs(await collect(slow))).toEqual(upTo(103, 2));
  });

  it("goes on over a failed attempt and its retry", async () => {
    const puppet = new Puppet({ limits: { attempts: 2 } });
    const engine = await world().openTimed([puppet.kind]);
    const { id } = await engine.submit({ kind: "puppet", input: {} });
    const following = collect(engine.follow(id));
    (await puppet.next()).fail(new Error("broken"));
    await untilStatus(engine, id, "queued");
    await world().clock.advance(1_000);
    (await puppet.next()).succeed();
    expect((await following).map(({ type }) => type)).toEqual([
      "job-submitted",
      "attempt-started",
      "attempt-failed",
      "attempt-started",
      "job-finished",
    ]);
  });

  it("goes on with the next engine where the last one ended", async () => {
    const puppet = new Puppet();
    const engine = await world().open([puppet.kind]);
    const { id } = await engine.submit({ kind: "puppet", input: {} });
    await puppet.next();
    const before = await take(engine.follow(id), 2);
    const reopened = await world().reopen();
    (await puppet.next()).succeed();
    const after = await collect(reopened.follow(id, { after: present(before.at(-1)).seq }));
    expect([...before, ...after]).toEqual(await reopened.events(id));
  });
});

describe("following ends", () => {
  it("when its signal comes, while it waits", async () => {
    const { engine, id } = await start();
    const controller = new AbortController();
    const following = engine.follow(id, { signal: controller.signal });
    await take(following, 2);
    const next = following.next();
    controller.abort();
    expect(await next).toEqual({ done: true, value: undefined });
  });

  it("when its signal comes, also with events left to read", async () => {
    const { engine, id, attempt } = await start();
    for (let index = 0; index < 50; index++) attempt.context.log(`message ${index}`);
    const controller = new AbortController();
    const following = engine.follow(id, { signal: controller.signal });
    await take(following, 10);
    controller.abort();
    expect(await collect(following)).toEqual([]);
  });

  it("before it has begun, when its signal came before", async () => {
    const { engine, id } = await start();
    expect(await collect(engine.follow(id, { signal: AbortSignal.abort() }))).toEqual([]);
  });

  it("when the reader turns away", async () => {
    const { engine, id, attempt } = await start();
    const seen: string[] = [];
    for await (const event of engine.follow(id)) {
      seen.push(event.type);
      if (event.type === "attempt-started") break;
    }
    expect(seen).toEqual(["job-submitted", "attempt-started"]);
    attempt.succeed();
    await untilStatus(engine, id, "succeeded");
  });

  it("when the engine stops, while it waits", async () => {
    const { engine, id } = await start();
    const following = engine.follow(id);
    await take(following, 2);
    const rest = collect(following);
    await engine.stop();
    expect((await rest).map(({ type }) => type)).toEqual(["attempt-interrupted"]);
  });

  it("when the engine has stopped, for a reader that was busy meanwhile", async () => {
    const { engine, id } = await start();
    const following = engine.follow(id);
    await take(following, 1);
    await engine.stop();
    expect(await collect(following)).toEqual([]);
  });
});

describe("reading events", () => {
  it("gives a page after a sequence number", async () => {
    const { engine, id, attempt } = await start();
    for (let index = 0; index < 10; index++) attempt.context.log(`message ${index}`);
    attempt.succeed();
    await untilStatus(engine, id, "succeeded");
    expect(seqs(await engine.events(id, 4, 3))).toEqual([5, 6, 7]);
    expect(seqs(await engine.events(id, 13))).toEqual([]);
  });
});
