import { describe, expect, it } from "vitest";
import { commandTable } from "../../../../src/faces/cli/command-table.ts";
import { findSimilarCommand } from "../../../../src/faces/cli/options/similar-command.ts";

const names = commandTable.map(({ name }) => name);

describe("a command that there is not", () => {
  it.each([
    ["log", "logs"],
    ["jobs", "ps"],
    ["terminate", "cancel"],
    ["follow", "tail"],
    ["tial", "tail"],
    ["stpo", "stop"],
    ["canc", "cancel"],
    ["LOGS", "logs"],
    ["analyse", "analyze"],
  ])("%s means %s", (word, meant) => {
    expect(findSimilarCommand(word, names)).toBe(meant);
  });

  it("is no guess where nothing is like it, or a synonym's command is not there", () => {
    expect(findSimilarCommand("xyzzy", names)).toBeUndefined();
    expect(findSimilarCommand("exec", ["status"])).toBeUndefined();
  });
});
