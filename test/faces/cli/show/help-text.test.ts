import { expect, it } from "vitest";
import { commandTable, type CommandEntry } from "../../../../src/faces/cli/command-table.ts";
import { overviewText, sections } from "../../../../src/faces/cli/show/help-text.ts";

const placed = sections.flatMap(({ main, others }) => [...main, ...others]);

it("every command that is not just another name has its place in the overview", () => {
  const shown = commandTable.filter(({ isHidden, aliasOf }) => isHidden !== true && aliasOf === undefined);
  expect(shown.map(({ name }) => name).filter((name) => !placed.includes(name))).toEqual([]);
  expect(new Set(placed).size).toBe(placed.length);
});

it("the overview is at most thirty lines of 80 columns, whatever commands there are", () => {
  const known = new Map(commandTable.map((entry) => [entry.name, entry]));
  const all: CommandEntry[] = placed.map((name) => known.get(name) ?? { name, summary: "s".repeat(60) });
  const lines = overviewText(all).trimEnd().split("\n");
  expect(lines.length).toBeLessThanOrEqual(30);
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
});
