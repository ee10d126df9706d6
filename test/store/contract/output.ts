import { appendFileSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { HeldOutput, OutputAddress, OutputStore } from "../../../src/store/output-store.ts";
import { until } from "../../until.ts";
import { t0 } from "../drafts.ts";
import { outcomes, useWorld, type OpenStore, type World } from "../world.ts";

const capBytes = 8_000;
const fileCapBytes = 64 * 1024;

export function describeOutput(open: OpenStore): void {
  describe("output", () => {
    const world = useWorld(open, { outputCapBytes: capBytes });
    describeStreams(world);
    describeCap(world);
    describePieces(world);
  });
  describe("output that a process appends by itself", () => {
    describeFiles(useWorld(open, { outputCapBytes: fileCapBytes }));
  });
}

interface HeldStream extends OutputAddress {
  readonly held: HeldOutput;
}

/** A stream of an attempt that this process may write. */
async function addressOf(world: World, { attempt = 1, stream = "stdout" } = {}): Promise<HeldStream> {
  const { job, lease } = await world.start();
  const held = { lease, attempt, isResumed: false };
  await world.store.output.restore(held);
  return { id: job.id, attempt, stream, held };
}

/** Restarts as an engine does that stops and later goes on with its attempt. */
async function restart(world: World, { id, attempt, held }: HeldStream): Promise<void> {
  await world.store.output.flush(id, attempt);
  world.store.output.leave(id, attempt, { isOver: false });
  await world.restart();
  await world.store.output.restore({ ...held, isResumed: true });
}

function write(output: OutputStore, address: OutputAddress, ...chunks: (string | Uint8Array)[]): void {
  const writer = output.writer(address);
  for (const chunk of chunks) writer.append(typeof chunk === "string" ? Buffer.from(chunk) : chunk);
  writer.close();
}

interface Stretch {
  readonly from: number;
  readonly text: string;
}

/** Reads from an offset to the end, as a follower does; stretches that touch are joined. */
async function readAll(output: OutputStore, address: OutputAddress, from = 0, limit = 1_000): Promise<Stretch[]> {
  const stretches: Stretch[] = [];
  let at = from;
  for (;;) {
    const slice = await output.read(address, at, limit);
    expect(slice.bytes.length).toBeLessThanOrEqual(limit);
    expect(slice.next).toBe(slice.from + slice.bytes.length);
    expect(slice.bytes.length > 0 || slice.next === slice.size).toBe(true);
    if (slice.bytes.length === 0) return stretches;
    const text = Buffer.from(slice.bytes).toString("latin1");
    const last = stretches.at(-1);
    if (last !== undefined && last.from + last.text.length === slice.from) {
      stretches[stretches.length - 1] = { from: last.from, text: last.text + text };
    } else stretches.push({ from: slice.from, text });
    at = slice.next;
  }
}

function keptBytes(stretches: readonly Stretch[]): number {
  return stretches.reduce((sum, { text }) => sum + text.length, 0);
}

/** Text in which every stretch of a few bytes says where it is. */
function numbered(bytes: number): string {
  let text = "";
  while (text.length < bytes) text += `${String(text.length).padStart(7, "0")}\n`;
  return text.slice(0, bytes);
}

function describeStreams(world: () => World): void {
  it("what is appended can be read at once, from any offset, up to a limit", async () => {
    const { output } = world().store;
    const address = await addressOf(world());
    const writer = output.writer(address);
    writer.append(Buffer.from("hello "));
    writer.append(Buffer.from("world"));
    const text = async (from: number, limit: number): Promise<string> =>
      Buffer.from((await output.read(address, from, limit)).bytes).toString();
    expect(await text(0, 100)).toBe("hello world");
    expect(await text(6, 3)).toBe("wor");
    expect(await output.read(address, 6, 3)).toMatchObject({ from: 6, next: 9, size: 11 });
    expect(await output.measure(address)).toEqual({ size: 11, dropped: 0 });
    writer.close();
  });

  it("reading at or beyond the end returns nothing, and where the end is", async () => {
    const { output } = world().store;
    const address = await addressOf(world());
    write(output, address, "hello");
    for (const from of [5, 500]) {
      const slice = await output.read(address, from, 10);
      expect({ ...slice, bytes: slice.bytes.length }).toEqual({ bytes: 0, from: 5, next: 5, size: 5 });
    }
  });

  it("reading no bytes returns none", async () => {
    const { output } = world().store;
    const address = await addressOf(world());
    write(output, address, "hello");
    expect(await output.read(address, 2, 0)).toMatchObject({ bytes: { length: 0 }, from: 2, next: 2, size: 5 });
  });

  it("a stream that nobody wrote to is empty", async () => {
    const { output } = world().store;
    const address = await addressOf(world());
    const slice = await output.read(address, 0, 10);
    expect({ ...slice, bytes: slice.bytes.length }).toEqual({ bytes: 0, from: 0, next: 0, size: 0 });
    expect(await output.measure(address)).toEqual({ size: 0, dropped: 0 });
    expect(await output.streams(address.id, 1)).toEqual([]);
  });

  it("bytes are kept as they are", async () => {
    const { output } = world().store;
    const address = await addressOf(world());
    const bytes = Uint8Array.from({ length: 256 }, (_, value) => value);
    write(output, address, bytes);
    expect(Uint8Array.from((await output.read(address, 0, 1_000)).bytes)).toEqual(bytes);
  });

  it("output outlives a restart, and a new writer goes on at its end", async () => {
    const address = await addressOf(world());
    write(world().store.output, address, "one ");
    await restart(world(), address);
    write(world().store.output, address, "two ");
    write(world().store.output, address, "three");
    expect(await readAll(world().store.output, address)).toEqual([{ from: 0, text: "one two three" }]);
  });

  it("attempts and streams are kept apart, and listed", async () => {
    const { output } = world().store;
    const address = await addressOf(world());
    write(output, address, "one");
    write(output, { ...address, stream: "stderr" }, "two");
    await output.restore({ ...address.held, attempt: 2 });
    write(output, { ...address, attempt: 2 }, "three");
    write(output, { ...address, stream: "std" }, "four");
    expect((await output.streams(address.id, 1)).toSorted()).toEqual(["std", "stderr", "stdout"]);
    expect(await output.streams(address.id, 2)).toEqual(["stdout"]);
    expect(await output.streams(address.id, 3)).toEqual([]);
    expect(await readAll(output, address)).toEqual([{ from: 0, text: "one" }]);
    expect(await readAll(output, { ...address, stream: "std" })).toEqual([{ from: 0, text: "four" }]);
    expect(await readAll(output, { ...address, attempt: 2 })).toEqual([{ from: 0, text: "three" }]);
  });

  it("removing a job's output removes all of it and nothing else", async () => {
    const { output } = world().store;
    const [address, other] = [await addressOf(world()), await addressOf(world())];
    await output.restore({ ...address.held, attempt: 2 });
    for (const each of [address, { ...address, attempt: 2 }, { ...address, stream: "stderr" }, other]) {
      write(output, each, "output");
    }
    await output.remove(address.id);
    await output.remove(address.id);
    expect(await output.streams(address.id, 1)).toEqual([]);
    expect(await output.streams(address.id, 2)).toEqual([]);
    expect(await output.measure(address)).toEqual({ size: 0, dropped: 0 });
    expect(await output.measure(other)).toEqual({ size: 6, dropped: 0 });
  });

  it("output is read as before after its job has ended", async () => {
    const { job, lease } = await world().start();
    const { output } = world().store;
    const address = { id: job.id, attempt: 1, stream: "stdout" };
    await output.restore({ lease, attempt: 1, isResumed: false });
    write(output, address, "output");
    await output.flush(job.id, 1);
    await world().store.settle(lease, outcomes.failed, { now: t0 });
    output.leave(job.id, 1, { isOver: true });
    expect(await readAll(output, address)).toEqual([{ from: 0, text: "output" }]);
    expect(await output.measure(address)).toEqual({ size: 6, dropped: 0 });
    expect(await output.streams(job.id, 1)).toEqual(["stdout"]);
  });

  it.each(["", "..", "../x", "a/b", "a.b", "A", "1a", "a b", "ä", "a\0", "x".repeat(33)])(
    "the stream name %j is refused",
    async (stream) => {
      const { output } = world().store;
      const address = await addressOf(world(), { stream });
      const refusal = expect.objectContaining({ name: "LonghaulError", code: "invalid_input" }) as Error;
      const attempts = [
        async () => write(output, address, "x"),
        async () => output.read(address, 0, 10),
        async () => output.measure(address),
      ];
      for (const attempt of attempts) await expect(attempt()).rejects.toEqual(refusal);
      expect(await output.streams(address.id, 1)).toEqual([]);
    },
  );
}

function describeCap(world: () => World): void {
  it("a stream within its cap is kept whole", async () => {
    const { output } = world().store;
    const address = await addressOf(world());
    const text = numbered(capBytes);
    write(output, address, text);
    expect(await readAll(output, address)).toEqual([{ from: 0, text }]);
    expect(await output.measure(address)).toEqual({ size: capBytes, dropped: 0 });
  });

  const sizes: [string, total: number, chunk: number][] = [
    ["in one piece", 10 * capBytes, 10 * capBytes],
    ["in small pieces", 3 * capBytes, 7],
    ["in pieces larger than the cap", 5 * capBytes, 2 * capBytes + 1],
    ["by a byte", capBytes + 1, capBytes + 1],
  ];

  it.each(sizes)(
    "of a stream beyond its cap, written %s, head and tail are kept at their offsets",
    async (_how, total, chunk) => {
      const { output } = world().store;
      const address = await addressOf(world());
      const text = numbered(total);
      const writer = output.writer(address);
      for (let at = 0; at < total; at += chunk) writer.append(Buffer.from(text.slice(at, at + chunk)));
      writer.close();

      const stretches = await readAll(output, address);
      const [head, tail] = stretches;
      expect(stretches).toHaveLength(2);
      expect(head?.from).toBe(0);
      expect((tail?.from ?? 0) + (tail?.text.length ?? 0)).toBe(total);
      for (const { from, text: shown } of stretches) expect(shown).toBe(text.slice(from, from + shown.length));
      expect(await output.measure(address)).toEqual({ size: total, dropped: total - keptBytes(stretches) });
    },
  );

  it("no more than the cap is kept, and at least half of it, most of that from the end", async () => {
    const { output } = world().store;
    const address = await addressOf(world());
    write(output, address, numbered(10 * capBytes + 123));
    const [head, tail] = await readAll(output, address);
    const total = (head?.text.length ?? 0) + (tail?.text.length ?? 0);
    expect(total).toBeLessThanOrEqual(capBytes);
    expect(total).toBeGreaterThanOrEqual(capBytes / 2);
    expect(tail?.text.length).toBeGreaterThan(head?.text.length ?? Infinity);
  });

  it("reading at an offset that was dropped goes on at the next that is kept", async () => {
    const { output } = world().store;
    const address = await addressOf(world());
    const text = numbered(4 * capBytes);
    write(output, address, text);
    const [head, tail] = await readAll(output, address);
    const slice = await output.read(address, (head?.text.length ?? 0) + 5, 10);
    expect(slice).toMatchObject({ from: tail?.from, next: (tail?.from ?? 0) + 10, size: text.length });
    expect(Buffer.from(slice.bytes).toString()).toBe(tail?.text.slice(0, 10));
  });

  it("offsets stay valid while more is written, and after a restart", async () => {
    const address = await addressOf(world());
    const text = numbered(6 * capBytes);
    for (let at = 0; at < text.length; at += 1_999) {
      const { output } = world().store;
      write(output, address, text.slice(at, at + 1_999));
      if (at % 5 === 0) await restart(world(), address);
      const { size } = await world().store.output.measure(address);
      for (const from of [0, 100, size - 500]) {
        const slice = await world().store.output.read(address, Math.max(0, from), 50);
        expect(Buffer.from(slice.bytes).toString()).toBe(text.slice(slice.from, slice.next));
        expect(slice.from).toBe(Math.max(0, from));
      }
    }
    expect(await world().store.output.measure(address)).toMatchObject({ size: text.length });
  });

  it("reading never fails while what is read is being dropped", async () => {
    const { output } = world().store;
    const address = await addressOf(world());
    const writer = output.writer(address);
    const text = numbered(300 * capBytes);
    const writing = new AbortController();
    const follow = async (next: (slice: { from: number; next: number }) => number): Promise<void> => {
      let at = 0;
      while (!writing.signal.aborted) {
        const slice = await output.read(address, at, 500);
        expect(Buffer.from(slice.bytes).toString()).toBe(text.slice(slice.from, slice.next));
        at = next(slice);
      }
    };
    const follower = follow((slice) => slice.next);
    // These always ask for what was dropped, and so get what is dropped next.
    const stragglers = Array.from({ length: 4 }, () => follow(() => capBytes / 2));
    const reading = Promise.allSettled([follower, ...stragglers]);
    for (let at = 0; at < text.length; at += 900) {
      writer.append(Buffer.from(text.slice(at, at + 900)));
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
    }
    writing.abort();
    writer.close();
    expect((await reading).filter(({ status }) => status === "rejected")).toEqual([]);
  });

  it("each stream has a cap of its own", async () => {
    const { output } = world().store;
    const address = await addressOf(world());
    write(output, address, numbered(10 * capBytes));
    write(output, { ...address, stream: "stderr" }, numbered(capBytes));
    expect(await output.measure({ ...address, stream: "stderr" })).toEqual({ size: capBytes, dropped: 0 });
  });
}

function describePieces(world: () => World): void {
  it("a piece is kept under its name until another takes its place, and is no stream", async () => {
    const address = await addressOf(world());
    const piece = { id: address.id, attempt: 1, name: "load" };
    const load = async (name = "load"): Promise<string | undefined> => {
      const bytes = await world().store.output.loadPiece({ ...piece, name });
      return bytes === undefined ? undefined : Buffer.from(bytes).toString();
    };
    await world().store.output.savePiece(piece, "first");
    await world().store.output.savePiece({ ...piece, name: "motion" }, "");
    expect(await load()).toBe("first");
    const large = "x".repeat(1_000_000);
    await world().store.output.savePiece(piece, Buffer.from(large));
    await restart(world(), address);
    expect((await load()) === large).toBe(true);
    expect(await load("motion")).toBe("");
    expect(await load("quality")).toBeUndefined();
    expect(await world().store.output.loadPiece({ ...piece, attempt: 2 })).toBeUndefined();
    expect(await world().store.output.streams(address.id, 1)).toEqual([]);
    await expect(world().store.output.savePiece({ ...piece, name: "../load" }, "x")).rejects.toMatchObject({
      name: "LonghaulError",
      code: "invalid_input",
    });
    await world().store.output.remove(address.id);
    expect(await load()).toBeUndefined();
  });
}

function describeFiles(world: () => World): void {
  it("what a process appends to a stream's file is read like any output, and hinted at when told", async () => {
    const { store } = world();
    const address = await addressOf(world());
    const file = store.output.file(address);
    const hints: unknown[] = [];
    store.subscribe((hint) => hints.push(hint));
    appendFileSync(file.path, "hello ");
    expect(await file.grown()).toEqual({ size: 6, dropped: 0 });
    appendFileSync(file.path, "world");
    expect(await readAll(store.output, address)).toEqual([{ from: 0, text: "hello world" }]);
    expect(await store.output.streams(address.id, 1)).toEqual(["stdout"]);
    await until(() => hints.length > 0);
    expect(hints).toContainEqual({ type: "output-grown", id: address.id });
  });

  it("a stream's file is the same after a restart", async () => {
    const address = await addressOf(world());
    appendFileSync(world().store.output.file(address).path, "one ");
    await world().store.output.file(address).grown({ isDurable: true });
    await restart(world(), address);
    appendFileSync(world().store.output.file(address).path, "two");
    expect(await readAll(world().store.output, address)).toEqual([{ from: 0, text: "one two" }]);
  });

  it("of a file beyond its cap, head and tail are kept at their offsets while it grows on", async () => {
    const { output } = world().store;
    const address = await addressOf(world());
    const file = output.file(address);
    const text = numbered(6 * fileCapBytes);
    for (let at = 0; at < text.length; at += 20_000) {
      appendFileSync(file.path, text.slice(at, at + 20_000));
      const { size, dropped } = await file.grown();
      expect(size).toBe(Math.min(text.length, at + 20_000));
      expect(size - dropped).toBeLessThanOrEqual(fileCapBytes * 1.5);
    }
    const stretches = await readAll(output, address);
    expect(stretches.map(({ from }) => from)).toEqual([0, expect.any(Number)]);
    for (const { from, text: shown } of stretches) expect(shown).toBe(text.slice(from, from + shown.length));
    expect(await output.measure(address)).toEqual({ size: text.length, dropped: text.length - keptBytes(stretches) });
    expect(keptBytes(stretches)).toBeGreaterThanOrEqual(fileCapBytes / 2);
  });

  it("an attempt has a folder of its own, which goes with the job's output and is no stream", async () => {
    const { output } = world().store;
    const { id } = await addressOf(world());
    const folder = output.folder(id, 1);
    mkdirSync(join(folder, "deep"));
    writeFileSync(join(folder, "deep", "note.1"), "kept");
    expect(output.folder(id, 1)).toBe(folder);
    expect(output.folder(id, 2)).not.toBe(folder);
    expect(await output.streams(id, 1)).toEqual([]);
    await output.remove(id);
    expect(existsSync(folder)).toBe(false);
  });
}
