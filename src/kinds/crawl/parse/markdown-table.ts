/** Gathers the cells of a table. */
export class MarkdownTable {
  readonly #rows: string[][] = [];
  readonly #alignments: string[] = [];

  addRow(): void {
    this.#rows.push([]);
  }

  addCell(text: string, alignment: string | undefined, span: number): void {
    if (this.#rows.length === 0) this.addRow();
    const row = this.#rows.at(-1);
    if (row === undefined) return;
    if (this.#rows.length === 1) this.#alignments[row.length] = alignment ?? "";
    row.push(text.replaceAll("|", "\\|").replace(/\n+/g, "<br>"), ...Array.from({ length: span - 1 }, () => ""));
  }

  /** A table of one cell is a box around its text. */
  toMarkdown(): string {
    const rows = this.#rows.filter((row) => row.some((cell) => cell !== ""));
    const width = rows.reduce((most, row) => Math.max(most, row.length), 0);
    if (width === 0) return "";
    if (width === 1 && rows.length === 1) return (rows[0]?.[0] ?? "").replaceAll("<br>", "\n").replaceAll("\\|", "|");
    const line = (cells: readonly string[]): string =>
      `| ${Array.from({ length: width }, (_, column) => cells[column] ?? "").join(" | ")} |`.replace(/ {2,}\|/g, " |");
    const rule = line(Array.from({ length: width }, (_, column) => alignmentRule(this.#alignments[column])));
    const [head = [], ...body] = rows;
    return [line(head), rule, ...body.map(line)].join("\n");
  }
}

function alignmentRule(alignment: string | undefined): string {
  if (alignment === "right") return "---:";
  if (alignment === "center") return ":---:";
  return alignment === "left" ? ":---" : "---";
}
