import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { call, toolResults, useAgents } from "./world.ts";
import type { Heard } from "./fake-models.ts";

const world = useAgents();

/** Lets a model make these calls, each in a reply of its own, and gives what the tools said. */
async function play(
  calls: readonly (readonly [string, unknown])[],
  before: (step: number) => unknown = () => undefined,
): Promise<string[]> {
  const { models } = world();
  const steps = calls.map(([name, input], index) => () => {
    before(index);
    return call(name, input);
  });
  models.script("m", ...steps, { text: "Done." });
  const job = await world().run();
  expect(job.state).toMatchObject({ status: "succeeded" });
  return toolResults(models.heard.at(-1)?.body ?? {});
}

const lines = (count: number): string => Array.from({ length: count }, (_, index) => `line ${index + 1}\n`).join("");

describe("read_file", () => {
  it("numbers lines, also where it begins in the middle", async () => {
    await world().open();
    world().write("a.txt", lines(30));
    world().write("empty.txt", "");
    const answers = await play([
      ["read_file", { filePath: "a.txt", startLine: 9, endLine: 11 }],
      ["read_file", { filePath: "empty.txt" }],
    ]);
    expect(answers).toEqual(["9\tline 9\n10\tline 10\n11\tline 11", "[there is nothing]"]);
  });

  it("says with which line a long file goes on", async () => {
    await world().open();
    world().write("long.txt", lines(10_000));
    const [answer = ""] = await play([["read_file", { filePath: "long.txt" }]]);
    const next = Number(/read on with startLine (\d+)\]$/.exec(answer)?.[1]);
    expect(answer).toContain(`\n${next - 1}\tline ${next - 1}\n`);
    expect(answer).not.toContain(`\tline ${next + 1}\n`);
  });
});

describe("edit_file", () => {
  it("changes one place in the middle of a long file and nothing else", async () => {
    await world().open();
    world().write("long.ts", lines(3_000));
    const [answer] = await play([
      ["edit_file", { filePath: "long.ts", oldText: "line 1500\nline 1501\n", newText: "a\nb\nc\n" }],
    ]);
    expect(answer).toBe("Replaced 1 place in long.ts, at line 1500.");
    expect(world().read("long.ts")).toBe(lines(3_000).replace("line 1500\nline 1501\n", "a\nb\nc\n"));
  });

  it("refuses a text that is not there, or there more than once, and leaves the file alone", async () => {
    await world().open();
    world().write("a.txt", "x = 1\ny = 1\nx = 1\n");
    const answers = await play([
      ["edit_file", { filePath: "a.txt", oldText: "z = 1", newText: "z = 2" }],
      ["edit_file", { filePath: "a.txt", oldText: "x = 1", newText: "x = 2" }],
      ["edit_file", { filePath: "a.txt", oldText: "x = 1", newText: "x = 1" }],
    ]);
    expect(answers[0]).toContain("was not found in a.txt");
    expect(answers[1]).toContain("2 times in a.txt, at the lines 1, 3");
    expect(answers[2]).toContain("newText that differs");
    expect(world().read("a.txt")).toBe("x = 1\ny = 1\nx = 1\n");
  });

  it("changes every place when asked to, and keeps the ends of lines and dollar signs as they are", async () => {
    await world().open();
    world().write("a.txt", "x\r\ny\r\nx\r\n");
    await play([["edit_file", { filePath: "a.txt", oldText: "x\n", newText: "$& z\n", replaceAll: true }]]);
    expect(world().read("a.txt")).toBe("$& z\r\ny\r\n$& z\r\n");
  });
});

describe("a file that has changed since the agent read it", () => {
  it.each([
    ["edit_file", { filePath: "a.txt", oldText: "two", newText: "2" }],
    ["write_file", { filePath: "a.txt", content: "all new" }],
    ["apply_patch", { input: "*** Begin Patch\n*** Update File: a.txt\n-two\n+2\n*** End Patch" }],
  ])("is not overwritten by %s before it is read again", async (tool, input) => {
    await world().open();
    world().write("a.txt", "one\ntwo\n");
    const answers = await play(
      [
        ["read_file", { filePath: "./a.txt" }],
        [tool, input],
        ["read_file", { filePath: "a.txt" }],
        [tool, input],
      ],
      (step) => step === 1 && world().write("a.txt", "one\ntwo\nthree\n"),
    );
    expect(answers[1]).toBe("a.txt has changed since you last read it: read it again before you change it.");
    expect(answers[3]).not.toContain("has changed");
    expect(world().read("a.txt")).not.toContain("two");
  });

  it("may be changed again by the agent that changed it", async () => {
    await world().open();
    world().write("a.txt", "one two");
    await play([
      ["read_file", { filePath: "a.txt" }],
      ["edit_file", { filePath: "a.txt", oldText: "one", newText: "1" }],
      ["edit_file", { filePath: "a.txt", oldText: "two", newText: "2" }],
    ]);
    expect(world().read("a.txt")).toBe("1 2");
  });
});

