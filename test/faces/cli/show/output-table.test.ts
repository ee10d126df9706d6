import { describe, expect, it } from "vitest";
import { formatTable, type Column } from "../../../../src/faces/cli/show/output-table.ts";

interface Row {
  readonly id: string;
  readonly text: string;
}

const columns: Column<Row>[] = [
  { title: "ID", text: ({ id }) => id },
  { title: "NOTE", text: () => "" },
  { title: "TEXT", text: ({ text }) => text },
];
const rows = [
  { id: "1", text: "short" },
  { id: "22", text: "a text that is longer than the line may be" },
];
const plain = (text: string): string => text;

describe("a table", () => {
  it("fits the width by cutting its last column", () => {
    const lines = formatTable(rows, columns, { width: 20, paintTitle: plain }).split("\n");
    expect(lines).toEqual(["ID  TEXT", "1   short", "22  a text that is …"]);
  });

  it("leaves columns out, the least important first, before little is left of the last one", () => {
    const three: Column<Row>[] = [
      { title: "ID", text: ({ id }) => id },
      { title: "A", text: () => "a".repeat(10), leaveOut: 2 },
      { title: "B", text: () => "b".repeat(10), leaveOut: 1 },
      { title: "TEXT", text: ({ text }) => text },
    ];
    const titles = (width: number | undefined): string | undefined =>
      formatTable(rows, three, { width, paintTitle: plain }).split("\n")[0]?.replaceAll(/ +/g, " ");
    expect([undefined, 80, 60, 45, 30].map(titles)).toEqual([
      "ID A B TEXT",
      "ID A B TEXT",
      "ID A B TEXT",
      "ID A TEXT",
      "ID TEXT",
    ]);
  });

  it("cuts nothing where there is no width", () => {
    expect(formatTable(rows, columns, { width: undefined, paintTitle: plain })).toContain("than the line may be");
  });

  it("leaves out a column in which nothing stands", () => {
    expect(formatTable(rows, columns, { width: 80, paintTitle: plain })).not.toContain("NOTE");
  });
});
