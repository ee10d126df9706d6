import { describe, expect, it } from "vitest";
import { z } from "zod";
import { defineKind, PartialResult, type Engine, type OutputRequest } from "../../src/index.ts";
import { Puppet, type StartedJob } from "./puppet.ts";
import { refusal, stateOf, untilStatus, useWorld } from "./world.ts";

const world = useWorld();

const circle: { self?: unknown } = {};
circle.self = circle;

async function start(options: { outputCapBytes?: number } = {}, puppet = new Puppet()): Promise<StartedJob> {
  return puppet.start(await world().open([puppet.kind], options));
}

async function finish({ engine, id, attempt }: StartedJob): Promise<void> {
  attempt.succeed();
  await untilStatus(engine, id, "succeeded");
}

async function read(engine: Engine, id: string, request?: OutputRequest): Promise<string> {
  return Buffer.from((await engine.readOutput(id, request)).bytes).toString();
}

/** Everything that is kept of a stream, read on from offset to offset. */
async function readAll(engine: Engine, id: string, limit: number): Promise<{ text: string; offsets: number[] }> {
  let text = "";
  const offsets: number[] = [];
  for (let from = 0; ;) {
    const slice = await engine.readOutput(id, { from, limit });
    if (slice.bytes.length === 0) return { text, offsets };
    text += Buffer.from(slice.bytes).toString();
    offsets.push(slice.from);
    from = slice.next;
  }
}

