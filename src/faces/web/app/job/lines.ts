/** A stretch of a line in one look: classes such as "b red". */
export interface Span {
  readonly text: string;
  readonly look: string;
}

interface Line {
  readonly text: string;
  /** The look that the line begins with, left over from those before. */
  readonly look: string;
}

const colors = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"];
/** A colour, or any other sequence that a terminal would act on. */
const sequence = new RegExp(
  String.raw`\u001b\[([\d;:]*)m|\u001b(?:\[[\d;:?>=! ]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[@-Z\\^_()][\dA-Z]?)`,
  "g",
);

/** What is shown of a line, and the look that it leaves to the next one. */
export function parseLine({ text, look }: Line): { readonly spans: readonly Span[]; readonly look: string } {
  if (!text.includes("\u001b")) return { spans: text === "" ? [] : [{ text, look }], look };
  const spans: Span[] = [];
  let at = 0;
  let current = look;
  for (const match of text.matchAll(sequence)) {
    if (match.index > at) spans.push({ text: text.slice(at, match.index), look: current });
    if (match[1] !== undefined) current = changeLook(current, match[1]);
    at = match.index + match[0].length;
  }
  if (at < text.length) spans.push({ text: text.slice(at), look: current });
  return { spans, look: current };
}

function changeLook(look: string, codes: string): string {
  let names = new Set(look === "" ? [] : look.split(" "));
  const numbers = codes === "" ? [0] : codes.split(/[;:]/).map(Number);
  for (let index = 0; index < numbers.length; index++) {
    const code = numbers[index] ?? 0;
    // Of 256 and of all colours only the first sixteen have a look here.
    if (code === 38 || code === 48) {
      const isIndexed = numbers[index + 1] === 5;
      const chosen = numbers[index + 2] ?? 0;
      if (isIndexed && code === 38 && chosen < 16) names = withColor(names, colors[chosen % 8]);
      index += isIndexed ? 2 : 4;
    } else if (code === 0) names = new Set();
    else if (code === 1) names.add("b");
    else if (code === 2) names.add("dim");
    else if (code === 3) names.add("i");
    else if (code === 4) names.add("u");
    else if (code === 7) names.add("inverse");
    else if (code === 22) names = without(names, ["b", "dim"]);
    else if (code === 23 || code === 24 || code === 27) names = without(names, ["i", "u", "inverse"]);
    else if (code >= 30 && code <= 37) names = withColor(names, colors[code - 30]);
    else if (code >= 90 && code <= 97) names = withColor(names, colors[code - 90]);
    else if (code === 39) names = withColor(names, undefined);
  }
  return [...names].join(" ");
}

function withColor(names: Set<string>, color: string | undefined): Set<string> {
  const others = without(names, colors);
  return color === undefined ? others : others.add(color);
}

function without(names: Set<string>, gone: readonly string[]): Set<string> {
  return new Set([...names].filter((name) => !gone.includes(name)));
}

/** A carriage return goes back to the line's beginning: what comes after it is written over what was there. */
function overwrite(text: string): string {
  const whole = text.endsWith("\r") ? text.slice(0, -1) : text;
  const at = whole.lastIndexOf("\r");
  return at === -1 ? whole : whole.slice(at + 1);
}

const maxLines = 25_000;
const maxLineLength = 10_000;

/** The lines of an output as they come: the newest are kept, and each has its number since the beginning. */
export class OutputLines {
  #lines: Line[] = [];
  #open = "";
  #look = "";
  #gone = 0;
  /** Bytes that the server has dropped from the middle. */
  dropped = 0;

  get size(): number {
    return this.#lines.length + (this.#open === "" ? 0 : 1);
  }

  /** How many lines came before the first that is kept. */
  get gone(): number {
    return this.#gone;
  }

  add(text: string): void {
    const parts = (this.#open + text).split("\n");
    const open = parts.pop() ?? "";
    for (const part of parts) this.#push(part);
    // What is overwritten again and again must not pile up.
    this.#open = open.length > maxLineLength ? overwrite(open).slice(-maxLineLength) : open;
    if (this.#lines.length > maxLines * 1.2) {
      this.#gone += this.#lines.length - maxLines;
      this.#lines = this.#lines.slice(-maxLines);
    }
  }

  /** Counted from 0, of those that are kept. */
  at(index: number): Line {
    return this.#lines[index] ?? { text: overwrite(this.#open), look: this.#look };
  }

  /** The next line that matches, from one on and around the end. */
  find(test: (text: string) => boolean, from: number, step: 1 | -1): number | undefined {
    for (let count = 0; count < this.size; count++) {
      const index = (from + step * count + 2 * this.size) % this.size;
      if (test(this.at(index).text)) return index;
    }
    return undefined;
  }

  text(): string {
    return Array.from({ length: this.size }, (_line, index) => this.at(index).text.replaceAll(sequence, "")).join("\n");
  }

  #push(part: string): void {
    const line = { text: overwrite(part).slice(0, maxLineLength), look: this.#look };
    if (line.text.includes("\u001b")) this.#look = parseLine(line).look;
    this.#lines.push(line);
  }
}
