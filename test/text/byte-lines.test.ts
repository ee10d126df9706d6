import { describe, expect, it } from "vitest";
import { ByteLines } from "../../src/text/byte-lines.ts";

const bytes = (text: string): Uint8Array => Buffer.from(text);

describe("lines of bytes", () => {
  it("are whole wherever the pieces were cut, also within a character", () => {
    const lines = new ByteLines(100);
    const all = Buffer.from("one\r\ntwö\n\nrest");
    const texts = [...all].flatMap((_byte, index) => lines.push(all.subarray(index, index + 1)));
    expect(texts.map(({ text }) => text)).toEqual(["one", "twö", ""]);
    expect(lines.rest()).toEqual([{ text: "rest", isCut: false }]);
    expect(lines.rest()).toEqual([]);
  });

  it("that are too long are cut once, and the next one is whole", () => {
    const lines = new ByteLines(4);
    expect(lines.push(bytes("12"))).toEqual([]);
    expect(lines.push(bytes("345"))).toEqual([]);
    expect(lines.push(bytes("678\n1234\n"))).toEqual([
      { text: "1234", isCut: true },
      { text: "1234", isCut: false },
    ]);
  });
});
