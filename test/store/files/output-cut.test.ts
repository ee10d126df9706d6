import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { cutMiddle } from "../../../src/store/files/output-cut.ts";
import { measureStream, readSlice } from "../../../src/store/files/output-segments.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "longhaul-cut-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Byte N of the stream, so that each tells where it belongs. */
function bytesAt(from: number, to: number): Buffer {
  return Buffer.from(Array.from({ length: to - from }, (_, index) => ((from + index) % 251) + 1));
}

/** A stream whose first cut was made by copying: a head, a tail that is over, and a file that its process appends to. */
function writeCopied(stream: { head: number; tail: number; live: number; end: number }): void {
  writeFileSync(join(folder, "stdout.0"), bytesAt(0, stream.head));
  writeFileSync(join(folder, "stdout.cut"), `${stream.head} ${stream.head}`);
  writeFileSync(join(folder, `stdout.${stream.tail}`), bytesAt(stream.tail, stream.live));
  writeFileSync(join(folder, `stdout.${stream.live}`), bytesAt(stream.live, stream.end));
}

async function expectTail(from: number, to: number): Promise<void> {
  let read = Buffer.alloc(0);
  for (let next = from; next < to;) {
    const slice = await readSlice(folder, "stdout", next, 10_000);
    expect(slice.from).toBe(next);
    read = Buffer.concat([read, slice.bytes]);
    next = slice.next;
  }
  expect(read.equals(bytesAt(from, to))).toBe(true);
}

describe("a cut by copying, where the file system cannot punch holes", () => {
  it("keeps what the cut before has kept while less than a tail came since", async () => {
    writeCopied({ head: 100, tail: 2_000, live: 2_700, end: 3_000 });
    await cutMiddle(folder, "stdout", 100, 700);
    await expectTail(2_300, 3_000);
    expect(await measureStream(folder, "stdout")).toEqual({ size: 3_000, dropped: 2_200 });
  });

  it("drops what the cut before has kept once a whole tail came since", async () => {
    writeCopied({ head: 100, tail: 2_000, live: 2_700, end: 3_800 });
    await cutMiddle(folder, "stdout", 100, 700);
    await expectTail(3_100, 3_800);
    expect(await measureStream(folder, "stdout")).toEqual({ size: 3_800, dropped: 3_000 });
  });

  it("shortens a tail that is too long when nothing came since", async () => {
    writeCopied({ head: 100, tail: 1_000, live: 3_000, end: 3_000 });
    await cutMiddle(folder, "stdout", 100, 700);
    await expectTail(2_300, 3_000);
    expect(await measureStream(folder, "stdout")).toEqual({ size: 3_000, dropped: 2_200 });
  });
});
