import type { Mark, Piece } from "./content-piece.ts";
import { isSilent, marksOf, type Attributes } from "./element-rules.ts";

/** A part of the page that may be its main content: from one piece of the cleaned document to another. */
interface Part {
  readonly kind: "main" | "article";
  readonly depth: number;
  readonly start: number;
  end: number;
  textLength: number;
}

/** Resolves what an attribute refers to, or undefined for what leads nowhere. */
export type Resolve = (reference: string) => string | undefined;

const headings = new Set(["h1", "h2", "h3", "h4", "h5", "h6"]);
const blocks = new Set([...headings, ..."p ul ol dl table pre blockquote div section article hr".split(" ")]);
const nothing: readonly Mark[] = [];
const linkEnd: readonly Mark[] = [{ name: "a", isOpen: false }];
const anchorSigns = /^[\s#¶§🔗]*$/u;

/**
 * Reduces a document to what Markdown can say, and remembers where its main content lies. Fed with the events of one
 * parse; what it writes is well-formed whatever the page was.
 */
export class ContentWriter {
  readonly #pieces: Piece[] = [];
  readonly #parts: Part[] = [];
  readonly #open: Part[] = [];
  readonly #closers: (readonly Mark[])[] = [];
  readonly #resolve: Resolve;
  #silentFrom: number | undefined;
  #textLength = 0;
  #headingAt: number | undefined;
  #preDepth = 0;
  #isInHeadingAnchor = false;

  constructor(resolve: Resolve) {
    this.#resolve = resolve;
  }

  /** Whether what comes now is content of the page. */
  get isSpeaking(): boolean {
    return this.#silentFrom === undefined;
  }

  /** Elements that are open. */
  get depth(): number {
    return this.#closers.length;
  }

  openTag(name: string, attributes: Attributes): void {
    const depth = this.#closers.length;
    const isPart = name === "main" || name === "article" || attributes["role"] === "main";
    if (this.isSpeaking && isSilent(name, attributes, this.#open.length > 0)) this.#silentFrom = depth;
    if (!this.isSpeaking) {
      this.#closers.push(nothing);
      return;
    }
    if (blocks.has(name)) this.#endHeading();
    if (isPart) this.#beginPart(name === "article" ? "article" : "main", depth);
    if (headings.has(name)) this.#headingAt = depth;
    this.#closers.push(this.#write(name, attributes));
  }

  closeTag(name: string): void {
    const closer = this.#closers.pop() ?? nothing;
    const depth = this.#closers.length;
    if (this.#silentFrom !== undefined) {
      if (depth <= this.#silentFrom) this.#silentFrom = undefined;
      return;
    }
    if (this.#headingAt === depth) this.#headingAt = undefined;
    if (name === "pre") this.#preDepth -= 1;
    if (name === "a") this.#isInHeadingAnchor = false;
    for (const mark of closer) this.#pieces.push(mark);
    if (this.#preDepth > 0 && blocks.has(name)) this.#pieces.push("\n");
    if (this.#open.at(-1)?.depth === depth) this.#endPart();
  }

  text(text: string): void {
    if (!this.isSpeaking || (this.#isInHeadingAnchor && anchorSigns.test(text))) return;
    this.#textLength += text.length;
    this.#pieces.push(text);
  }

  /** The main content: the biggest `main`, else an article that holds half of the text, else everything. */
  content(): readonly Piece[] {
    while (this.#open.length > 0) this.#endPart();
    const biggest = (kind: Part["kind"]): Part | undefined =>
      this.#parts.filter((part) => part.kind === kind).reduce<Part | undefined>(bigger, undefined);
    const main = biggest("main");
    const article = biggest("article");
    const chosen =
      main !== undefined && main.textLength > 0
        ? main
        : article !== undefined && article.textLength * 2 >= this.#textLength
          ? article
          : undefined;
    return this.#pieces.slice(chosen?.start, chosen?.end);
  }

  /** A heading that somebody forgot to close would swallow the rest of the page. */
  #endHeading(): void {
    const from = this.#headingAt;
    if (from === undefined) return;
    this.#headingAt = undefined;
    for (let index = this.#closers.length - 1; index >= from; index--) {
      this.#pieces.push(...(this.#closers[index] ?? []));
      this.#closers[index] = nothing;
    }
  }

  #beginPart(kind: Part["kind"], depth: number): void {
    const part = { kind, depth, start: this.#pieces.length, end: Infinity, textLength: -this.#textLength };
    this.#parts.push(part);
    this.#open.push(part);
  }

  #endPart(): void {
    const part = this.#open.pop();
    if (part === undefined) return;
    part.end = this.#pieces.length;
    part.textLength += this.#textLength;
  }

  /** Returns what closes the element. */
  #write(name: string, attributes: Attributes): readonly Mark[] {
    if (name === "a") return this.#writeLink(attributes);
    if (name === "img") return this.#writeImage(attributes);
    if (name === "br") return this.#add(this.#preDepth > 0 ? "\n" : { name, isOpen: true });
    if (name === "hr") return this.#add({ name, isOpen: true });
    if (name === "input") return this.#writeBox(attributes);
    if (name === "pre") this.#preDepth += 1;
    // Within code only its text counts; highlighters wrap every word.
    const marks = this.#preDepth > 0 && name !== "pre" && name !== "code" ? undefined : marksOf(name, attributes);
    if (marks === undefined) return nothing;
    for (const mark of marks.open) this.#pieces.push(mark);
    return marks.close;
  }

  #add(piece: Piece): readonly Mark[] {
    this.#pieces.push(piece);
    return nothing;
  }

  #writeLink({ href }: Attributes): readonly Mark[] {
    if (href === undefined || this.#preDepth > 0) return nothing;
    if (href.startsWith("#")) {
      this.#isInHeadingAnchor = true;
      return nothing;
    }
    const value = this.#resolve(href);
    if (value === undefined) return nothing;
    this.#pieces.push({ name: "a", isOpen: true, value });
    return linkEnd;
  }

  /** Pages that load images late keep the address elsewhere. */
  #writeImage(attributes: Attributes): readonly Mark[] {
    const { src = "", alt = "" } = attributes;
    const source = src === "" || src.startsWith("data:") ? (attributes["data-src"] ?? "") : src;
    const value = source === "" ? undefined : this.#resolve(source);
    return this.#add(value === undefined ? alt : { name: "img", isOpen: true, value, alt });
  }

  #writeBox({ type, checked }: Attributes): readonly Mark[] {
    if (type?.toLowerCase() !== "checkbox") return nothing;
    return this.#add({ name: "box", isOpen: true, value: checked === undefined ? " " : "x" });
  }
}

function bigger(best: Part | undefined, part: Part): Part {
  return best === undefined || part.textLength > best.textLength ? part : best;
}
