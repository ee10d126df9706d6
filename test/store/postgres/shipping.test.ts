import { randomBytes } from "node:crypto";
import { appendFileSync, existsSync, readFileSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { lacksPostgres } from "../../postgres/database.ts";
import { until } from "../../until.ts";
import { useOnce } from "../../use-each.ts";
import { append, Machines, readAll } from "./machines.ts";

/** Text in which every stretch of a few bytes says where it is. */
function numbered(bytes: number): string {
  let text = "";
  while (text.length < bytes) text += `${String(text.length).padStart(9, "0")}\n`;
  return text.slice(0, bytes);
}

describe.skipIf(lacksPostgres)("output that is written on one machine and read on another", () => {
  const machines = useOnce(
    () => Machines.open(),
    (each) => each.close(),
  );

  it("is followed while it is written: who looks at the end is told when more has come", async () => {
    const [writer, reader] = [machines().start("a"), machines().start("b")];
    const held = await machines().hold();
    expect(writer.output.restore(held)).toBeUndefined();
    append(writer.output, held.address, "one ");
    const read = async (): Promise<string> =>
      (await readAll(reader.output, held.address)).map(({ text }) => text).join();
    expect((await writer.output.read(held.address, 0, 10)).size).toBe(4);
    await until(async () => (await read()) === "one ");
    reader.hints.length = 0;
    append(writer.output, held.address, "two");
    await until(() => reader.hints.some((hint) => hint.type === "output-grown" && hint.id === held.id));
    await until(async () => (await read()) === "one two");
    expect(await reader.output.measure(held.address)).toEqual({ size: 7, dropped: 0 });
    expect(await reader.output.streams(held.id, 1)).toEqual(["stdout"]);
  });

  it("is all there for everybody once it is flushed, and the spool is cleared when the attempt is over", async () => {
    const [writer, reader] = [machines().start("a"), machines().start("b")];
    const held = await machines().hold();
    await writer.output.restore(held);
    const text = numbered(300_000);
    append(writer.output, held.address, text.slice(0, 200_000));
    appendFileSync(writer.output.file({ ...held.address, stream: "stderr" }).path, "oops");
    await writer.output.file({ ...held.address, stream: "stderr" }).grown();
    append(writer.output, held.address, text.slice(200_000));
    await writer.output.flush(held.id, 1);
    expect(writer.output.flush(held.id, 1)).toBeUndefined();
    await machines().end(held);
    writer.output.leave(held.id, 1, { isOver: true });
    for (const { output } of [writer, reader]) {
      expect((await readAll(output, held.address)).map(({ text: shown }) => shown === text)).toEqual([true]);
      expect(await readAll(output, { ...held.address, stream: "stderr" })).toEqual([{ from: 0, text: "oops" }]);
      expect(await output.streams(held.id, 1)).toEqual(["stderr", "stdout"]);
      const slice = await output.read(held.address, 131_000, 200);
      expect(Buffer.from(slice.bytes).toString()).toBe(text.slice(131_000, 131_200));
    }
    await until(() => !existsSync(join(writer.root, held.id)));
    expect(reader.hints).not.toContainEqual({ type: "output-grown", id: held.id });
  });

  it("beyond its cap keeps head and tail at their offsets, and counts the rest as dropped", async () => {
    const capBytes = 256 * 1024;
    const [writer, reader] = [machines().start("a", { capBytes }), machines().start("b")];
    const held = await machines().hold();
    await writer.output.restore(held);
    const text = numbered(8 * capBytes);
    for (let at = 0; at < text.length; at += 50_000) {
      append(writer.output, held.address, text.slice(at, at + 50_000));
      if (at % 150_000 === 0) await writer.output.flush(held.id, 1);
    }
    await writer.output.flush(held.id, 1);
    const stretches = await readAll(reader.output, held.address);
    for (const { from, text: shown } of stretches) expect(shown === text.slice(from, from + shown.length)).toBe(true);
    const kept = stretches.reduce((sum, { text: shown }) => sum + shown.length, 0);
    const [head, tail] = [stretches[0], stretches.at(-1)];
    expect(head?.from).toBe(0);
    expect(head?.text.length).toBeGreaterThanOrEqual(capBytes / 8);
    expect((tail?.from ?? 0) + (tail?.text.length ?? 0)).toBe(text.length);
    expect(kept).toBeLessThanOrEqual(capBytes * 1.5);
    expect(kept).toBeGreaterThanOrEqual(capBytes / 2);
    expect(await reader.output.measure(held.address)).toEqual({ size: text.length, dropped: text.length - kept });
  });

  it("that comes faster than it may be shipped has its beginning and its end, and gaps where something was left out", async () => {
    const bytesPerSecond = 128 * 1024;
    const [writer, reader] = [machines().start("a", { bytesPerSecond, capBytes: 1_000_000 }), machines().start("b")];
    const held = await machines().hold();
    await writer.output.restore(held);
    const text = numbered(30 * bytesPerSecond);
    const size = async (): Promise<number> => (await reader.output.measure(held.address)).size;
    for (let at = 0; at < text.length; at += bytesPerSecond) {
      append(writer.output, held.address, text.slice(at, at + bytesPerSecond));
      if (at === 0) await until(async () => (await size()) > 0);
    }
    await until(async () => (await size()) > text.length - bytesPerSecond);
    await writer.output.flush(held.id, 1);
    const stretches = await readAll(reader.output, held.address);
    for (const { from, text: shown } of stretches) expect(shown === text.slice(from, from + shown.length)).toBe(true);
    expect(stretches[0]?.from).toBe(0);
    const { dropped } = await reader.output.measure(held.address);
    expect(dropped).toBeGreaterThan(0);
    const last = stretches.at(-1);
    expect((last?.from ?? 0) + (last?.text.length ?? 0)).toBe(text.length);
  });

  it("is shipped no more once the lease is lost", async () => {
    const [writer, reader] = [machines().start("a"), machines().start("b")];
    const held = await machines().hold();
    await writer.output.restore(held);
    append(writer.output, held.address, "mine");
    await writer.output.flush(held.id, 1);
    await machines().takeOver(held);
    append(writer.output, held.address, " not mine");
    await writer.output.savePiece({ id: held.id, attempt: 1, name: "load" }, "late");
    await writer.output.flush(held.id, 1);
    for (const { output } of [writer, reader])
      expect(await readAll(output, held.address)).toEqual([{ from: 0, text: "mine" }]);
    expect(await reader.output.loadPiece({ id: held.id, attempt: 1, name: "load" })).toBeUndefined();
  });

  it("costs few rows where it comes in small pieces", async () => {
    const writer = machines().start("a");
    const held = await machines().hold();
    await writer.output.restore(held);
    const lines = Array.from({ length: 300 }, (_, index) => `line ${index} of a slow job\n`);
    for (const line of lines) {
      append(writer.output, held.address, line);
      await writer.output.flush(held.id, 1);
    }
    writer.output.leave(held.id, 1, { isOver: true });
    expect(await readAll(writer.output, held.address)).toEqual([{ from: 0, text: lines.join("") }]);
    expect(await machines().run(`SELECT 1 FROM longhaul.chunks WHERE job = '${held.id}'`)).toHaveLength(1);
  });

  it("waits while the database is away, and what must be durable is waited for", async () => {
    const [writer, reader] = [machines().start("a"), machines().start("b")];
    const held = await machines().hold();
    await writer.output.restore(held);
    const file = writer.output.file(held.address);
    appendFileSync(file.path, "given only once");
    writer.failures = 2;
    expect(await file.grown({ isDurable: true })).toEqual({ size: 15, dropped: 0 });
    expect(writer.failures).toBe(0);
    expect(await readAll(reader.output, held.address)).toEqual([{ from: 0, text: "given only once" }]);
  });
});

describe.skipIf(lacksPostgres)("an attempt that goes on elsewhere", () => {
  const machines = useOnce(
    () => Machines.open(),
    (each) => each.close(),
  );

  it("finds a whole stream byte for byte, and goes on at its end", async () => {
    const [first, second, reader] = [machines().start("a"), machines().start("b"), machines().start("c")];
    const held = await machines().hold();
    await first.output.restore(held);
    const bytes = Buffer.concat([randomBytes(700_000), Buffer.alloc(900_000, "compressible ")]);
    const file = first.output.file(held.address, { isWhole: true });
    appendFileSync(file.path, bytes);
    await file.grown();
    await first.output.flush(held.id, 1);

    const next = await machines().takeOver(held);
    expect(await second.output.restore(next)).toEqual({ isMoved: true });
    const again = second.output.file(held.address, { isWhole: true });
    expect(readFileSync(again.path).equals(bytes)).toBe(true);
    appendFileSync(again.path, "and on");
    await again.grown();
    await second.output.flush(held.id, 1);
    expect(await reader.output.measure(held.address)).toEqual({ size: bytes.length + 6, dropped: 0 });
    expect(Buffer.from((await reader.output.read(held.address, bytes.length, 100)).bytes).toString()).toBe("and on");
  });

  it("takes back what it cuts off of a file when it opens it again", async () => {
    const [first, second, reader] = [machines().start("a"), machines().start("b"), machines().start("c")];
    const held = await machines().hold();
    await first.output.restore(held);
    const line = `${"x".repeat(99_999)}\n`;
    const file = first.output.file(held.address, { isWhole: true });
    appendFileSync(file.path, `${line}{"torn`);
    await file.grown({ isDurable: true });

    await second.output.restore(await machines().takeOver(held));
    const again = second.output.file(held.address, { isWhole: true });
    truncateSync(again.path, line.length);
    await again.grown();
    appendFileSync(again.path, '{"whole":1}\n');
    await again.grown({ isDurable: true });
    const [all] = await readAll(reader.output, held.address);
    expect(all?.text === `${line}{"whole":1}\n`).toBe(true);
  });

  it("goes on from its own spool with what was not shipped, unless another machine has gone further", async () => {
    const [first, reader] = [machines().start("a"), machines().start("c")];
    const held = await machines().hold();
    await first.output.restore(held);
    append(first.output, held.address, "shipped ");
    await first.output.flush(held.id, 1);
    await first.output.close();
    append(first.output, held.address, "left behind ");

    const restarted = machines().start("a");
    const second = await machines().takeOver(held);
    expect(await restarted.output.restore(second)).toEqual({ isMoved: false });
    await restarted.output.flush(held.id, 1);
    expect(await readAll(reader.output, held.address)).toEqual([{ from: 0, text: "shipped left behind " }]);
    append(restarted.output, held.address, "never seen by anybody else");
    await restarted.output.close();

    const other = machines().start("b");
    const third = await machines().takeOver(second);
    expect(await other.output.restore(third)).toEqual({ isMoved: true });
    append(other.output, held.address, "by another ");
    await other.output.flush(held.id, 1);

    const back = machines().start("a");
    expect(await back.output.restore(await machines().takeOver(third))).toEqual({ isMoved: true });
    append(back.output, held.address, "and back");
    await back.output.flush(held.id, 1);
    const text = "shipped left behind by another and back";
    for (const { output } of [back, reader]) expect(await readAll(output, held.address)).toEqual([{ from: 0, text }]);
  });

  it("finds what is kept of a stream with gaps at its offsets, and the pieces that it has saved", async () => {
    const capBytes = 128 * 1024;
    const [first, second] = [machines().start("a", { capBytes }), machines().start("b", { capBytes })];
    const held = await machines().hold();
    await first.output.restore(held);
    const text = numbered(10 * capBytes);
    append(first.output, held.address, text);
    await first.output.savePiece({ id: held.id, attempt: 1, name: "load" }, text);
    await first.output.flush(held.id, 1);

    await second.output.restore(await machines().takeOver(held));
    append(second.output, held.address, "end");
    const stretches = await readAll(second.output, held.address);
    expect(stretches.length).toBeGreaterThan(1);
    for (const { from, text: shown } of stretches) {
      expect(shown === `${text}end`.slice(from, from + shown.length)).toBe(true);
    }
    expect((await second.output.measure(held.address)).size).toBe(text.length + 3);
    const piece = await second.output.loadPiece({ id: held.id, attempt: 1, name: "load" });
    expect(Buffer.from(piece ?? []).toString() === text).toBe(true);
  });

  it("is told when a stream of which everything is kept has become too large", async () => {
    const writer = machines().start("a", { maxWholeBytes: 100_000 });
    const held = await machines().hold();
    await writer.output.restore(held);
    const file = writer.output.file(held.address, { isWhole: true });
    appendFileSync(file.path, Buffer.alloc(100_000));
    await file.grown({ isDurable: true });
    appendFileSync(file.path, "x");
    await expect(file.grown()).rejects.toMatchObject({ name: "LonghaulError", code: "too_large" });
    await writer.output.flush(held.id, 1);
    expect(await machines().start("b").output.measure(held.address)).toEqual({ size: 100_000, dropped: 0 });
  });

  it("leaves nothing behind on a machine that was away when its job ended, once another job begins there", async () => {
    const writer = machines().start("a");
    const [held, open] = [await machines().hold(), await machines().hold()];
    for (const each of [held, open]) {
      await writer.output.restore(each);
      append(writer.output, each.address, "x");
    }
    await writer.output.close();
    await machines().end(held);
    const restarted = machines().start("a");
    await restarted.output.restore({ ...open, isResumed: true });
    expect(existsSync(join(writer.root, held.id))).toBe(true);
    await restarted.output.restore(await machines().hold());
    await until(() => !existsSync(join(writer.root, held.id)));
    expect(existsSync(join(writer.root, open.id))).toBe(true);
  });
});
