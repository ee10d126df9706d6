import { describe, expect, it } from "vitest";
import { TerminalModes } from "../../../../src/faces/cli/attach/terminal-modes.ts";

const escape = "\u001b";

function noted(...pieces: string[]): TerminalModes {
  const modes = new TerminalModes();
  for (const piece of pieces) modes.note(Buffer.from(piece));
  return modes;
}

describe("the modes of a terminal", () => {
  it("are taken back in what a program leaves behind, its own screen last", () => {
    const modes = noted(`${escape}[?1049h${escape}[?25l${escape}[?1000;1006hdrawn`);
    expect(modes.isFullScreen).toBe(true);
    expect(modes.leave()).toBe(`${escape}[0m${escape}>${escape}[?25h${escape}[?1000l${escape}[?1006l${escape}[?1049l`);
  });

  it("are set on a terminal that has not seen them, and a screen of its own is cleared", () => {
    expect(noted(`${escape}[?2004h$ `).enter()).toBe(`${escape}[?2004h`);
    expect(noted(`${escape}[?1049h`).enter()).toBe(`${escape}[?1049h${escape}[H${escape}[2J`);
  });

  it("are as usual when the program has taken them back itself", () => {
    const modes = noted(`${escape}[?1049h${escape}[?25l`, `${escape}[?25h${escape}[?1049l`);
    expect(modes.isFullScreen).toBe(false);
    expect(modes.enter()).toBe("");
  });

  it("are seen wherever the output is cut", () => {
    const text = `text${escape}[?1049hmore`;
    for (let at = 0; at <= text.length; at++) {
      expect(noted(text.slice(0, at), text.slice(at)).isFullScreen).toBe(true);
    }
  });
});