describe("grep and glob", () => {
  it("leave out what .gitignore names, unless it is searched by name", async () => {
    await world().open();
    const files = [
      "src/a.ts",
      "src/gen/b.ts",
      "dist/c.ts",
      "src/keep.log",
      "other.log",
      "packages/p/dist/d.ts",
      "node_modules/e.ts",
    ];
    for (const file of files) world().write(file, "needle\n");
    world().write(".gitignore", "# built\ndist/\n*.log\n!keep.log\n/src/gen\n");
    const answers = await play([
      ["grep", { pattern: "needle" }],
      ["glob", { pattern: "**/*.ts" }],
      ["grep", { pattern: "needle", searchPath: "dist" }],
    ]);
    expect(answers[0]?.split("\n").toSorted()).toEqual(["src/a.ts:1: needle", "src/keep.log:1: needle"]);
    expect(answers[1]).toBe("src/a.ts");
    expect(answers[2]).toBe("dist/c.ts:1: needle");
  });

  it("heed the .gitignore of a folder within, and of one above the folder that is searched", async () => {
    await world().open();
    for (const file of ["a/x.tmp", "a/b/x.tmp", "a/b/y.gen", "c/y.gen"]) world().write(file, "needle\n");
    world().write("a/.gitignore", "*.tmp\n");
    world().write("a/b/.gitignore", "!x.tmp\n*.gen\n");
    const answers = await play([
      ["grep", { pattern: "needle", filesOnly: true }],
      ["grep", { pattern: "needle", filesOnly: true, searchPath: "a/b" }],
    ]);
    expect(answers[0]?.split("\n").toSorted()).toEqual(["a/b/x.tmp", "c/y.gen"]);
    expect(answers[1]).toBe("a/b/x.tmp");
  });

  it("show the lines around a match, and where lines are left out", async () => {
    await world().open();
    world().write("a.txt", lines(20));
    const [answer] = await play([["grep", { pattern: "line (3|4|10)$", context: 1 }]]);
    expect(answer?.split("\n")).toEqual([
      "a.txt-2- line 2",
      "a.txt:3: line 3",
      "a.txt:4: line 4",
      "a.txt-5- line 5",
      "--",
      "a.txt-9- line 9",
      "a.txt:10: line 10",
      "a.txt-11- line 11",
    ]);
  });
});

/** The smallest PNG there is. */
const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

const writePicture = (): void => writeFileSync(join(world().root, "a.png"), png);

describe("a picture", () => {
  const show = async (model: string): Promise<void> => {
    const { models } = world();
    models.script(model.split("/")[1] ?? "", call("read_file", { filePath: "a.png" }), { text: "Red." });
    const { id } = await world().submit({ model });
    await world().end(id);
  };

  it.each([
    ["fake/m", "data:image/png;base64,"],
    ["anthropic/claude", '"media_type":"image/png"'],
    ["google/gemini", '"mimeType":"image/png"'],
  ])("is shown to the model %s in its own form", async (model, form) => {
    await world().open();
    writePicture();
    await show(model);
    const said = JSON.stringify(world().models.heard.at(-1)?.body);
    expect(said).toContain(form);
    expect(said).toContain(png.toString("base64"));
  });

  it("is told of in words to a model that takes none, and the task goes on", async () => {
    await world().open();
    writePicture();
    const isRefused = ({ said }: Heard): boolean => said.includes("base64,");
    world().models.script("m", call("read_file", { filePath: "a.png" }), (heard) =>
      isRefused(heard) ? { status: 400, error: "image input is not supported" } : { text: "I cannot see." },
    );
    const job = await world().run();
    expect(await world().result(job)).toMatchObject({ output: "I cannot see." });
    expect(world().models.heard.at(-1)?.said).toContain("[a.png: the model cannot see it]");
    expect(await world().activity(job.id)).toContainEqual(expect.objectContaining({ type: "blind" }));
  });

  it("that is no longer there as it was is told of in words", async () => {
    await world().open();
    writePicture();
    const answers = await play(
      [
        ["read_file", { filePath: "a.png" }],
        ["list", {}],
      ],
      (step) => step === 1 && rmSync(`${world().root}/a.png`),
    );
    expect(answers[0]).toBe("a.png is shown to you after these answers.");
    expect(world().models.heard.at(-1)?.said).toContain("[a.png: it has changed or is gone]");
  });
});

describe("several calls of one reply", () => {
  it("run side by side where they only read, and in their order where they do not", async () => {
    await world().open();
    world().write("a.txt", "A");
    const { models } = world();
    const read = { name: "read_file", input: { filePath: "a.txt" } };
    const write = (content: string): { name: string; input: object } => ({
      name: "write_file",
      input: { filePath: "a.txt", content },
    });
    models.script("m", { calls: [read, read, write("B"), read, write("C"), read] }, { text: "Done." });
    const job = await world().run();
    const [one, two, , four, , six] = toolResults(models.heard.at(-1)?.body ?? {});
    expect([one, two, four, six]).toEqual(["1\tA", "1\tA", "1\tB", "1\tC"]);
    const started = (await world().activity(job.id)).map(({ type }) => type);
    expect(started.filter((type) => type === "tool_start" || type === "tool_done").slice(0, 4)).toEqual([
      "tool_start",
      "tool_start",
      "tool_done",
      "tool_done",
    ]);
  });
});
