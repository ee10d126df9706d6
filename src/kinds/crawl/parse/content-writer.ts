import { addSight, addText, closeBlock, openBlock, type Block, type LinkKind } from "./block.ts";
import type { Mark, Piece } from "./content-piece.ts";
import { Formula, formulaOfImage } from "./formula.ts";
import { isBlock, isSilent, languageOf, marksOf, noAttributes, type Attributes } from "./element-rules.ts";
import { findMainContent } from "./main-content.ts";

/** Resolves what an attribute refers to, or undefined for what leads nowhere. */
export type Resolve = (reference: string) => string | undefined;

const headings = new Set(["h1", "h2", "h3", "h4", "h5", "h6"]);
const blocks = new Set([...headings, ..."p ul ol dl table pre blockquote div section article hr".split(" ")]);
/** Signs that no text needs. */
const unwanted = /[\r\0]/;
const nothing: readonly Mark[] = [];
const linkEnd: readonly Mark[] = [{ name: "a", isOpen: false }];
const anchorSigns = /^(?:[\s#¶§🔗↩^]|\uFE0E)*$/u;

/**
 * Reduces a document to what Markdown can say, and remembers where its main content lies. Fed with the events of one
 * parse; what it writes is well-formed whatever the page was.
 */
export class ContentWriter {
  readonly #pieces: Piece[] = [];
  readonly #page: Block = openBlock("page", noAttributes, 0, undefined);
  readonly #open: { readonly block: Block; readonly depth: number }[] = [];
  readonly #closers: (readonly Mark[])[] = [];
  readonly #resolve: Resolve;
  #silentFrom: number | undefined;
  readonly #site: string;
  #linkFrom: number | undefined;
  #link: LinkKind = "none";
  #contentDepth = 0;
  #headingAt: number | undefined;
  #preDepth = 0;
  #formula: Formula | undefined;
  /** The language of the code in an element around it. */
  #language: { readonly depth: number; readonly name: string } | undefined;
  #isInHeadingAnchor = false;

  /** `url` is the page's own. */
  constructor(resolve: Resolve, url: string) {
    this.#resolve = resolve;
    this.#site = hostOf(url);
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
    if (this.isSpeaking && isSilent(name, attributes, this.#contentDepth > 0)) this.#silentFrom = depth;
    if (!this.isSpeaking || this.#formula !== undefined) {
      this.#formula?.openTag(name, attributes);
      this.#closers.push(nothing);
      return;
    }
    if (name === "math") this.#formula = new Formula(attributes, depth);
    if (blocks.has(name)) this.#endHeading();
    if (isBlock(name)) {
      const block = openBlock(name, attributes, this.#pieces.length, this.#block);
      this.#open.push({ block, depth });
      if (isContent(block)) this.#contentDepth += 1;
    }
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
    if (this.#formula !== undefined) return this.#closeInFormula(this.#formula, name, depth);
    if (this.#language !== undefined && depth <= this.#language.depth) this.#language = undefined;
    if (this.#headingAt === depth) this.#headingAt = undefined;
    if (name === "pre") this.#preDepth -= 1;
    if (name === "a") this.#isInHeadingAnchor = false;
    for (const mark of closer) this.#pieces.push(mark);
    if (this.#preDepth > 0 && blocks.has(name)) this.#pieces.push("\n");
    if (this.#linkFrom === depth) this.#linkFrom = undefined;
    if (this.#open.at(-1)?.depth === depth) this.#endBlock();
  }

  text(raw: string): void {
    if (this.#formula !== undefined) return this.#formula.text(raw);
    const text = unwanted.test(raw) ? raw.replace(/\r\n?/g, "\n").replaceAll("\0", "") : raw;
    if (!this.isSpeaking || (this.#isInHeadingAnchor && anchorSigns.test(text))) return;
    addText(this.#block, text, this.#linkFrom === undefined ? "none" : this.#link);
    this.#pieces.push(text);
  }

  /** The main content of the page. */
  content(isArticle: boolean): readonly Piece[] {
    while (this.#open.length > 0) this.#endBlock();
    closeBlock(this.#page, this.#pieces.length);
    return findMainContent(this.#page, isArticle).flatMap(({ start, end }) => this.#pieces.slice(start, end));
  }

  get #block(): Block {
    return this.#open.at(-1)?.block ?? this.#page;
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

  #closeInFormula(formula: Formula, name: string, depth: number): void {
    formula.closeTag(name);
    if (depth > formula.depth) return;
    this.#formula = undefined;
    const { tex, isDisplay } = formula;
    if (tex === "") return;
    addSight(this.#block, tex);
    this.#pieces.push({ name: "math", isOpen: true, value: tex, isDisplay });
  }

  #endBlock(): void {
    const ended = this.#open.pop();
    if (ended === undefined) return;
    closeBlock(ended.block, this.#pieces.length);
    if (isContent(ended.block)) this.#contentDepth -= 1;
  }

  /** Returns what closes the element. */
  #write(name: string, attributes: Attributes): readonly Mark[] {
    if (name === "a") return this.#writeLink(attributes);
    if (name === "img") return this.#writeImage(attributes);
    if (name === "br") return this.#add(this.#preDepth > 0 ? "\n" : { name, isOpen: true });
    if (name === "hr") return this.#add({ name, isOpen: true });
    if (name === "input") return this.#writeBox(attributes);
    if (name === "pre") this.#preDepth += 1;
    if (name === "div" || name === "figure") this.#noteLanguage(attributes);
    // Within code only its text counts; highlighters wrap every word.
    const marks = this.#preDepth > 0 && name !== "pre" && name !== "code" ? undefined : marksOf(name, attributes);
    if (marks === undefined) return nothing;
    for (const mark of marks.open) this.#pieces.push(name === "pre" ? { value: this.#language?.name, ...mark } : mark);
    return marks.close;
  }

  #noteLanguage(attributes: Attributes): void {
    const name = languageOf(attributes);
    if (name !== undefined) this.#language ??= { depth: this.#closers.length, name };
  }

  #add(piece: Piece): readonly Mark[] {
    this.#pieces.push(piece);
    return nothing;
  }

  #writeLink({ href }: Attributes): readonly Mark[] {
    if (href === undefined || this.#preDepth > 0) return nothing;
    this.#linkFrom ??= this.#closers.length;
    const isSamePage = href.startsWith("#");
    if (isSamePage) this.#isInHeadingAnchor = true;
    const value = isSamePage ? href : this.#resolve(href);
    this.#link = value === undefined || isSamePage || this.#isOfSite(value) ? "inside" : "outside";
    if (value === undefined) return nothing;
    this.#pieces.push({ name: "a", isOpen: true, value });
    return linkEnd;
  }

  #isOfSite(target: string): boolean {
    const host = hostOf(target);
    return host === this.#site || host.endsWith(`.${this.#site}`);
  }

  /** Pages that load images late keep the address elsewhere. */
  #writeImage(attributes: Attributes): readonly Mark[] {
    const { src = "", alt = "" } = attributes;
    const formula = formulaOfImage(attributes);
    if (formula !== undefined) {
      addSight(this.#block, formula.value ?? "");
      return this.#add(formula);
    }
    const late = attributes["data-src"] ?? attributes["data-original"] ?? attributes["data-lazy-src"] ?? "";
    const source = src === "" || src.startsWith("data:") ? late : src;
    const value = source === "" ? undefined : this.#resolve(source);
    addSight(this.#block, value ?? alt);
    return this.#add(value === undefined ? (isFileName(alt) ? "" : alt) : { name: "img", isOpen: true, value, alt });
  }

  #writeBox({ type, checked }: Attributes): readonly Mark[] {
    if (type?.toLowerCase() !== "checkbox") return nothing;
    return this.#add({ name: "box", isOpen: true, value: checked === undefined ? " " : "x" });
  }
}

/** Without `www.`; of a URL in its normal form. */
function hostOf(url: string): string {
  const from = url.indexOf("//") + 2;
  const end = url.indexOf("/", from);
  return url.slice(url.startsWith("www.", from) ? from + 4 : from, end === -1 ? undefined : end);
}

function isContent({ name, attributes }: Block): boolean {
  return name === "main" || name === "article" || attributes["role"] === "main";
}

/** What a program has put where a person was to describe an image. */
function isFileName(alt: string): boolean {
  return /\.(jpe?g|png|gif|webp|svg|avif)$/i.test(alt);
}
