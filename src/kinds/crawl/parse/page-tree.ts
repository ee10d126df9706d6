import { select } from "cheerio-select";
import { DomHandler } from "htmlparser2";
import { parseUrl } from "../../../job/parse-url.ts";
import { BoundedParser } from "../../../text/html/bounded-parser.ts";
import { PageText } from "../../../text/html/page-text.ts";

export type TreeElement = ReturnType<typeof select>[number];
type Root = Parameters<typeof select>[1];

const maxElements = 200_000;
const pieceLength = 65_536;
/** As in a document, they have no value but their name. */
const booleans =
  /^(?:autofocus|autoplay|async|checked|controls|defer|disabled|hidden|loop|multiple|open|readonly|required|scoped|selected)$/i;
/** Selectors that begin at the element itself and not in it. */
const besideElement = /^\s*(?:[+~]|:scope\b)/i;

/** A page as a tree, in which elements are found by CSS selectors. */
export class PageTree {
  readonly #handler = new TreeHandler();

  constructor(html: string) {
    const handler = this.#handler;
    const parser = new BoundedParser(
      {
        onopentag: (name, attributes) => handler.onopentag(name, attributes),
        ontext: (text) => handler.ontext(text),
        onclosetag: () => handler.onclosetag(),
      },
      () => handler.depth,
    );
    // The tree of a page with more would take all the memory of its thread.
    for (let start = 0; start < html.length && handler.elements.length < maxElements; start += pieceLength) {
      parser.write(html.slice(start, start + pieceLength));
    }
    parser.end();
  }

  find(selector: string, within: TreeElement | undefined, max = Infinity): TreeElement[] {
    const root = this.#handler.root as unknown as TreeElement;
    const context = within ?? root;
    // As a list, its children would each be compared with all others.
    const from: Root = besideElement.test(selector) ? [context] : context;
    return select(selector, from, { context: [context], root: root as never }, max);
  }

  /** The elements in another, in the order of the page. */
  descendants(element: TreeElement, max: number): TreeElement[] {
    const { index, last } = this.#handler.ranges.get(element) ?? { index: 0, last: -1 };
    return this.#handler.elements.slice(index + 1, Math.min(last, index + max) + 1);
  }

  text(element: TreeElement): string {
    const range = this.#handler.ranges.get(element);
    return range === undefined ? "" : this.#handler.text.read(range);
  }

  attribute(element: TreeElement, name: string): string | undefined {
    const { name: tag, attribs } = element;
    if (Object.hasOwn(attribs, name)) return booleans.test(name) ? name : attribs[name];
    if (name !== "value") return undefined;
    if (tag === "option") return this.text(element);
    return tag === "input" && /^(radio|checkbox)$/.test(attribs["type"] ?? "") ? "on" : undefined;
  }

  /** Makes all addresses in it absolute. */
  resolveAddresses(base: string): void {
    for (const { attribs } of this.#handler.elements) {
      for (const name of ["href", "src"]) {
        const target = attribs[name] === undefined ? undefined : parseUrl(attribs[name], base);
        if (target !== undefined) attribs[name] = target.href;
      }
    }
  }
}

/** What an element says, and which elements are in it: those up to the last. */
interface Range {
  readonly start: number;
  end: number;
  readonly index: number;
  last: number;
}

class TreeHandler extends DomHandler {
  readonly text = new PageText();
  readonly elements: TreeElement[] = [];
  readonly ranges = new Map<TreeElement, Range>();

  get depth(): number {
    return this.tagStack.length - 1;
  }

  override onopentag(name: string, attributes: Record<string, string>): void {
    super.onopentag(name, attributes);
    const element = this.#innermost;
    this.ranges.set(element, { start: this.text.length, end: Infinity, index: this.elements.length, last: Infinity });
    this.elements.push(element);
  }

  override ontext(text: string): void {
    super.ontext(text);
    this.text.append(text);
  }

  override onclosetag(): void {
    const range = this.ranges.get(this.#innermost);
    if (range !== undefined) {
      range.end = this.text.length;
      range.last = this.elements.length - 1;
    }
    super.onclosetag();
  }

  // Both packages build the same plain nodes, and each has types of its own for them.
  get #innermost(): TreeElement {
    return this.tagStack.at(-1) as unknown as TreeElement;
  }
}
