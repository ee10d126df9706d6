import { describe, expect, it } from "vitest";
import { PlacedLines, type PlacedLine } from "../../src/text/placed-lines.ts";

/** The lines of a text that comes in pieces of this size, from an offset on. */
function cut(text: string, size: number, from = 0): PlacedLine[] {
  const lines = new PlacedLines();
  const bytes = Buffer.from(text);
  const found: PlacedLine[] = [];
  for (let at = 0; at < bytes.length; at += size) found.push(...lines.push(bytes.subarray(at, at + size), from + at));
  return [...found, ...lines.rest()];
}

describe("lines with their places", () => {
  it.each([1, 2, 3, 7, 100])("are the same in whatever pieces the bytes come (%i)", (size) => {
    expect(cut("one\r\nzwölf €\n\nlast", size, 10)).toEqual([
      { text: "one", at: 10 },
      { text: "zwölf €", at: 15 },
      { text: "", at: 26 },
      { text: "last", at: 27 },
    ]);
  });

  it("behind dropped bytes they begin where the bytes say", () => {
    const lines = new PlacedLines();
    expect(lines.push(Buffer.from("a\nb"), 0)).toEqual([{ text: "a", at: 0 }]);
    expect(lines.push(Buffer.from("c\nd\n"), 100)).toEqual([
      { text: "bc", at: 2 },
      { text: "d", at: 102 },
    ]);
  });

  it("a flood without line ends is given out in pieces, and no character is torn", () => {
    const text = "€".repeat(60_000);
    const pieces = cut(text, 10_000);
    expect(pieces.length).toBeGreaterThan(2);
    expect(pieces.map(({ text: piece }) => piece).join("")).toBe(text);
    for (const piece of pieces) expect(piece.at % 3).toBe(0);
  });
});
