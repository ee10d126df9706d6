import { connect, type Socket } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { untilStatus } from "../../../engine/world.ts";
import { until } from "../../../until.ts";
import { readEvents, textOf, type EventReader, type SentEvent } from "../event-reader.ts";
import { useHttpWorld } from "../world.ts";

const world = useHttpWorld({ limits: { readers: 3, drainMs: 300, keepAliveMs: 200 } });

function read(path: string, lastEventId?: string): Promise<EventReader> {
  return readEvents(`http://127.0.0.1:${world().port}${path}`, { lastEventId });
}

describe("a stream of events", () => {
  it("has every event under its number as it comes, and ends with the job", async () => {
    const id = await world().submit();
    const reader = await read(`/v1/jobs/${id}/events`);
    const attempt = await world().puppet.next();
    attempt.context.log("half way");
    await until(() => reader.events.some(({ type }) => type === "message-logged"));
    attempt.succeed();
    expect(await reader.ended).toBe(true);
    expect(reader.events.map(({ type }) => type)).toEqual([
      "job-submitted",
      "attempt-started",
      "message-logged",
      "job-finished",
    ]);
    expect(reader.events.map(({ id: number }) => number)).toEqual(["1", "2", "3", "4"]);
  });

  it("goes on after the last event that was read, and has nothing more after the end", async () => {
    const id = await world().submit();
    (await world().puppet.next()).succeed();
    await untilStatus(world().engine, id, "succeeded");
    const reader = await read(`/v1/jobs/${id}/events`, "1");
    await reader.ended;
    expect(reader.events.map(({ id: number }) => number)).toEqual(["2", "3"]);
    expect((await read(`/v1/jobs/${id}/events`, "3")).status).toBe(204);
    expect((await read(`/v1/jobs/${id}/events`, "three")).status).toBe(400);
  });
});

describe("a stream of output", () => {
  it("has the output as it is written, over all attempts, and then the end", async () => {
    const id = await world().submit({ attempts: 1 });
    const first = await world().puppet.next();
    const reader = await read(`/v1/jobs/${id}/output`);
    first.context.output("stdout").write("one\n");
    await until(() => textOf(reader.events) === "one\n");
    first.context.output("stdout").write("two\n");
    first.succeed();
    expect(await reader.ended).toBe(true);
    expect(textOf(reader.events)).toBe("one\ntwo\n");
    expect(reader.events.at(-1)).toMatchObject({ type: "end", id: "1:8:end", data: { state: "succeeded" } });
    expect((await read(`/v1/jobs/${id}/output`, "1:8:end")).status).toBe(204);
    expect((await read(`/v1/jobs/${id}/output`, "8")).status).toBe(400);
  });

  it("goes on with the next attempt, where the one before has ended", async () => {
    const id = await world().submit();
    const first = await world().puppet.next();
    first.context.output().write("first\n");
    first.fail(new Error("no"));
    await untilStatus(world().engine, id, "failed");
    const place = (await read(`/v1/jobs/${id}/output`)).events;
    await until(() => place.length === 2);
    await world().ask(`/v1/jobs/${id}/retry`, { method: "POST" });
    const reader = await read(`/v1/jobs/${id}/output`, place.at(-1)?.id);
    const second = await world().puppet.next();
    second.context.output().write("second\n");
    second.succeed();
    await reader.ended;
    expect(reader.events.map(({ data }) => [data["attempt"], data["text"]])).toEqual([
      [2, "second\n"],
      [2, undefined],
    ]);
  });

  it("begins where a reader left off, at its last lines, or with the lines that match", async () => {
    const id = await world().submit();
    const attempt = await world().puppet.next();
    attempt.context.output().write("äpfel\nbirnen\nkirschen\n");
    attempt.succeed();
    await untilStatus(world().engine, id, "succeeded");
    const textFrom = async (query: string, lastEventId?: string): Promise<string> => {
      const reader = await read(`/v1/jobs/${id}/output${query}`, lastEventId);
      await reader.ended;
      return textOf(reader.events);
    };
    expect(await textFrom("", "1:7")).toBe("birnen\nkirschen\n");
    expect(await textFrom("?from=7")).toBe("birnen\nkirschen\n");
    expect(await textFrom("?tail=1")).toBe("kirschen\n");
    expect(await textFrom("?grep=en$")).toBe("birnen\nkirschen\n");
    expect(await textFrom("?stream=stderr")).toBe("");
    expect((await read(`/v1/jobs/${id}/output?nonsense=1`)).status).toBe(400);
  });
});

