import { beforeEach, describe, expect, it } from "vitest";
import type { OutputPiece } from "../../../../src/faces/cli/follow/follow-output.ts";
import { InterleavedNotes } from "../../../../src/faces/cli/follow/interleaved-notes.ts";
import type { TerminalWriter } from "../../../../src/faces/cli/follow/terminal-writer.ts";

describe("notes in a stream", () => {
  let shown: string[] = [];
  let notes: InterleavedNotes;
  beforeEach(() => {
    shown = [];
    const place: Pick<TerminalWriter, "write" | "note"> = {
      write: async ({ bytes }) => void shown.push(Buffer.from(bytes).toString()),
      note: (text) => void shown.push(`[${text}]`),
    };
    notes = new InterleavedNotes(place as TerminalWriter);
  });
  const piece = (text: string, from: number): OutputPiece => ({
    stream: "stdout",
    attempt: 1,
    bytes: Buffer.from(text),
    from,
    next: from + text.length,
    missing: 0,
  });

  it("wait for what was written before them", async () => {
    notes.add({ text: "late", after: 5 });
    expect(shown).toEqual([]);
    await notes.write(piece("abc", 0));
    await notes.write(piece("de", 3));
    expect(shown).toEqual(["abc", "de", "[late]"]);
  });

  it("stand in the middle of what comes at once, in their order", async () => {
    for (const [text, after] of [
      ["first", 0],
      ["second", 2],
      ["third", 2],
      ["fourth", 4],
    ] as const) {
      notes.add({ text, after });
    }
    await notes.write(piece("abcdef", 0));
    expect(shown).toEqual(["[first]", "ab", "[second]", "[third]", "cd", "[fourth]", "ef"]);
  });

  it("are told at once when they come after it, and at the end in any case", async () => {
    await notes.write(piece("abc", 0));
    notes.add({ text: "old", after: 1 });
    notes.add({ text: "never", after: 99 });
    expect(shown).toEqual(["abc", "[old]"]);
    notes.end();
    expect(shown.at(-1)).toBe("[never]");
  });
});
