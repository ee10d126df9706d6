import { Parser, type Handler, type ParserOptions } from "htmlparser2";

/** As deep as browsers nest elements. */
const deepest = 512;
/** They hold text alone, and theirs must not become text of the page: a few levels deeper they are let in. In a drawing they can be nested. */
const deepestText = 520;
const textElements = new Set(["script", "style", "title", "textarea", "iframe", "xmp", "noembed", "noframes"]);

/**
 * An element that is nested too deep ends where it begins, and what is in it belongs to those around it. The parser moves and
 * searches all open elements at every tag, so a page whose elements were never closed would take forever.
 */
export class BoundedParser extends Parser {
  readonly #depth: () => number;
  /** Elements that were ended early and whose end tags are still to come. */
  readonly #flat = new Map<string, number>();
  #tag: "opening" | "closing" | undefined;
  #isFlat = false;

  /** `depth` says how many elements the handler was told of that have not ended. */
  constructor(handler: Partial<Handler>, depth: () => number, options: Pick<ParserOptions, "xmlMode"> = {}) {
    super(handler, { lowerCaseTags: true, lowerCaseAttributeNames: true, decodeEntities: true, ...options });
    this.#depth = depth;
  }

  override onopentagname(start: number, end: number): void {
    this.#tag = "opening";
    super.onopentagname(start, end);
    this.#tag = undefined;
  }

  override onclosetag(start: number, end: number): void {
    const depth = this.#depth();
    this.#tag = "closing";
    super.onclosetag(start, end);
    this.#tag = undefined;
    // What was in an element ends with it.
    if (this.#depth() < depth) this.#flat.clear();
  }

  /** Asked for a name that opens an element, again when its attributes were read, and for one that closes. */
  protected override isVoidElement(name: string): boolean {
    if (super.isVoidElement(name)) return true;
    if (this.#tag === "closing") return this.#closeFlat(name);
    if (this.#tag === "opening") this.#isFlat = this.#openFlat(name);
    return this.#isFlat;
  }

  #openFlat(name: string): boolean {
    if (this.#depth() < (textElements.has(name) ? deepestText : deepest)) return false;
    this.#flat.set(name, (this.#flat.get(name) ?? 0) + 1);
    return true;
  }

  #closeFlat(name: string): boolean {
    const open = this.#flat.get(name) ?? 0;
    if (open > 0) this.#flat.set(name, open - 1);
    return open > 0;
  }
}