describe("readers", () => {
  it("beyond the most that are served at once are sent away for a while", async () => {
    const id = await world().submit();
    const readers = await Promise.all([1, 2, 3].map(() => read(`/v1/jobs/${id}/events`)));
    const refused = await world().ask(`/v1/jobs/${id}/events`, { headers: { accept: "text/event-stream" } });
    expect(refused).toMatchObject({ status: 503, body: { code: "too_many_readers" } });
    expect(refused.headers.get("retry-after")).toBe("5");
    readers[0]?.stop();
    await until(async () => (await read(`/v1/jobs/${id}/events`)).status === 200);
  });

  it("with one token get no more than their share, and leave the rest to others", async () => {
    const id = await world().submit();
    const path = `/v1/jobs/${id}/events`;
    expect((await readEvents(`http://127.0.0.1:${world().port}${path}`, { token: "reader" })).status).toBe(200);
    const refused = await world().ask(path, { token: "reader", headers: { accept: "text/event-stream" } });
    expect(refused).toMatchObject({ status: 429, body: { code: "too_many_readers" } });
    expect((await read(path)).status).toBe(200);
  });

  it("get a sign of life while nothing happens", async () => {
    const id = await world().submit();
    const response = await world().fetch(`/v1/jobs/${id}/output`, { headers: { accept: "text/event-stream" } });
    const signs = ": still here\n\n: still here\n\n";
    let text = "";
    for await (const chunk of response.body ?? []) {
      text += Buffer.from(chunk as Uint8Array).toString();
      if (text.includes(signs)) break;
    }
    expect(text).toContain(signs);
  });

  it("that stop reading are dropped, and the others go on", async () => {
    const id = await world().submit();
    const attempt = await world().puppet.next();
    const path = `/v1/jobs/${id}/output`;
    const stuck = await openStuckReader(path);
    const good = await read(path);
    await until(async () => (await openReaders()) === 2);
    const line = `${"x".repeat(999)}\n`;
    for (let written = 0; written < 16; written++) attempt.context.output().write(line.repeat(1_000));
    await until(async () => (await openReaders()) <= 1, { timeoutMs: 20_000 });
    attempt.succeed();
    expect(await good.ended).toBe(true);
    expect(textOf(good.events)).toHaveLength(16_000_000);
    expect(stuck.bytesRead).toBeLessThan(16_000_000);
  });

  it("are told when the server stops: their streams end", async () => {
    const id = await world().submit();
    const readers = [await read(`/v1/jobs/${id}/events`), await read(`/v1/jobs/${id}/output`)];
    world().face.close();
    expect(await Promise.all(readers.map(({ ended }) => ended))).toEqual([true, true]);
    expect((await read(`/v1/jobs/${id}/events`)).status).toBe(503);
  });
});

async function openReaders(): Promise<number> {
  const text = await (await world().fetch("/metrics")).text();
  return Number(/longhaul_http_stream_readers (\d+)/.exec(text)?.[1]);
}

