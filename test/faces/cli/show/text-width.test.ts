import { describe, expect, it } from "vitest";
import { displayWidth, padEnd, truncate } from "../../../../src/faces/cli/show/text-width.ts";
import { escapeControls } from "../../../../src/text/controls.ts";

describe("the width of a text", () => {
  it("counts wide characters twice and combining ones not at all", () => {
    expect(["abc", "日本", "e\u0301", "🚀"].map(displayWidth)).toEqual([3, 4, 1, 2]);
  });

  it("is kept when a text is cut, which an ellipsis shows", () => {
    expect([truncate("abcdef", 4), truncate("日本語", 4), truncate("abc", 3)]).toEqual(["abc…", "日…", "abc"]);
  });

  it("is filled up with spaces", () => {
    expect(padEnd("日", 4)).toBe("日  ");
  });
});

describe("control characters", () => {
  it("are shown instead of sent", () => {
    expect(escapeControls("a\u001b[31mb\nc\td\u0007\u009b\u202e")).toBe("a\\e[31mb\\nc\\td\\x07\\x9b\\u202e");
  });
});
