import type { Mark, MarkName } from "./content-piece.ts";

/** Text under way, and the mark that it will be wrapped in. */
interface Frame {
  readonly mark: Mark | undefined;
  text: string;
}

const signs: Partial<Record<MarkName, readonly [string, string]>> = {
  strong: ["**", "**"],
  em: ["*", "*"],
  del: ["~~", "~~"],
  sub: ["<sub>", "</sub>"],
  sup: ["<sup>", "</sup>"],
};

/** More at once is a page whose elements were never closed. */
const maxOpen = 16;

/** Builds the Markdown of one block's text: white space as a browser shows it, what could be taken for Markdown escaped. */
export class InlineText {
  #frames: Frame[] = [{ mark: undefined, text: "" }];
  #codeDepth = 0;
  /** Marks that were opened within too many others. */
  #ignored = 0;
  /** What comes next begins a word, so white space before it says nothing. */
  #isAfterSpace = true;

  text(raw: string): void {
    // The line end between two elements, the most common text of all.
    if (raw === "\n" && this.#isAfterSpace) return;
    const seen = signsIn(raw);
    const spaced = (seen & wideSpace) === 0 ? raw : raw.replace(/[ \t\r\n\f]+/g, " ");
    const shown = this.#isAfterSpace && spaced.startsWith(" ") ? spaced.slice(1) : spaced;
    if (shown === "") return;
    const isPlain = (seen & markdownSign) === 0 || this.#codeDepth > 0;
    this.#add(isPlain ? shown : escape(shown), shown.endsWith(" "));
  }

  /** Markdown that is added as it is. */
  raw(markdown: string, endsWord = false): void {
    this.#add(markdown, endsWord);
  }

  /** A line end within the block. */
  breakLine(): void {
    this.#add("\n", true);
  }

  open(mark: Mark): void {
    if (this.#frames.length > maxOpen) this.#ignored += 1;
    else {
      this.#frames.push({ mark, text: "" });
      if (mark.name === "code") this.#codeDepth += 1;
    }
  }

  close(): void {
    if (this.#ignored > 0) this.#ignored -= 1;
    else if (this.#frames.length > 1) {
      if (this.#frames.at(-1)?.mark?.name === "code") this.#codeDepth -= 1;
      this.#closeTop();
    }
  }

  /** The text of the block. Marks that are still open go on in the next one. */
  take(): string {
    const open = this.#frames;
    if (open.length === 1 && open[0]?.text === "") return this.#taken("");
    this.#frames = [...open];
    while (this.#frames.length > 1) this.#closeTop();
    const text = (open[0]?.text ?? "").trim();
    this.#frames = open.map(({ mark }) => ({ mark, text: "" }));
    return this.#taken(text.includes("\n") ? text.replace(/ *\n */g, "\n") : text);
  }

  #taken(text: string): string {
    this.#isAfterSpace = true;
    return text;
  }

  #add(text: string, endsInSpace: boolean): void {
    const top = this.#frames.at(-1);
    if (top !== undefined) top.text += text;
    this.#isAfterSpace = endsInSpace;
  }

  #closeTop(): void {
    const frame = this.#frames.pop();
    const below = this.#frames.at(-1);
    if (frame === undefined || below === undefined) return;
    const text = frame.text.trim();
    // The signs must touch the words; white space moves outside.
    const before = /^\s/.exec(frame.text)?.[0] ?? "";
    const after = /\s$/.exec(frame.text)?.[0] ?? "";
    below.text += text === "" ? frame.text : before + this.#wrap(text, frame.mark) + after;
  }

  #isWithinCode(): boolean {
    return this.#codeDepth > 0 && this.#frames.some(({ mark }) => mark?.name === "code");
  }

  #wrap(text: string, mark: Mark | undefined): string {
    const isInside = this.#frames.length > 1 && this.#frames.some((frame) => frame.mark?.name === mark?.name);
    if (mark === undefined || isInside || this.#isWithinCode()) return text;
    if (mark.name === "code") return codeSpan(text);
    if (mark.name === "noteref") return `[^${mark.value}]`;
    if (mark.name === "sup" && /^(\[\^[^\]]+\] ?)+$/.test(text)) return text;
    if (mark.name === "a") return `[${text}](${toTarget(mark.value ?? "")})`;
    const [open, close] = signs[mark.name] ?? ["", ""];
    return open + text + close;
  }
}

/** Escapes what could begin a block at the beginning of a line. */
export function escapeLineStart(line: string): string {
  // Letters begin no block.
  if (line.charCodeAt(0) > 0x3e && !line.startsWith("~")) return line;
  if (/^(#{1,6}(\s|$)|[-+](\s|$)|>|=+\s*$|-{2,}\s*$|~{3})/.test(line)) return `\\${line}`;
  return line.replace(/^(\d{1,9})([.)])(?=\s|$)/, "$1\\$2");
}

export function codeSpan(text: string): string {
  const fence = "`".repeat(longestRun(text, 0) + 1);
  const pad = text.startsWith("`") || text.endsWith("`") ? " " : "";
  return fence + pad + text + pad + fence;
}

/** The longest run of backticks, and at least so many. */
export function longestRun(text: string, least: number): number {
  return text.includes("`") ? Math.max(least, ...text.split(/[^`]+/).map((run) => run.length)) : least;
}

export function toImage(target: string, alt: string): string {
  return `![${escape(alt.replace(/\s+/g, " ").trim())}](${toTarget(target)})`;
}

function toTarget(target: string): string {
  return /[\s()<>]/.test(target) ? `<${target.replaceAll("<", "%3C").replaceAll(">", "%3E")}>` : target;
}

const wideSpace = 1;
const markdownSign = 2;
const signTable = new Uint8Array(128);
for (const space of "\t\r\n\f") signTable[space.charCodeAt(0)] = wideSpace;
for (const sign of "\\`*_[]<&~") signTable[sign.charCodeAt(0)] = markdownSign;

/** Whether a text has white space that shrinks, and whether it has signs that may mean something in Markdown. */
function signsIn(text: string): number {
  let found = 0;
  let before = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code < 128) found |= signTable[code] ?? 0;
    if (code === 32 && before === 32) found |= wideSpace;
    before = code;
  }
  return found;
}

/** Underscores within words mean nothing in Markdown, and are left alone for the reader's sake. */
function escape(text: string): string {
  return text
    .replace(/[\\`*[]|~(?=~)|<(?=[A-Za-z/!?])|&(?=#?\w{1,32};)/g, "\\$&")
    .replace(/(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, "\\_");
}
