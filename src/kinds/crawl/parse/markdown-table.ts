/** Gathers the cells of a table. */
export class MarkdownTable {
  readonly #rows: string[][] = [];
  readonly #alignments: string[] = [];
  #length = 0;

  /** Of the text in its cells. */
  get length(): number {
    return this.#length;
  }

  addRow(): void {
    this.#rows.push([]);
  }

  addCell(text: string, alignment: string | undefined, span: number): void {
    if (this.#rows.length === 0) this.addRow();
    const row = this.#rows.at(-1);
    if (row === undefined) return;
    this.#length += text.length;
    if (this.#rows.length === 1) this.#alignments[row.length] = alignment ?? "";
    row.push(/[|\n]/.test(text) ? text.replaceAll("|", "\\|").replace(/\n+/g, "<br>") : text);
    for (let column = 1; column < span; column++) row.push("");
  }

  /** A table of one cell is a box around its text. Ends after `most` characters: a wide row and many short ones make more of it than there is memory. */
  toMarkdown(max: number): string {
    const rows = this.#rows.filter((row) => row.some((cell) => cell !== ""));
    const width = rows.reduce((widest, row) => Math.max(widest, row.length), 0);
    if (width === 0) return "";
    if (width === 1 && rows.length === 1) return (rows[0]?.[0] ?? "").replaceAll("<br>", "\n").replaceAll("\\|", "|");
    const line = (cells: readonly string[]): string =>
      `| ${cells.map((cell) => (cell === "" ? "| " : `${cell} | `)).join("")}${"| ".repeat(width - cells.length)}`.trimEnd();
    const [head = [], ...body] = rows;
    let markdown = line(head);
    const rule = Array.from({ length: width }, (_, column) => alignmentRule(this.#alignments[column]));
    for (const row of [rule, ...body]) {
      if (markdown.length > max) break;
      markdown += `\n${line(row)}`;
    }
    return markdown;
  }
}

function alignmentRule(alignment: string | undefined): string {
  if (alignment === "right") return "---:";
  if (alignment === "center") return ":---:";
  return alignment === "left" ? ":---" : "---";
}