describe("output", () => {
  it("goes to stdout unless the attempt names a stream, and each stream is read by itself", async () => {
    const started = await start();
    const { engine, id, attempt } = started;
    attempt.context.output().write("one ");
    attempt.context.output("stderr").write("problem");
    attempt.context.output().write(Buffer.from("two"));
    await finish(started);
    expect(await read(engine, id)).toBe("one two");
    expect(await read(engine, id, { stream: "stderr" })).toBe("problem");
    expect(await engine.outputSizes(id)).toMatchObject({
      stdout: { size: 7, dropped: 0 },
      stderr: { size: 7, dropped: 0 },
    });
  });

  it("can be read while the job runs", async () => {
    const { engine, id, attempt } = await start();
    attempt.context.output().write("so far");
    await engine.wait(id, { until: { pattern: /so far/ } });
    expect(await read(engine, id)).toBe("so far");
  });

  it("is addressed by offset: each read says where it began, where to read on, and how much there is", async () => {
    const started = await start();
    const { engine, id, attempt } = started;
    attempt.context.output().write("0123456789");
    await finish(started);
    const slice = await engine.readOutput(id, { from: 3, limit: 4 });
    expect({ ...slice, bytes: Buffer.from(slice.bytes).toString() }).toEqual({
      bytes: "3456",
      from: 3,
      next: 7,
      size: 10,
    });
    expect(await read(engine, id, { from: 7 })).toBe("789");
  });

  it("read from its end, or past it, is empty and says where the end is", async () => {
    const started = await start();
    const { engine, id, attempt } = started;
    attempt.context.output().write("0123456789");
    await finish(started);
    for (const from of [10, 11, 1_000_000]) {
      expect(await engine.readOutput(id, { from })).toMatchObject({ from: 10, next: 10, size: 10 });
      expect(await read(engine, id, { from })).toBe("");
    }
  });

  it("that was never written is empty", async () => {
    const started = await start();
    await finish(started);
    expect(await started.engine.readOutput(started.id)).toMatchObject({ from: 0, next: 0, size: 0 });
    expect(await started.engine.outputSizes(started.id)).toEqual({});
  });

  it("keeps every byte of many small writes, in order", async () => {
    const started = await start();
    const { engine, id, attempt } = started;
    const lines = Array.from({ length: 5_000 }, (_, index) => `line ${index}\n`);
    for (const line of lines) attempt.context.output().write(line);
    await finish(started);
    expect((await readAll(engine, id, 10_000)).text).toBe(lines.join(""));
  });

  it("does not change when the attempt reuses its buffer", async () => {
    const started = await start();
    const buffer = Buffer.from("first");
    started.attempt.context.output().write(buffer);
    buffer.write("other");
    await finish(started);
    expect(await read(started.engine, started.id)).toBe("first");
  });

  it("keeps bytes that are not text as they are", async () => {
    const started = await start();
    const bytes = Uint8Array.from({ length: 256 }, (_, index) => index);
    started.attempt.context.output("data").write(bytes);
    await finish(started);
    const slice = await started.engine.readOutput(started.id, { stream: "data" });
    expect(Uint8Array.from(slice.bytes)).toEqual(bytes);
  });

  it("survives a restart of the engine", async () => {
    const started = await start();
    started.attempt.context.output().write("kept");
    await finish(started);
    expect(await read(await world().reopen(), started.id)).toBe("kept");
  });

  it("of a stream with a bad name is refused to the reader, and fails an attempt that opens it", async () => {
    const { engine, puppet, id, attempt } = await start();
    const refused = engine.readOutput(id, { stream: "../secret" });
    await expect(refused).rejects.toMatchObject(refusal("invalid_input", /stream's name must be/));
    expect(() => attempt.context.output("No Spaces")).toThrow(/stream's name must be/);
    expect(puppet.attempts).toHaveLength(1);
  });
});

describe("output beyond its cap", () => {
  it("keeps the beginning and the end, counts what was dropped, and leaves offsets as they were", async () => {
    const started = await start({ outputCapBytes: 8_000 });
    const { engine, id, attempt } = started;
    const lines = Array.from({ length: 5_000 }, (_, index) => `${String(index).padStart(9, "0")}\n`);
    const written = lines.join("");
    for (const line of lines) attempt.context.output().write(line);
    await finish(started);
    const { size, dropped } = (await engine.outputSizes(id))["stdout"] ?? { size: 0, dropped: 0 };
    expect(size).toBe(written.length);
    expect(size - dropped).toBeLessThanOrEqual(8_000);
    expect(size - dropped).toBeGreaterThan(4_000);
    const { text, offsets } = await readAll(engine, id, 500);
    expect(text).toHaveLength(size - dropped);
    expect(text.startsWith(lines[0] ?? "")).toBe(true);
    expect(text.endsWith(lines.at(-1) ?? "")).toBe(true);
    const lastOffset = offsets.at(-1) ?? 0;
    expect(await read(engine, id, { from: lastOffset })).toBe(written.slice(lastOffset));
  });

  it("tells a reader who asks for dropped bytes where the next kept ones begin", async () => {
    const started = await start({ outputCapBytes: 800 });
    const { engine, id, attempt } = started;
    const written = Array.from({ length: 1_000 }, (_, index) => `${String(index).padStart(9, "0")}\n`).join("");
    attempt.context.output().write(written);
    await finish(started);
    const slice = await engine.readOutput(id, { from: 5_000 });
    expect(slice.from).toBeGreaterThan(5_000);
    expect(Buffer.from(slice.bytes).toString()).toBe(written.slice(slice.from, slice.next));
  });

  it("is capped for each stream by itself", async () => {
    const started = await start({ outputCapBytes: 800 });
    const { engine, id, attempt } = started;
    attempt.context.output("stdout").write("x".repeat(10_000));
    attempt.context.output("stderr").write("the one line that matters");
    await finish(started);
    expect(await read(engine, id, { stream: "stderr" })).toBe("the one line that matters");
  });
});

describe("output of an earlier attempt", () => {
  it("stays readable beside that of the current one, which is read by default", async () => {
    const started = await start();
    const { engine, puppet, id, attempt } = started;
    attempt.context.output().write("first try");
    attempt.fail(new Error("broken"));
    await untilStatus(engine, id, "failed");
    await engine.retry(id);
    const second = await puppet.next();
    second.context.output().write("second try");
    second.context.output("stderr").write("!");
    second.succeed();
    await untilStatus(engine, id, "succeeded");
    expect(await read(engine, id)).toBe("second try");
    expect(await read(engine, id, { attempt: 1 })).toBe("first try");
    expect(await engine.outputSizes(id, 1)).toEqual({ stdout: { size: 9, dropped: 0 } });
    expect(Object.keys(await engine.outputSizes(id)).toSorted()).toEqual(["order", "stderr", "stdout"]);
  });

  it("does not exist for an attempt that never was", async () => {
    const { engine, id } = await start();
    expect(await engine.outputSizes(id, 7)).toEqual({});
    expect((await engine.readOutput(id, { attempt: 7 })).size).toBe(0);
  });
});

describe("a result", () => {
  it("that is too large fails the job, and is not tried again", async () => {
    const puppet = new Puppet({ limits: { attempts: 3 } });
    const engine = await world().open([puppet.kind], { maxResultBytes: 100 });
    const { id } = await engine.submit({ kind: "puppet", input: {} });
    (await puppet.next()).succeed("x".repeat(99));
    await untilStatus(engine, id, "failed");
    expect(await stateOf(engine, id, "failed")).toMatchObject({ attempt: 1, failure: { code: "result_too_large" } });
  });

  it("that does not fit the kind's schema fails the job, and is not tried again", async () => {
    const result = z.object({ pages: z.int() });
    const limits = { attempts: 3 };
    const settings = { name: "strict", onInterrupt: "restart", input: z.object({}), result, limits } as const;
    const kind = defineKind({ ...settings, run: async () => ({ pages: "many" }) as never });
    const engine = await world().open([kind]);
    const { id } = await engine.submit({ kind: "strict", input: {} });
    await engine.wait(id);
    const { attempt, failure } = await stateOf(engine, id, "failed");
    expect(attempt).toBe(1);
    expect(failure).toMatchObject({ code: "invalid_result", message: expect.stringContaining("pages") as string });
  });

  it.each([
    ["a big integer", 1n],
    ["an object that contains itself", circle],
  ])("that is not JSON fails the job and frees its slot: %s", async (_rule, value) => {
    const started = await start({}, new Puppet({ concurrency: 1 }));
    const { engine, puppet, id, attempt } = started;
    await engine.submit({ kind: "puppet", input: { label: "next" } });
    attempt.succeed(value);
    await untilStatus(engine, id, "failed");
    expect((await stateOf(engine, id, "failed")).failure.code).toBe("invalid_result");
    expect((await puppet.next()).label).toBe("next");
  });

  it("may be partial: the job has succeeded, and says that it is not all", async () => {
    const { engine, id, attempt } = await start();
    attempt.succeed(new PartialResult({ pages: 3 }));
    await untilStatus(engine, id, "succeeded");
    expect(await stateOf(engine, id, "succeeded")).toMatchObject({ partial: true });
    expect(await engine.result(id)).toEqual({ pages: 3 });
    expect((await engine.events(id)).at(-1)).toMatchObject({ type: "job-finished", partial: true });
  });

  it("is refused for a job that has not succeeded", async () => {
    const { engine, id } = await start();
    await expect(engine.result(id)).rejects.toMatchObject(refusal("conflict", /has no result: it is running/));
  });

  it("of a job that returns nothing is null", async () => {
    const started = await start();
    await finish(started);
    expect(await started.engine.result(started.id)).toBeNull();
  });
});
