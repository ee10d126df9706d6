import { describe, expect, it } from "vitest";
import { Puppet, type StartedJob } from "../engine/puppet.ts";
import { refusal, untilStatus, useWorld } from "../engine/world.ts";
import { until } from "../until.ts";
import { call } from "./call.ts";

const world = useWorld();

interface Output {
  readonly text: string;
  readonly from: number;
  readonly next: number;
  readonly size: number;
  readonly dropped: number;
  readonly is_complete: boolean;
  readonly matches?: number;
  readonly note?: string;
}

interface Started extends StartedJob {
  readonly read: (input?: object) => Promise<Output>;
  /** Writes, and waits until it can be read. */
  readonly write: (chunk: string | Uint8Array, stream?: string) => Promise<void>;
  readonly end: () => Promise<void>;
}

async function start(options: { outputCapBytes?: number } = {}): Promise<Started> {
  const puppet = new Puppet();
  const started = await puppet.start(await world().open([puppet.kind], options));
  const { engine, id, attempt } = started;
  const sizeOf = async (stream: string): Promise<number> => (await engine.outputSizes(id))[stream]?.size ?? 0;
  return {
    ...started,
    read: async (input = {}) => (await call(engine, "job_output", { id, ...input })) as Output,
    write: async (chunk, stream = "stdout") => {
      const size = (await sizeOf(stream)) + Buffer.byteLength(chunk);
      attempt.context.output(stream).write(chunk);
      await until(async () => (await sizeOf(stream)) === size);
    },
    end: async () => {
      attempt.succeed();
      await untilStatus(engine, id, "succeeded");
    },
  };
}

/** Reads on by `next` until there is no more. */
async function readAll(read: Started["read"], input: object): Promise<Output[]> {
  const pages: Output[] = [];
  for (let from = 0; ;) {
    const page = await read({ ...input, from });
    pages.push(page);
    if (page.is_complete || page.next <= from) return pages;
    from = page.next;
  }
}

describe("what there is to read", () => {
  it("is told when an attempt or a stream is asked for that there is not, and cannot come", async () => {
    const { engine, id, read, write, end } = await start();
    await write("x", "pictures");
    // While it runs it may still write to a stream of any name.
    expect((await read({ stream: "later" })).text).toBe("");
    await end();
    await expect(call(engine, "job_output", { id, stream: "foo" })).rejects.toMatchObject({
      code: "invalid_input",
      message: `Job ${id} has no stream "foo": it has merged, stdout, stderr, pictures.`,
    });
    await expect(call(engine, "job_output", { id, attempt: 9 })).rejects.toMatchObject({
      message: `Job ${id} has no attempt 9: there is only the first.`,
    });
  });
});

describe("reading by offset", () => {
  const text = "aé€😀ß漢字\nthe end";

  it.each([4, 5, 7, 64_000])("%i bytes at a time gives the whole text and cuts no character", async (limit) => {
    const { read, write, end } = await start();
    await write(text);
    await end();
    const pages = await readAll(read, { limit });
    expect(pages.map((page) => page.text).join("")).toBe(text);
    expect(pages.filter((page) => page.is_complete)).toHaveLength(1);
    expect(pages.at(-1)).toMatchObject({ is_complete: true, next: Buffer.byteLength(text), dropped: 0 });
  });

  it.each([1, 3, 100])("%i bytes at a time as base64 gives exactly the bytes, text or not", async (limit) => {
    const { read, write, end } = await start();
    const bytes = Uint8Array.from({ length: 40 }, (_, index) => (index * 89) % 256);
    await write(bytes);
    await end();
    const pages = await readAll(read, { limit, encoding: "base64", stream: "stdout" });
    expect(Buffer.concat(pages.map((page) => Buffer.from(page.text, "base64")))).toEqual(Buffer.from(bytes));
  });

  it("begins where it is told and says where to read on", async () => {
    const { read, write } = await start();
    await write("0123456789");
    expect(await read({ from: 3, limit: 4 })).toMatchObject({ text: "3456", from: 3, next: 7, size: 10 });
    expect(await read({ from: 10 })).toMatchObject({ text: "", from: 10, next: 10 });
  });

  it("is complete only when the job has ended and all was read", async () => {
    const { read, write, end } = await start();
    await write("0123456789");
    expect(await read()).toMatchObject({ next: 10, is_complete: false });
    await end();
    expect(await read({ limit: 4 })).toMatchObject({ is_complete: false });
    expect(await read({ from: 4 })).toMatchObject({ text: "456789", is_complete: true });
    expect(await read({ from: 10 })).toMatchObject({ text: "", is_complete: true });
  });

  it("gives the broken end of a text when the job has ended with it", async () => {
    const { read, write, end } = await start();
    await write(Uint8Array.of(0x61, 0xe2, 0x82));
    expect(await read()).toMatchObject({ text: "a", next: 1 });
    await end();
    expect(await read()).toMatchObject({ text: "a\ufffd", next: 3, is_complete: true });
  });

  it("waits for the rest of a character whose beginning is all that is there", async () => {
    const { read, write, end } = await start();
    await write(Uint8Array.of(0x61, 0xe2));
    const first = await read();
    expect(first).toMatchObject({ text: "a", next: 1 });
    const second = await read({ from: first.next });
    await write(Uint8Array.of(0x82, 0xac));
    await end();
    const third = await read({ from: second.next });
    expect(first.text + second.text + third.text).toBe("a€");
  });

  it("tells how much was dropped, and goes on with what is kept", async () => {
    const puppet = new Puppet();
    const engine = await world().open([puppet.kind], { outputCapBytes: 8_000 });
    const { id } = await engine.submit({ kind: "puppet", input: {} });
    const attempt = await puppet.next();
    attempt.context.output().write("x".repeat(100_000));
    attempt.context.output().write("the end");
    attempt.succeed();
    await untilStatus(engine, id, "succeeded");
    const pages = await readAll(async (input) => (await call(engine, "job_output", { id, ...input })) as Output, {});
    const shown = pages.map((page) => page.text).join("");
    const { dropped, size } = pages.at(-1) as Output;
    expect(size).toBe(100_007);
    expect(dropped).toBeGreaterThan(0);
    expect(shown).toMatch(/^x+the end$/);
    expect(shown).toHaveLength(size - dropped);
  });

  it.each(["a line\n", "€"])(
    "ends before dropped bytes, so that the next read begins behind them: %j",
    async (piece) => {
      const { read, write, end } = await start({ outputCapBytes: 8_000 });
      for (let part = 0; part < 20; part++) await write(piece.repeat(500));
      await end();
      const pages = await readAll(read, { limit: 1_000_000 });
      const [first, second] = pages;
      expect(pages).toHaveLength(2);
      expect(second).toMatchObject({ from: (first?.next ?? 0) + (first?.dropped ?? 0), is_complete: true });
    },
  );
});

