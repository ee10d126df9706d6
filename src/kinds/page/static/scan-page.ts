import { BoundedParser } from "../../../text/html/bounded-parser.ts";
import { PageText } from "../../../text/html/page-text.ts";
import { ElementList, type Attributes, type PageElement } from "./element-list.ts";
import { PageHead } from "./page-head.ts";

/** Of a page with more only the beginning is looked at. */
const maxElements = 200_000;
const maxClasses = 1_500;
const maxTags = 500;
const longestClass = 200;
const maxStyled = 2_000;
/** What they hold is no text of the page. */
const silent = new Set(["script", "style", "head"]);
const named = new Set(["header", "nav", "section", "article", "aside", "footer"]);
const namedRoles = new Set(["banner", "navigation", "contentinfo"]);

type OpenElement = { -readonly [Key in keyof PageElement]: PageElement[Key] };

/** What one pass over a page's HTML finds: lists of elements of which sections and facts are made, none of them by searching again. */
export function scanPage(html: string): PageScan {
  const scan = new PageScan();
  const parser = new BoundedParser(
    {
      onopentag: (name, attributes) => scan.openTag(name, attributes),
      ontext: (text) => scan.addText(text),
      onclosetag: () => scan.closeTag(),
    },
    () => scan.depth,
  );
  parser.write(html);
  parser.end();
  return scan;
}

export class PageScan {
  readonly text = new PageText();
  readonly head = new PageHead();
  readonly headings = new ElementList();
  readonly paragraphs = new ElementList();
  readonly links = new ElementList();
  readonly images = new ElementList();
  readonly buttons = new ElementList();
  /** Links that look like buttons, too. */
  readonly calls = new ElementList();
  readonly quotes = new ElementList();
  readonly details = new ElementList();
  readonly fields = new ElementList();
  readonly items = new ElementList();
  readonly articles = new ElementList();
  readonly sections = new ElementList();
  readonly landmarks = new ElementList();
  /** Parts of the page that are in no other part. */
  readonly parts: PageElement[] = [];
  readonly tags: Record<string, number> = Object.create(null) as Record<string, number>;
  readonly classes = new Set<string>();
  readonly inlineStyles: string[] = [];
  elements = 0;
  inlineHandlers = 0;
  #index = 0;
  #silent = 0;
  /** Parts around what comes now, those aside that may hold others. */
  #around = 0;
  readonly #open: OpenElement[] = [];

  get depth(): number {
    return this.#open.length;
  }

  get examined(): number {
    return Math.min(this.elements, maxElements);
  }

  openTag(name: string, attributes: Attributes): void {
    const start = this.text.length;
    const element = { name, attributes, index: this.#index++, last: Infinity, start, end: Infinity };
    // In a document without a body everything but its head belongs to it.
    if (name !== "html" && name !== "body" && !this.#isInHead(name)) this.elements += 1;
    if (this.#index <= maxElements) this.#take(element);
    if (silent.has(name)) this.#silent += 1;
    if (isBarrier(element)) this.#around += 1;
    this.#open.push(element);
  }

  addText(text: string): void {
    const isOfHead = this.head.addText(text);
    if (this.#silent === 0 && !isOfHead) this.text.append(text);
  }

  closeTag(): void {
    const element = this.#open.pop();
    if (element === undefined) return;
    element.end = this.text.length;
    element.last = this.#index - 1;
    if (silent.has(element.name)) this.#silent -= 1;
    if (isBarrier(element)) this.#around -= 1;
    this.head.closeTag(element.name);
  }

  #isInHead(name: string): boolean {
    return name === "head" || this.#open[1]?.name === "head" || this.#open[0]?.name === "head";
  }

  #take(element: OpenElement): void {
    const { name, attributes } = element;
    const isInHead = this.#isInHead(name);
    this.head.openTag(name, attributes, isInHead);
    if (attributes["style"] !== undefined && this.inlineStyles.length < maxStyled) {
      this.inlineStyles.push(`[style] { ${attributes["style"]} }`);
    }
    if ("onclick" in attributes || "onload" in attributes || "onsubmit" in attributes || "onchange" in attributes) {
      this.inlineHandlers += 1;
    }
    if (!isInHead && name !== "html" && name !== "body") this.#count(name, attributes);
    if (this.#around === 0 && isPart(element)) this.parts.push(element);
    for (const list of this.#listsOf(element)) list.add(element);
  }

  #count(name: string, { class: names }: Attributes): void {
    const before = this.tags[name];
    if (before !== undefined) this.tags[name] = before + 1;
    else if (Object.keys(this.tags).length < maxTags) this.tags[name.slice(0, longestClass)] = 1;
    if (names === undefined || this.classes.size >= maxClasses) return;
    for (const word of names.slice(0, longestClass * 50).split(/\s+/)) {
      if (word !== "" && word.length <= longestClass && this.classes.size < maxClasses) this.classes.add(word);
    }
  }

  #listsOf({ name, attributes }: PageElement): ElementList[] {
    const { role, type = "", class: names = "" } = attributes;
    const isButton = name === "button" || role === "button" || (name === "input" && type.toLowerCase() === "submit");
    const lists = isButton ? [this.buttons, this.calls] : [];
    switch (name) {
      case "a":
        if (!isButton && /btn|button|cta/.test(names)) lists.push(this.calls);
        if (attributes["href"] !== undefined) lists.push(this.links);
        return lists;
      case "input":
      case "textarea":
      case "select":
        return [...lists, this.fields];
      case "article":
        return [...lists, this.articles];
      case "section":
        return [...lists, this.sections];
      case "header":
      case "nav":
      case "main":
      case "aside":
      case "footer":
        return [...lists, this.landmarks];
      default:
        return [...lists, ...this.#plainLists(name)];
    }
  }

  #plainLists(name: string): ElementList[] {
    if (/^h[1-6]$/.test(name)) return [this.headings];
    const list = {
      p: this.paragraphs,
      img: this.images,
      li: this.items,
      blockquote: this.quotes,
      details: this.details,
    };
    return Object.hasOwn(list, name) ? [list[name as keyof typeof list]] : [];
  }
}

function isPart({ name, attributes }: PageElement): boolean {
  return named.has(name) || namedRoles.has(attributes["role"] ?? "");
}

/** What is in an article, or in the main part, may be a part of its own. */
function isBarrier(element: PageElement): boolean {
  return element.name !== "main" && element.name !== "article" && isPart(element);
}
