import { describe, expect, it } from "vitest";
import { commandTable } from "../../../../src/faces/cli/command-table.ts";
import { completeWords } from "../../../../src/faces/cli/options/complete-words.ts";

const known = {
  jobs: async () => [{ word: "my-job", summary: "running npm start" }],
  kinds: async () => [{ word: "shell" }, { word: "toy" }],
  batches: async () => [{ word: "nightly" }],
  verbs: async () => [{ name: "run-toy", summary: "play" }],
};

/** What is offered for the last word of the line, as far as it begins with it. */
async function offers(line: string): Promise<unknown> {
  const words = line.split(" ").slice(1);
  const found = await completeWords(words, known);
  if (!Array.isArray(found)) return found;
  return found.map(({ word }) => word).filter((word) => word.startsWith(words.at(-1) ?? ""));
}

describe("completing", () => {
  it("offers every command of the table that people call, nested ones too", async () => {
    const names = (await offers("longhaul ")) as string[];
    for (const { name, isHidden, children } of commandTable) {
      expect(names.includes(name)).toBe(isHidden !== true);
      if (children !== undefined)
        expect(await offers(`longhaul ${name} `)).toEqual(children.map((child) => child.name));
    }
  });

  it.each([
    ["longhaul help endpoint h", ["health"]],
    ["longhaul start ", ["run-toy"]],
    ["longhaul run --ti", ["--timeout"]],
    ["longhaul token create --al", ["--all-owners"]],
    ["longhaul token create ci --scope r", ["read", "run"]],
    ["longhaul webhook list --state d", ["delivered"]],
    ["longhaul mcp --profile=c", ["--profile=core"]],
    ["longhaul mcp --profile a", ["all"]],
    ["longhaul add cursor --profile runpod,m", ["runpod,mcp-task"]],
    ["longhaul ps --state failed,r", ["failed,running"]],
    ["longhaul ps --state = failed,r", ["failed,running"]],
    ["longhaul cancel --state act", ["active"]],
    ["longhaul pause t", ["toy"]],
    ["longhaul ps --kind ", ["shell", "toy"]],
    ["longhaul wait --any one my", ["my-job"]],
    ["longhaul wait --batch n", ["nightly"]],
    ["longhaul batch show n", ["nightly"]],
    ["longhaul tail my", ["my-job"]],
    ["longhaul help --a", ["--all"]],
    ["longhaul run --after my", ["my-job"]],
    ["longhaul webhook redeliver my", []],
    ["longhaul show my-job ", []],
    ["longhaul nothing s", []],
  ])("offers what fits at that place: %s", async (line, expected) => {
    expect(await offers(line)).toEqual(expected);
  });

  it.each([
    ["longhaul run --cwd s", "files"],
    ["longhaul run np", { commandAfter: 1 }],
    ["longhaul run npm --ver", { commandAfter: 1 }],
    ["longhaul run -d --name x -- npm --ver", { commandAfter: 5 }],
  ])("leaves files, and the command to be run, to the shell: %s", async (line, expected) => {
    expect(await offers(line)).toEqual(expected);
  });
});