describe("a stream", () => {
  it("is read by itself, or with the other one", async () => {
    const { read, write, end } = await start();
    await write("out\n");
    await write("err\n", "stderr");
    await end();
    expect(await read({ stream: "stdout" })).toMatchObject({ text: "out\n", size: 4 });
    expect(await read({ stream: "stderr" })).toMatchObject({ text: "err\n", size: 4 });
    expect(await read()).toMatchObject({ text: "out\nerr\n", size: 8, is_complete: true });
  });

  it("that nobody writes is empty, and no name leads to the files of another", async () => {
    const { read, write } = await start();
    await write("out");
    expect(await read({ stream: "other" })).toMatchObject({ text: "", size: 0 });
    expect(await read({ stream: "../1/stdout" })).toMatchObject({ text: "", size: 0 });
  });

  it("that joins another keeps the places that merged output was given before", async () => {
    const { read, write, end } = await start();
    await write("err\n", "stderr");
    const first = await read();
    await write("out\n");
    await end();
    const second = await read({ from: first.next });
    expect(first.text + second.text).toBe("err\nout\n");
  });
});

describe("an earlier attempt", () => {
  it("has its own output, which is complete while the next one runs", async () => {
    const { engine, puppet, id, attempt, read, write } = await start();
    await write("first");
    attempt.fail(new Error("no disk"));
    await untilStatus(engine, id, "failed");
    await engine.retry(id);
    const second = await puppet.next();
    second.context.output().write("second");
    await until(async () => (await read()).text === "second");
    expect(await read({ attempt: 1 })).toMatchObject({ text: "first", is_complete: true });
    expect(await read({ attempt: 2 })).toMatchObject({ text: "second", is_complete: false });
  });
});

describe("tail", () => {
  it("does not join lines across bytes that were dropped", async () => {
    const { read, write, end } = await start({ outputCapBytes: 8_000 });
    for (let part = 0; part < 20; part++) await write(`${part} ${"x".repeat(996)}\n`);
    await end();
    const { text } = await read({ tail: 1_000, limit: 1_000_000 });
    expect(text.trimEnd().split("\n").slice(1)).toEqual(
      text
        .trimEnd()
        .split("\n")
        .slice(1)
        .map((_, index, all) => `${20 - all.length + index} ${"x".repeat(996)}`),
    );
    expect(text.startsWith("0 ")).toBe(false);
  });

  it.each([
    ["1\n2\n3\n4\n", 2, "3\n4\n", 4],
    ["1\n2\n3\n4", 2, "3\n4", 4],
    ["1\n2\n", 5, "1\n2\n", 0],
    ["1\n\n\n", 2, "\n\n", 2],
    ["", 3, "", 0],
  ])("of %j, %i lines, is %j", async (text, tail, wanted, from) => {
    const { read, write, end } = await start();
    if (text !== "") await write(text);
    await end();
    expect(await read({ tail })).toMatchObject({ text: wanted, from, next: text.length, is_complete: true });
  });

  it("gives no more bytes than the limit, from the end", async () => {
    const { read, write } = await start();
    await write("one\ntwo\nthree\n");
    expect(await read({ tail: 3, limit: 8 })).toMatchObject({ text: "o\nthree\n".slice(-8), from: 6, next: 14 });
  });

  it("does not begin within a character when the limit cuts it", async () => {
    const { read, write } = await start();
    await write("ééé");
    expect((await read({ tail: 1, limit: 3 })).text).toBe("é");
  });

  it("says where to read on", async () => {
    const { read, write } = await start();
    await write("one\ntwo\n");
    const { next } = await read({ tail: 1 });
    await write("three\n");
    expect(await read({ from: next })).toMatchObject({ text: "three\n" });
  });
});

