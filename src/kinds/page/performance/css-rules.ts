import { createPacer } from "../../../text/pacer.ts";

export interface Span {
  readonly start: number;
  readonly end: number;
}

/** These hold rules of which each is used or not; of what the others hold (fonts, steps of animations) nobody can say. */
const groups = /^@(media|supports|layer|container|scope|starting-style|document)\b/i;

/** The style rules of a sheet, as they are written: from the selector to the closing brace. One pass over the text. */
export async function readRules(text: string): Promise<Span[]> {
  const pace = createPacer();
  const rules: Span[] = [];
  let start = 0;
  for (let at = 0, steps = 0; at < text.length; steps++) {
    if (steps % 1_000 === 0) await pace();
    const character = text[at];
    if (character === "/" && text[at + 1] === "*") {
      at = after(text, "*/", at + 2);
      if (isBlank(text, start, at)) start = at;
    } else if (character === '"' || character === "'") at = afterString(text, at);
    else if (character === "{") {
      const begin = start + leadingBlanks(text, start, at);
      const isRule = text[begin] !== "@";
      const isGroup = !isRule && groups.test(text.slice(begin, begin + 20));
      const end = isGroup ? at + 1 : afterBlock(text, at);
      if (isRule) rules.push({ start: begin, end });
      start = at = end;
    } else if (character === ";" || character === "}") start = at += 1;
    else at += character === "\\" ? 2 : 1;
  }
  return rules;
}

/** Behind the brace that closes the one at `from`. */
function afterBlock(text: string, from: number): number {
  let depth = 0;
  for (let at = from; at < text.length;) {
    const character = text[at];
    if (character === "/" && text[at + 1] === "*") at = after(text, "*/", at + 2);
    else if (character === '"' || character === "'") at = afterString(text, at);
    else {
      at += character === "\\" ? 2 : 1;
      if (character === "{") depth += 1;
      if (character === "}") depth -= 1;
      if (depth === 0) return at;
    }
  }
  return text.length;
}

function afterString(text: string, from: number): number {
  const quote = text[from];
  for (let at = from + 1; at < text.length; at += text[at] === "\\" ? 2 : 1) {
    if (text[at] === quote || text[at] === "\n") return at + 1;
  }
  return text.length;
}

function after(text: string, mark: string, from: number): number {
  const found = text.indexOf(mark, from);
  return found === -1 ? text.length : found + mark.length;
}

function leadingBlanks(text: string, from: number, to: number): number {
  let at = from;
  while (at < to && /\s/.test(text[at] ?? "")) at += 1;
  return at - from;
}

function isBlank(text: string, from: number, to: number): boolean {
  // What lies between is blanks and one comment.
  return text[from + leadingBlanks(text, from, to)] === "/";
}
