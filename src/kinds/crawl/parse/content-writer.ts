import { elementRules, isSilent, openTag, openWithAttributes } from "./element-rules.ts";

type Attributes = Readonly<Record<string, string>>;

/** Stand for boxes of a task list until the Markdown is made: brackets would be escaped on the way. */
export const checkedBox = "\u{E000}";
export const emptyBox = "\u{E001}";

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

const isHeading = /^h[1-6]$/;
const isBlock = /^(p|h[1-6]|ul|ol|dl|table|pre|blockquote|div|section|article|hr)$/;
const isEdge =
  /^(p|h[1-6]|ul|ol|li|dl|dt|dd|table|thead|tbody|tfoot|tr|t[dh]|caption|pre|blockquote|div|section|article|main|body|hr|br|figure|figcaption|details|summary)$/;
const anchorSigns = /^[\s#¶§🔗]*$/u;

/**
 * Writes a document anew with only what Markdown can say, and remembers where its main content lies. Fed with the events
 * of one parse; what it writes is well-formed whatever the page was.
 */
export class ContentWriter {
  readonly #pieces: string[] = [];
  readonly #parts: Part[] = [];
  readonly #open: Part[] = [];
  readonly #closers: string[] = [];
  readonly #resolve: Resolve;
  #silentFrom: number | undefined;
  #textLength = 0;
  #headingAt: number | undefined;
  #isAtEdge = true;
  /** Where the last piece of text is. */
  #textAt = -1;
  #preDepth = 0;
  #isInHeadingAnchor = false;

  constructor(resolve: Resolve) {
    this.#resolve = resolve;
  }

  /** Whether what comes now is content of the page. */
  get isSpeaking(): boolean {
    return this.#silentFrom === undefined;
  }

  openTag(name: string, attributes: Attributes): void {
    const depth = this.#closers.length;
    const isPart = name === "main" || name === "article" || attributes["role"] === "main";
    if (this.isSpeaking && isSilent(name, attributes, this.#open.length > 0)) this.#silentFrom = depth;
    if (!this.isSpeaking) {
      this.#closers.push("");
      return;
    }
    if (isBlock.test(name)) this.#endHeading();
    if (isEdge.test(name)) this.#meetEdge();
    if (isPart) this.#beginPart(name === "article" ? "article" : "main", depth);
    if (isHeading.test(name)) this.#headingAt = depth;
    this.#closers.push(this.#write(name, attributes));
  }

  closeTag(name: string): void {
    const closer = this.#closers.pop() ?? "";
    const depth = this.#closers.length;
    if (this.#silentFrom !== undefined) {
      if (depth <= this.#silentFrom) this.#silentFrom = undefined;
      return;
    }
    if (this.#headingAt === depth) this.#headingAt = undefined;
    if (name === "pre") this.#preDepth -= 1;
    if (name === "a") this.#isInHeadingAnchor = false;
    // A link without text would be noise.
    if (closer === "</a>" && this.#pieces.at(-1)?.startsWith("<a ") === true) this.#pieces.pop();
    else if (closer !== "") {
      if (isEdge.test(name)) this.#meetEdge();
      this.#pieces.push(closer);
    }
    if (this.#open.at(-1)?.depth === depth) this.#endPart();
  }

  text(text: string): void {
    if (!this.isSpeaking || (this.#isInHeadingAnchor && anchorSigns.test(text))) return;
    const shown = this.#isAtEdge && this.#preDepth === 0 ? text.trimStart() : text;
    if (shown === "") return;
    this.#textLength += shown.length;
    this.#isAtEdge = false;
    this.#textAt = this.#pieces.length;
    this.#pieces.push(escapeText(shown));
  }

  /** The main content: the biggest `main`, else an article that holds half of the text, else everything. */
  content(): string {
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
    return this.#pieces.slice(chosen?.start, chosen?.end).join("");
  }

  /** White space at the beginning and the end of a block means nothing, and only confuses what comes after us. */
  #meetEdge(): void {
    const last = this.#pieces.length - 1;
    if (this.#textAt === last && this.#preDepth === 0) this.#pieces[last] = this.#pieces[last]?.trimEnd() ?? "";
    this.#isAtEdge = true;
  }

  /** A heading that somebody forgot to close would swallow the rest of the page. */
  #endHeading(): void {
    const from = this.#headingAt;
    if (from === undefined) return;
    this.#headingAt = undefined;
    for (let index = this.#closers.length - 1; index >= from; index--) {
      this.#pieces.push(this.#closers[index] ?? "");
      this.#closers[index] = "";
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
  #write(name: string, attributes: Attributes): string {
    if (name === "a") return this.#writeLink(attributes);
    if (name === "img") return this.#writeImage(attributes);
    if (name === "br") return this.#writePlain(this.#preDepth > 0 ? "\n" : "<br>");
    if (name === "hr") return this.#writePlain("<hr>");
    if (name === "input") return this.#writeBox(attributes);
    if (name === "pre") this.#preDepth += 1;
    const special = openWithAttributes(name, attributes);
    if (special !== undefined) {
      this.#pieces.push(special);
      return `</${name}>`;
    }
    const rule = elementRules.get(name);
    // Within code only its text counts; highlighters wrap every word.
    if (rule === undefined) return "";
    if (this.#preDepth > 0 && name !== "pre" && name !== "code") return isBlock.test(name) ? "\n" : "";
    this.#pieces.push(openTag(name, attributes, rule));
    return rule.close;
  }

  #writePlain(text: string): string {
    this.#pieces.push(text);
    return "";
  }

  #writeLink({ href }: Attributes): string {
    if (href === undefined) return "";
    if (href.startsWith("#")) {
      this.#isInHeadingAnchor = true;
      return "";
    }
    const target = this.#resolve(href);
    if (target === undefined) return "";
    this.#pieces.push(`<a href="${escapeAttribute(target)}">`);
    return "</a>";
  }

  /** Pages that load images late keep the address elsewhere. */
  #writeImage(attributes: Attributes): string {
    const { src = "", alt = "" } = attributes;
    const source = src === "" || src.startsWith("data:") ? (attributes["data-src"] ?? "") : src;
    const target = source === "" ? undefined : this.#resolve(source);
    this.#isAtEdge = false;
    if (target !== undefined) {
      return this.#writePlain(`<img src="${escapeAttribute(target)}" alt="${escapeAttribute(alt)}">`);
    }
    return this.#writePlain(escapeText(alt));
  }

  #writeBox({ type, checked }: Attributes): string {
    if (type?.toLowerCase() !== "checkbox") return "";
    return this.#writePlain(checked === undefined ? emptyBox : checkedBox);
  }
}

function bigger(best: Part | undefined, part: Part): Part {
  return best === undefined || part.textLength > best.textLength ? part : best;
}

function escapeText(text: string): string {
  return /[&<>]/.test(text) ? text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;") : text;
}

function escapeAttribute(text: string): string {
  return escapeText(text).replaceAll('"', "&quot;");
}