describe("grep", () => {
  it("gives the lines that match and how many they are, also the last one without an end", async () => {
    const { read, write, end } = await start();
    await write("error 1\nfine\r\nerror 2\r\nerr");
    await write("or 3");
    await end();
    expect(await read({ grep: "^error \\d" })).toMatchObject({
      text: "error 1\nerror 2\nerror 3\n",
      matches: 3,
      offsets: [0, 14, 23],
      is_complete: true,
    });
    expect(await read({ grep: "nothing" })).toMatchObject({ text: "", matches: 0, offsets: [] });
    expect(await read({ grep: "error", from: 8 })).toMatchObject({ matches: 2 });
  });

  it("counts all lines that match and returns those that fit the limit", async () => {
    const { read, write, end } = await start();
    await write("hit\n".repeat(100));
    await end();
    expect(await read({ grep: "hit", limit: 8 })).toMatchObject({ text: "hit\nhit\n", matches: 100 });
  });

  it("gives the last so many of the lines that match", async () => {
    const { read, write, end } = await start();
    await write("hit 1\nmiss\nhit 2\nhit 3\nmiss\n");
    await end();
    expect(await read({ grep: "hit", tail: 2 })).toMatchObject({
      text: "hit 2\nhit 3\n",
      matches: 3,
      offsets: [11, 17],
    });
    expect(await read({ grep: "hit", tail: 2, limit: 6 })).toMatchObject({ text: "hit 3\n", matches: 3 });
  });

  it("refuses an expression that RE2 does not take", async () => {
    const { read } = await start();
    await expect(read({ grep: "(a)\\1" })).rejects.toMatchObject(refusal("invalid_input", /no back-references/));
  });

  it("finds what stands at the beginning of a very long line", async () => {
    const { read, write, end } = await start();
    await write(`needle${"x".repeat(1_200_000)}\n`);
    await end();
    expect((await read({ grep: "needle", limit: 100 })).matches).toBe(1);
  });

  it("leaves a line that has not ended for the next read, while the job runs", async () => {
    const { read, write } = await start();
    await write("err");
    const first = await read({ grep: "^error" });
    await write("or 1\n");
    const second = await read({ grep: "^error", from: first.next });
    expect((first.matches ?? 0) + (second.matches ?? 0)).toBe(1);
  });

  it("says how many bytes it could not search because they were dropped, and nothing where all were kept", async () => {
    const { read, write, end } = await start({ outputCapBytes: 4_000 });
    await write("first\n");
    for (let round = 0; round < 10; round++) await write(`${"x".repeat(999)}\n`);
    await write("last\n");
    await end();
    const { matches, dropped, note } = await read({ grep: "nothing" });
    expect(matches).toBe(0);
    expect(dropped).toBeGreaterThan(1_000);
    expect(note).toBe(
      `10,011 bytes, ${dropped.toLocaleString("en-US")} bytes in the middle were dropped and not searched`,
    );
    expect(await read({ grep: "first|last" })).toMatchObject({ matches: 2, note });
    expect((await read({ grep: "last", from: 10_000 })).note).toBeUndefined();
    expect((await read({ tail: 1 })).note).toBeUndefined();
  });

  it("returns no more bytes than the limit, whatever the characters", async () => {
    const { read, write, end } = await start();
    await write("€€€\n".repeat(10));
    await end();
    const { text } = await read({ grep: "€", limit: 20 });
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(20);
  });
});

describe("waiting for output", () => {
  it("returns as soon as there is some beyond the offset", async () => {
    const { read, write } = await start();
    await write("one\n");
    expect(await read({ wait_ms: 60_000 })).toMatchObject({ text: "one\n" });
    const reading = read({ from: 4, wait_ms: 60_000 });
    await write("two\n");
    expect(await reading).toMatchObject({ text: "two\n", from: 4, next: 8, is_complete: false });
  });

  it("returns when the job ends without more", async () => {
    const { read, end } = await start();
    const reading = read({ wait_ms: 60_000 });
    await end();
    expect(await reading).toMatchObject({ text: "", is_complete: true });
    expect(await read({ wait_ms: 60_000 })).toMatchObject({ text: "", is_complete: true });
  });

  it("returns empty-handed when the time is over, and the job goes on", async () => {
    const { read } = await start();
    expect(await read({ wait_ms: 20 })).toMatchObject({ text: "", next: 0, is_complete: false });
  });
});
