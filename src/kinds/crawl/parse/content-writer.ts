import { addSight, addText, closeBlock, openBlock, type Block, type LinkKind } from "./block.ts";
import type { Mark, Piece } from "./content-piece.ts";
import { isCodeBox, isCodeTable, isGutter } from "./code-lines.ts";
import { Footnotes } from "./footnotes.ts";
import { Formula, formulaOfImage, isMathBox } from "./formula.ts";
import { SameSite } from "./same-site.ts";
import { isAfterFormula } from "./tex-in-text.ts";
import { imageSource, isFileName, largestOf } from "./image-source.ts";
import { isBlock, isSilent, languageOf, marksOf, noAttributes, type Attributes } from "./element-rules.ts";
import { contentOf, type PageContent } from "./page-content.ts";

/** Resolves what an attribute refers to, or undefined for what leads nowhere. */
export type Resolve = (reference: string) => string | undefined;

const headings = new Set(["h1", "h2", "h3", "h4", "h5", "h6"]);
const blocks = new Set([...headings, ..."p ul ol dl table pre blockquote div section article hr".split(" ")]);
/** Signs that no text needs. */
const unwanted = /[\r\0]/;
const nothing: readonly Mark[] = [];
const linkEnd: readonly Mark[] = [{ name: "a", isOpen: false }];
const referenceEnd: readonly Mark[] = [{ name: "noteref", isOpen: false }];
const noteEnd: readonly Mark[] = [{ name: "note", isOpen: false }];
const codeEnd: readonly Mark[] = [{ name: "pre", isOpen: false }];
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
  readonly #site: SameSite;
  #linkFrom: number | undefined;
  #link: LinkKind = "none";
  #contentDepth = 0;
  #headingAt: number | undefined;
  /** Where the code that is open begins, and a table that only sets it. */
  #codeFrom: number | undefined;
  #codeTableFrom: number | undefined;
  #formula: Formula | undefined;
  /** The element that was opened last, if nothing came since: what its text says first may make it a formula. */
  #mathBoxAt: number | undefined;
  #formulaAt = 0;
  #setsFormulas = false;
  #isTextGoingOn = false;
  readonly #footnotes = new Footnotes();
  /** The element that was opened last. */
  #lastName = "";
  #lastAttributes: Attributes = noAttributes;
  #lastDepth = 0;
  #pictureSource = "";
  /** The language of the code in an element around it. */
  #language: { readonly depth: number; readonly name: string } | undefined;
  #isInHeadingAnchor = false;

  /** `url` is the page's own. */
  constructor(resolve: Resolve, url: string) {
    this.#resolve = resolve;
    this.#site = new SameSite(url);
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
    this.#isTextGoingOn = false;
    this.#mathBoxAt = undefined;
    if (name === "script" && /mathjax|katex/i.test(attributes["src"] ?? "")) this.#setsFormulas = true;
    if (this.isSpeaking && this.#formula === undefined) this.#begin(name, attributes, depth);
    if (!this.isSpeaking || this.#formula !== undefined) {
      this.#formula?.openTag(name, attributes);
      this.#closers.push(nothing);
      return;
    }
    if (blocks.has(name)) this.#endHeading();
    if (isBlock(name)) {
      const block = openBlock(name, attributes, this.#pieces.length, this.#block);
      this.#open.push({ block, depth });
      if (isContent(block)) this.#contentDepth += 1;
    }
    if (headings.has(name)) this.#headingAt = depth;
    this.#closers.push(this.#write(name, attributes));
    this.#lastName = name;
    this.#lastAttributes = attributes;
    this.#lastDepth = depth;
  }

  closeTag(name: string): void {
    this.#isTextGoingOn = false;
    this.#mathBoxAt = undefined;
    const closer = this.#closers.pop() ?? nothing;
    const depth = this.#closers.length;
    if (this.#silentFrom !== undefined) {
      if (depth <= this.#silentFrom) this.#silentFrom = undefined;
      return;
    }
    if (this.#formula !== undefined && !this.#endFormula(this.#formula, name, depth)) return;
    if (this.#language !== undefined && depth <= this.#language.depth) this.#language = undefined;
    if (this.#headingAt === depth) this.#headingAt = undefined;
    if (this.#codeFrom === depth) this.#codeFrom = undefined;
    if (this.#codeTableFrom === depth) this.#codeTableFrom = undefined;
    this.#footnotes.end(depth);
    if (name === "picture") this.#pictureSource = "";
    if (name === "a") this.#isInHeadingAnchor = false;
    for (const mark of closer) this.#pieces.push(mark);
    if (this.#codeFrom !== undefined) this.#endCodeLine(name);
    if (this.#linkFrom === depth) this.#linkFrom = undefined;
    if (this.#open.at(-1)?.depth === depth) this.#endBlock();
  }

  text(raw: string): void {
    if (this.#mathBoxAt !== undefined) {
      this.#formula = Formula.ofText(raw, this.#mathBoxAt);
      this.#mathBoxAt = undefined;
    }
    if (this.#formula !== undefined) return this.#formula.text(raw);
    const text = unwanted.test(raw) ? raw.replace(/\r\n?/g, "\n").replaceAll("\0", "") : raw;
    if (!this.isSpeaking || (this.#isInHeadingAnchor && anchorSigns.test(text))) return;
    if (this.#footnotes.isLabel(text)) return;
    addText(this.#block, text, this.#linkFrom === undefined ? "none" : this.#link);
    const last = this.#pieces.at(-1);
    // A text comes in parts, and a formula in it may be spread over several.
    if (this.#setsFormulas && this.#isTextGoingOn && typeof last === "string")
      this.#pieces[this.#pieces.length - 1] = last + text;
    else this.#pieces.push(text);
    this.#isTextGoingOn = true;
  }

  /** The main content of the page. */
  content(isArticle: boolean): PageContent {
    while (this.#open.length > 0) this.#endBlock();
    closeBlock(this.#page, this.#pieces.length);
    return contentOf(this.#page, isArticle, this.#pieces, this.#setsFormulas);
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

  /** Begins what is no content, or a formula. */
  #begin(name: string, attributes: Attributes, depth: number): void {
    const formula = Formula.begin(name, attributes, depth);
    const isScript = formula !== undefined && name !== "math";
    if (isScript || (name === "img" && formulaOfImage(attributes) !== undefined)) {
      this.#formula = formula;
    } else if (
      (isSilent(name, attributes, this.#contentDepth > 0) && !this.#footnotes.isNote(name, attributes)) ||
      isGutter(name, attributes, this.#codeFrom !== undefined)
    ) {
      this.#silentFrom = depth;
    } else this.#formula = formula;
  }

  /** Answers whether the element that ends is the formula. */
  #endFormula(formula: Formula, name: string, depth: number): boolean {
    formula.closeTag(name);
    if (depth > formula.depth) return false;
    this.#formula = undefined;
    const { tex, isDisplay } = formula;
    if (tex === "") return true;
    const mark: Mark = { name: "math", isOpen: true, value: tex, isDisplay };
    addSight(this.#block, tex);
    // MathJax leaves the TeX behind what it has made of it.
    if (name === "script" && isAfterFormula(this.#pieces, this.#formulaAt)) this.#pieces[this.#formulaAt] = mark;
    else this.#formulaAt = this.#pieces.push(mark) - 1;
    return true;
  }

  #endCodeLine(name: string): void {
    const last = this.#pieces.at(-1);
    const isRow = name === "tr" || name === "li";
    if (blocks.has(name) || (isRow && !(typeof last === "string" && last.endsWith("\n")))) this.#pieces.push("\n");
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
    if (name === "br") return this.#add(this.#codeFrom !== undefined ? "\n" : { name, isOpen: true });
    if (name === "hr") return this.#add({ name, isOpen: true });
    if (name === "input") return this.#writeBox(attributes);
    if (name === "source") this.#pictureSource ||= largestOf(attributes["srcset"] ?? "");
    if (name === "div" || name === "figure") this.#noteLanguage(attributes);
    if (isMathBox(name, attributes)) this.#mathBoxAt = this.#closers.length;
    if (name === "pre" || isCodeBox(name, attributes)) return this.#writeCode(attributes);
    if (isCodeTable(name, attributes)) this.#codeTableFrom ??= this.#closers.length;
    if (this.#footnotes.isNote(name, attributes) || this.#footnotes.isNamed(name))
      return this.#writeNote(name, attributes);
    const isCodeLayout = this.#codeTableFrom !== undefined && /^(table|tr|td|th)$/.test(name);
    // Within code only its text counts; highlighters wrap every word.
    const isPlain = isCodeLayout || (this.#codeFrom !== undefined && name !== "code");
    const marks = isPlain ? undefined : marksOf(name, attributes);
    if (marks === undefined) return nothing;
    this.#pieces.push(...marks.open);
    return marks.close;
  }

  #writeCode(attributes: Attributes): readonly Mark[] {
    if (this.#codeFrom !== undefined) return nothing;
    this.#codeFrom = this.#closers.length;
    const value = languageOf(attributes) ?? this.#language?.name;
    this.#pieces.push({ name: "pre", isOpen: true, value });
    return codeEnd;
  }

  #writeNote(name: string, attributes: Attributes): readonly Mark[] {
    const value = this.#footnotes.begin(name, attributes, this.#closers.length);
    if (value === undefined) {
      this.#silentFrom = this.#closers.length;
      return nothing;
    }
    this.#pieces.push({ name: "note", isOpen: true, value });
    this.#block.isNote = true;
    return noteEnd;
  }

  #noteLanguage(attributes: Attributes): void {
    const name = languageOf(attributes);
    if (name !== undefined) this.#language ??= { depth: this.#closers.length, name };
  }

  #add(piece: Piece): readonly Mark[] {
    this.#pieces.push(piece);
    return nothing;
  }

  #writeLink(attributes: Attributes): readonly Mark[] {
    const { href } = attributes;
    if (href === undefined || this.#codeFrom !== undefined) return nothing;
    const isSamePage = href.startsWith("#");
    if (isSamePage && this.#footnotes.isBackLink(href)) {
      this.#silentFrom = this.#closers.length;
      return nothing;
    }
    this.#linkFrom ??= this.#closers.length;
    if (isSamePage) this.#isInHeadingAnchor = true;
    const value = isSamePage ? href : this.#resolve(href);
    this.#link = value === undefined || isSamePage || this.#site.has(value) ? "inside" : "outside";
    if (value === undefined) return nothing;
    const note = isSamePage ? this.#referTo(attributes) : undefined;
    this.#pieces.push(
      note === undefined ? { name: "a", isOpen: true, value } : { name: "noteref", isOpen: true, value: note },
    );
    return note === undefined ? linkEnd : referenceEnd;
  }

  #referTo(link: Attributes): string | undefined {
    const isWithin = this.#lastDepth === this.#closers.length - 1;
    return isWithin
      ? this.#footnotes.refer(link, this.#lastName, this.#lastAttributes)
      : this.#footnotes.refer(link, "", noAttributes);
  }

  #writeImage(attributes: Attributes): readonly Mark[] {
    const { alt = "" } = attributes;
    const source = imageSource(attributes, this.#pictureSource);
    const value = source === "" ? undefined : this.#resolve(source);
    const image: Piece = value === undefined ? (isFileName(alt) ? "" : alt) : { name: "img", isOpen: true, value, alt };
    const shown = formulaOfImage(attributes) ?? image;
    addSight(this.#block, typeof shown === "string" ? shown : (shown.value ?? ""));
    return this.#add(shown);
  }

  #writeBox({ type, checked }: Attributes): readonly Mark[] {
    if (type?.toLowerCase() !== "checkbox") return nothing;
    return this.#add({ name: "box", isOpen: true, value: checked === undefined ? " " : "x" });
  }
}

function isContent({ name, attributes }: Block): boolean {
  return name === "main" || name === "article" || attributes["role"] === "main";
}
