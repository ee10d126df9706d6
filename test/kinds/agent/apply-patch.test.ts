import { mkdtempSync, readFileSync, readdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { applyPatch } from "../../../src/kinds/agent/tools/apply-patch.ts";
import { ConfinedFiles } from "../../../src/kinds/agent/tools/confined-files.ts";
import { FileMemory } from "../../../src/kinds/agent/tools/seen-files.ts";

let root = "";
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "longhaul-patch-")));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const apply = (text: string): Promise<string> => {
  const files = new ConfinedFiles(root, []);
  return applyPatch(text, files, new FileMemory(files, {}));
};
const patch = (...lines: string[]): Promise<string> => apply(["*** Begin Patch", ...lines, "*** End Patch"].join("\n"));
const write = (name: string, text: string): void => writeFileSync(join(root, name), text);
const read = (name: string): string => readFileSync(join(root, name), "utf8");

describe("a patch", () => {
  it("adds, updates, moves and deletes files", async () => {
    write("a", "one\ntwo\nthree\n");
    write("b", "gone\n");
    write("c", "stay\n");
    const told = await patch(
      "*** Add File: new/d",
      "+first",
      "+",
      "*** Update File: a",
      "@@",
      " one",
      "-two",
      "+TWO",
      " three",
      "*** Delete File: b",
      "*** Update File: c",
      "*** Move to: e",
      "@@",
      "-stay",
      "+moved",
    );
    expect(told).toBe("Added new/d\nUpdated a\nDeleted b\nMoved c to e\nDeleted c");
    expect([read("new/d"), read("a"), read("e")]).toEqual(["first\n\n", "one\nTWO\nthree\n", "moved\n"]);
    expect(readdirSync(root).toSorted()).toEqual(["a", "e", "new"]);
  });

  it("finds its place by anchors, though the same lines stand elsewhere", async () => {
    write("a", "f() {\n  return 1;\n}\ng() {\n  return 1;\n}\n");
    await patch("*** Update File: a", "@@ g() {", "-  return 1;", "+  return 2;");
    expect(read("a")).toBe("f() {\n  return 1;\n}\ng() {\n  return 2;\n}\n");
  });

  it("is lenient with blanks at the ends of lines, and appends where it only adds", async () => {
    write("a", "one  \n  two\n");
    await patch("*** Update File: a", "@@", " one", "-two", "+2", "@@", "+end", "*** End of File");
    expect(read("a")).toBe("one\n2\nend\n");
  });

  it("of several changes to a file keeps their order", async () => {
    write("a", "x\ny\nx\ny\n");
    await patch("*** Update File: a", "@@", "-x", "+1", " y", "@@", "-x", "+2");
    expect(read("a")).toBe("1\ny\n2\ny\n");
  });

  it.each([
    [["*** Update File: a", "@@", "-nope", "+x"], "These lines were not found in a"],
    [["*** Update File: a", "@@ nowhere", "-one", "+x"], '"nowhere" was not found in a'],
    [["*** Add File: a", "+x"], "a exists already"],
    [["*** Add File: z", "x"], 'must begin with "+"'],
    [["*** Update File: gone", "@@", "-x"], "gone does not exist"],
    [["*** Update File: a", "@@", "?x"], "begins with neither"],
  ])("that does not fit changes nothing: %j", async (lines, why) => {
    write("a", "one\n");
    await expect(patch("*** Add File: fresh", "+x", ...lines)).rejects.toThrow(why);
    expect(readdirSync(root)).toEqual(["a"]);
    expect(read("a")).toBe("one\n");
  });

  it.each(["hello", "*** Begin Patch\n*** End Patch", "*** Begin Patch\nhello\n*** End Patch"])(
    "is none: %j",
    async (text) => {
      await expect(apply(text)).rejects.toThrow("The patch is not valid");
    },
  );
});
