import type { Mark, MarkName, Piece } from "./content-piece.ts";
import { codeSpan, escapeLineStart, InlineText, longestRun, toImage } from "./inline-text.ts";
import { MarkdownTable } from "./markdown-table.ts";

/** What stands before the lines of a quote or of a list item. */
interface Container {
  readonly first: string;
  readonly rest: string;
  /** Nothing was written in it yet. */
  isFresh: boolean;
}

/** Deeper ones are flattened: their indents would be all that is to be seen. */
const maxContainers = 30;
const inlineMarks: ReadonlySet<MarkName> = new Set(["a", "code", "strong", "em", "del", "sub", "sup", "noteref"]);

const headingLevels: ReadonlyMap<MarkName, number> = new Map([
  ["h1", 1],
  ["h2", 2],
  ["h3", 3],
  ["h4", 4],
  ["h5", 5],
  ["h6", 6],
]);

/** Markdown (GFM) of a page that the content writer has cleaned; what comes after the first `most` characters may be missing. */
export function toMarkdown(pieces: readonly Piece[], max = Infinity): string {
  const writer = new MarkdownWriter(max);
  for (const piece of pieces) {
    if (writer.isFull) break;
    if (typeof piece === "string") writer.text(piece);
    else if (piece.isOpen) writer.open(piece);
    else writer.close(piece);
  }
  return writer.end();
}

class MarkdownWriter {
  readonly #inline = new InlineText();
  readonly #containers: Container[] = [];
  readonly #lists: { next: number | undefined; isBegun: boolean }[] = [];
  readonly #max: number;
  /** Quotes and items that were opened within too many others. */
  #flat = 0;
  #out = "";
  #isTight = true;
  #code: { text: string; language: string } | undefined;
  #table: { readonly table: MarkdownTable; depth: number; cell: Mark | undefined } | undefined;

  constructor(max: number) {
    this.#max = max;
  }

  get isFull(): boolean {
    return this.#out.length > this.#max || (this.#table?.table.length ?? 0) > this.#max;
  }

