import { describe, expect, it } from "vitest";
import { LineBuffer } from "../../src/text/line-buffer.ts";

function linesOf(chunks: readonly (string | Uint8Array)[]): { lines: string[]; rest: string } {
  const buffer = new LineBuffer();
  const lines = chunks.flatMap((chunk) => buffer.push(Buffer.from(chunk)));
  return { lines, rest: buffer.rest };
}

describe("a line buffer", () => {
  it("gives each line once it has ended, and tells what has not ended yet", () => {
    const buffer = new LineBuffer();
    expect(buffer.push(Buffer.from("on"))).toEqual([]);
    expect(buffer.rest).toBe("on");
    expect(buffer.push(Buffer.from("e\ntwo\nthr"))).toEqual(["one", "two"]);
    expect(buffer.rest).toBe("thr");
    expect(buffer.push(Buffer.from("ee\n"))).toEqual(["three"]);
    expect(buffer.rest).toBe("");
  });

  it("keeps empty lines", () => {
    expect(linesOf(["\n\na\n\n"])).toEqual({ lines: ["", "", "a", ""], rest: "" });
  });

  it("takes CRLF for one line end, also when it comes in two pieces", () => {
    expect(linesOf(["a\r\nb\r", "\nc"])).toEqual({ lines: ["a", "b"], rest: "c" });
  });

  it("keeps a carriage return that ends no line", () => {
    expect(linesOf(["10%\r20%\n"])).toEqual({ lines: ["10%\r20%"], rest: "" });
  });

  it("gives the same lines however the bytes are cut, also within a character", () => {
    const bytes = Buffer.from("é€\r\n😀 ok\n\nrest ü");
    for (let size = 1; size <= bytes.length; size++) {
      const chunks: Uint8Array[] = [];
      for (let at = 0; at < bytes.length; at += size) chunks.push(bytes.subarray(at, at + size));
      expect(linesOf(chunks)).toEqual({ lines: ["é€", "😀 ok", ""], rest: "rest ü" });
    }
  });

  it("takes bytes that are no text without losing the line", () => {
    expect(linesOf([Uint8Array.of(0x61, 0xff, 0x62, 0x0a)]).lines).toEqual(["a\ufffdb"]);
  });

  it("holds a bounded part of a line that does not end, and the lines after it are whole", () => {
    const buffer = new LineBuffer();
    for (let i = 0; i < 20; i++) {
      buffer.push(Buffer.from("x".repeat(50_000)));
      expect(buffer.rest.length).toBeLessThanOrEqual(64 * 1024);
    }
    expect(buffer.push(Buffer.from("\nnext\n")).at(-1)).toBe("next");
  });

  it("gives a line that is too long out in pieces, without losing its beginning", () => {
    const line = `begin${"x".repeat(200_000)}end`;
    const { lines, rest } = linesOf([line.slice(0, 100_000), line.slice(100_000), "\n"]);
    expect([...lines, rest].join("")).toBe(line);
  });
});