async function openStuckReader(path: string): Promise<Socket> {
  const socket = connect(world().port, "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  socket.on("error", () => undefined);
  socket.pause();
  const headers = ["host: 127.0.0.1", "authorization: Bearer root", "accept: text/event-stream"].join("\r\n");
  socket.write(`GET ${path} HTTP/1.1\r\n${headers}\r\n\r\n`);
  return socket;
}

describe("output as plain text", () => {
  it("is the bytes themselves, all of them or a range", async () => {
    const id = await world().submit();
    const attempt = await world().puppet.next();
    attempt.context.output("stdout").write("0123456789");
    await until(async () => (await world().engine.outputSizes(id))["stdout"]?.size === 10);
    const get = async (headers: Record<string, string>, query = ""): Promise<[number, string, string | null]> => {
      const response = await world().fetch(`/v1/jobs/${id}/output${query}`, { headers });
      return [response.status, await response.text(), response.headers.get("content-range")];
    };
    const accept = "text/plain";
    expect(await get({ accept })).toEqual([200, "0123456789", null]);
    expect(await get({ accept }, "?from=4")).toEqual([200, "456789", null]);
    expect(await get({ accept }, "?tail=1")).toEqual([200, "0123456789", null]);
    expect(await get({ range: "bytes=2-4" })).toEqual([206, "234", "bytes 2-4/*"]);
    attempt.succeed();
    await untilStatus(world().engine, id, "succeeded");
    expect(await get({ range: "bytes=2-4" })).toEqual([206, "234", "bytes 2-4/10"]);
    expect(await get({ range: "bytes=7-" })).toEqual([206, "789", "bytes 7-9/10"]);
    expect(await get({ range: "bytes=-3" })).toEqual([206, "789", "bytes 7-9/10"]);
    expect(await get({ range: "bytes=5-99" })).toEqual([206, "56789", "bytes 5-9/10"]);
    expect(await get({ range: "bytes=0-1,4-5", accept })).toEqual([200, "0123456789", null]);
    expect((await get({ range: "bytes=10-" }))[0]).toBe(416);
    expect((await get({ range: "bytes=4-2" }))[0]).toBe(416);
  });

  it("says which bytes of a range are still there, where some were dropped", async () => {
    const id = await world().submit();
    const attempt = await world().puppet.next();
    for (let written = 0; written < 25; written++) attempt.context.output("stdout").write("y".repeat(1_000_000));
    attempt.succeed();
    await untilStatus(world().engine, id, "succeeded");
    const { size = 0, dropped = 0 } = (await world().engine.outputSizes(id))["stdout"] ?? {};
    expect(dropped).toBeGreaterThan(0);
    const response = await world().fetch(`/v1/jobs/${id}/output`, { headers: { range: `bytes=0-${size - 1}` } });
    const [, from, to] = /^bytes (\d+)-(\d+)\/25000000$/.exec(response.headers.get("content-range") ?? "") ?? [];
    expect(await response.text()).toHaveLength(Number(to) - Number(from) + 1);
    const whole = await world().fetch(`/v1/jobs/${id}/output`, { headers: { accept: "text/plain" } });
    expect(await whole.text()).toHaveLength(size - dropped);
  });
});

describe("the stream over all jobs", () => {
  const submitLater = (name: string, token?: string): Promise<string> =>
    world().submit({ name, delay_ms: 3_600_000 }, token);
  const namesIn = (events: readonly SentEvent[]): string[] =>
    events.flatMap(({ data }) => ((data["jobs"] ?? []) as { name: string }[]).map(({ name }) => name));

  it("tells what changes, and to a reader who comes back with its last id what it has missed", async () => {
    const url = `http://127.0.0.1:${world().port}/v1/live?counts=true`;
    const reader = await readEvents(url);
    await until(() => reader.events.length > 0);
    await submitLater("seen");
    await until(() => namesIn(reader.events).includes("seen"));
    reader.stop();
    await submitLater("missed");
    const lastEventId = reader.events.at(-1)?.id ?? "";
    const again = await readEvents(url, { lastEventId });
    await until(() => namesIn(again.events).includes("missed"));
    expect(namesIn(again.events)).not.toContain("seen");
    expect(again.events.at(-1)?.data["counts"]).toEqual([{ kind: "puppet", state: "queued", count: 2 }]);
    again.stop();
  });

  it("shows each of two owners on the same filter only their own", async () => {
    const url = `http://127.0.0.1:${world().port}/v1/live?state=queued`;
    const [ada, bob] = [await readEvents(url, { token: "ada" }), await readEvents(url, { token: "bob" })];
    await until(() => ada.events.length > 0 && bob.events.length > 0);
    await submitLater("adas", "ada");
    await submitLater("bobs", "bob");
    await until(() => namesIn(ada.events).length > 0 && namesIn(bob.events).length > 0);
    expect([namesIn(ada.events), namesIn(bob.events)]).toEqual([["adas"], ["bobs"]]);
    ada.stop();
    bob.stop();
  });

  it("says what is wrong before it begins", async () => {
    const headers = { accept: "text/event-stream" };
    const ask = (query: string): Promise<object> => world().ask(`/v1/live?${query}`, { headers });
    expect(await ask("q=state:odd")).toMatchObject({ status: 400, body: { details: { word: "state:odd" } } });
    expect(await ask("job=nobody")).toMatchObject({ status: 404 });
    expect(await ask("cursor=odd")).toMatchObject({ status: 400 });
  });
});