  text(text: string): void {
    if (this.#code === undefined) this.#inline.text(text);
    else this.#code.text += text;
  }

  open(mark: Mark): void {
    if (this.#code !== undefined) {
      if (mark.name === "code" && this.#code.language === "") this.#code.language = mark.value ?? "";
      return;
    }
    if (inlineMarks.has(mark.name)) return this.#inline.open(mark);
    if (this.#openAtom(mark)) return;
    this.#endBlock();
    if (mark.name === "pre") this.#code = { text: "", language: mark.value ?? "" };
    else if (mark.name === "table") this.#openTable();
    else if (this.#table !== undefined) this.#openInTable(mark);
    else if (mark.name === "ul") this.#lists.push({ next: undefined, isBegun: false });
    else if (mark.name === "ol") this.#lists.push({ next: Number(mark.value ?? 1), isBegun: false });
    else if (mark.name === "li") this.#openItem();
    else if (mark.name === "blockquote") this.#enter("> ", "> ");
    else if (mark.name === "note") this.#enter(`[^${mark.value}]: `, "    ");
  }

  close({ name }: Mark): void {
    if (this.#code !== undefined) {
      if (name === "pre") this.#closeCode(this.#code);
      return;
    }
    if (inlineMarks.has(name)) return this.#inline.close();
    if (name === "table") return this.#closeTable();
    if (this.#table !== undefined) return this.#closeInTable(name);
    const level = headingLevels.get(name);
    if (level !== undefined) return this.#closeHeading(level);
    this.#endBlock();
    if (name === "ul" || name === "ol") {
      this.#lists.pop();
      this.#isTight = false;
    }
    if (name === "li" || name === "blockquote" || name === "note") this.#leave();
    // Notes are apart, or one would be taken for the end of the other.
    if (name === "note") this.#isTight = false;
  }

  end(): string {
    if (this.#code !== undefined) this.#closeCode(this.#code);
    if (this.#table !== undefined) this.#closeTable();
    this.#endBlock();
    return this.#out.trim();
  }

  /** Marks without content; false for all others. */
  #openAtom({ name, value = "", alt = "", isDisplay }: Mark): boolean {
    if (name === "math") this.#addFormula(value, isDisplay === true);
    else if (name === "img") this.#inline.raw(toImage(value, alt));
    else if (name === "br") this.#inline.breakLine();
    else if (name === "box") this.#inline.raw(`[${value}] `, true);
    else if (name === "hr" && this.#table === undefined) {
      this.#endBlock();
      this.#write("---");
    } else return name === "hr";
    return true;
  }

  #addFormula(tex: string, isDisplay: boolean): void {
    if (!isDisplay || this.#table !== undefined) return this.#inline.raw(`$${tex}$`);
    this.#endBlock();
    this.#write(`$$\n${tex}\n$$`);
  }

  #openItem(): void {
    const list = this.#lists.at(-1) ?? { next: undefined, isBegun: false };
    // Items follow one another closely, and so does a list the item that it belongs to.
    if (list.isBegun || (this.#containers.at(-1)?.isFresh === false && this.#lists.length > 1)) this.#isTight = true;
    list.isBegun = true;
    const marker = list.next === undefined ? "- " : `${list.next++}. `;
    this.#enter(marker, " ".repeat(marker.length));
  }

  #enter(first: string, rest: string): void {
    if (this.#containers.length < maxContainers) this.#containers.push({ first, rest, isFresh: true });
    else this.#flat += 1;
  }

  #leave(): void {
    if (this.#flat > 0) this.#flat -= 1;
    else this.#containers.pop();
  }

  #closeHeading(level: number): void {
    const text = this.#inline.take().replaceAll("\n", " ");
    if (text !== "") this.#write(`${"#".repeat(level)} ${text}`);
  }

  #closeCode({ text, language }: { text: string; language: string }): void {
    this.#code = undefined;
    const lines = text.replace(/^\n/, "").trimEnd();
    if (lines === "") return;
    if (this.#table !== undefined) return this.#inline.raw(codeSpan(lines.replace(/\s*\n\s*/g, " ")));
    const fence = "`".repeat(Math.max(3, longestRun(lines, 2) + 1));
    this.#write(`${fence}${language}\n${lines}\n${fence}`);
  }

  /** A table within a cell becomes text of the cell. */
  #openTable(): void {
    if (this.#table === undefined) this.#table = { table: new MarkdownTable(), depth: 1, cell: undefined };
    else this.#table.depth += 1;
  }

  #openInTable(mark: Mark): void {
    if (this.#table?.depth !== 1) return;
    if (mark.name === "tr") this.#table.table.addRow();
    else if (mark.name === "td" || mark.name === "th") this.#table.cell = mark;
    else if (mark.name === "li" && this.#table.cell !== undefined) this.#inline.raw("- ", true);
  }

  #closeInTable(name: MarkName): void {
    const { table, depth, cell } = this.#table ?? {};
    if (name === "caption" && depth === 1) {
      const text = this.#inline.take();
      if (text !== "") this.#write(toParagraph(text));
    } else if ((name === "td" || name === "th") && depth === 1) {
      table?.addCell(this.#inline.take(), cell?.value, cell?.span ?? 1);
      if (this.#table !== undefined) this.#table.cell = undefined;
    } else this.#endBlock();
  }

  #closeTable(): void {
    if (this.#table === undefined) return;
    this.#table.depth -= 1;
    if (this.#table.depth > 0) return this.#endBlock();
    const markdown = this.#table.table.toMarkdown(this.#max);
    this.#table = undefined;
    if (markdown !== "") this.#write(markdown);
    this.#endBlock();
  }

  /** Ends a paragraph; in a cell, which holds no blocks, a line. */
  #endBlock(): void {
    if (this.#table?.cell !== undefined) return this.#inline.breakLine();
    const text = this.#inline.take();
    if (text !== "" && text !== "[x]" && text !== "[ ]") this.#write(toParagraph(text));
  }

  #write(block: string): void {
    if (this.#out !== "") this.#out += this.#isTight ? "\n" : `\n${this.#blankLine()}\n`;
    if (block.includes("\n"))
      this.#out += block
        .split("\n")
        .map((line) => this.#line(line))
        .join("\n");
    else this.#out += this.#line(block);
    this.#isTight = false;
  }

  #line(text: string): string {
    const prefix = this.#prefix();
    return text === "" ? prefix.trimEnd() : prefix + text;
  }

  #blankLine(): string {
    return this.#containers
      .filter(({ isFresh }) => !isFresh)
      .map(({ rest }) => rest)
      .join("")
      .trimEnd();
  }

  #prefix(): string {
    let prefix = "";
    for (const container of this.#containers) {
      prefix += container.isFresh ? container.first : container.rest;
      container.isFresh = false;
    }
    return prefix;
  }
}

function toParagraph(text: string): string {
  if (!text.includes("\n")) return escapeLineStart(text);
  return text.split("\n").map(escapeLineStart).join("  \n");
}
