import type { Mark } from "./content-piece.ts";
import { noAttributes, type Attributes } from "./element-rules.ts";
import { MathMl } from "./mathml.ts";

/**
 * A formula, as TeX. In MathML most pages have that beside it, in an annotation (KaTeX, Wikipedia, pandoc) or as the element's text for
 * readers (LaTeXML, MathJax); without one it is made of its parts. Elsewhere it is the text of an element that scripts set.
 */
export class Formula {
  readonly depth: number;
  #isDisplay: boolean;
  readonly #isText: boolean;
  #said: string;
  #annotation = "";
  #parts = new MathMl();
  #isInTex = false;
  #isInOther = false;

  private constructor(depth: number, said: string, isDisplay: boolean, isText: boolean) {
    this.depth = depth;
    this.#said = said;
    this.#isDisplay = isDisplay;
    this.#isText = isText;
  }

  /** The formula that an element is, as far as that shows at its beginning. */
  static begin(name: string, attributes: Attributes, depth: number): Formula | undefined {
    if (name !== "math" && name !== "mjx-container" && name !== "script") return undefined;
    const { alttext = "", display, type = "" } = attributes;
    if (name !== "script") {
      const said = attributes["data-latex"] ?? alttext;
      return new Formula(depth, said, display === "block" || display === "true", false);
    }
    return /^math\/tex/i.test(type) ? new Formula(depth, "", type.includes("display"), true) : undefined;
  }

  /** One that is written as TeX between the signs that scripts look for. */
  static ofText(text: string, depth: number): Formula | undefined {
    return /^\s*(\\[([]|\\begin\b|\${1,2}[^$])/.test(text) ? new Formula(depth, "", false, true) : undefined;
  }

  get isDisplay(): boolean {
    return this.#isDisplay || (this.#isText && /^\s*(\\\[|\$\$|\\begin)/.test(this.#annotation));
  }

  get tex(): string {
    const parts = [this.#annotation, this.#said, this.#isText ? "" : this.#parts.tex];
    return parts.map(cleanTex).find((text) => text !== "") ?? "";
  }

  openTag(name: string, attributes: Attributes): void {
    if (this.#isText) return;
    // What a script has drawn for the eye comes before.
    if (name === "math") this.#parts = new MathMl();
    this.#said ||= attributes["data-latex"] ?? attributes["alttext"] ?? "";
    if (name === "math" && attributes["display"] === "block") this.#isDisplay = true;
    if (!name.startsWith("annotation")) return this.#parts.openTag(name);
    this.#isInTex = /tex/i.test(attributes["encoding"] ?? "");
    this.#isInOther = !this.#isInTex;
  }

  text(text: string): void {
    if (this.#isInTex || this.#isText) this.#annotation += text;
    else if (!this.#isInOther) this.#parts.text(text);
  }

  closeTag(name: string): void {
    if (this.#isText) return;
    if (!name.startsWith("annotation")) return this.#parts.closeTag();
    this.#isInTex = false;
    this.#isInOther = false;
  }
}

/** Wikipedia and blogs show formulas as images that are described by their TeX. */
export function formulaOfImage({ alt = "", class: names = "" }: Attributes): Mark | undefined {
  if (!/(^|\s)(mwe-math-fallback-image-(inline|display)|latex|tex)(\s|$)/.test(names)) return undefined;
  const value = cleanTex(alt);
  return value === ""
    ? undefined
    : { name: "math", isOpen: true, value, isDisplay: names.includes("mwe-math-fallback-image-display") };
}

/** Whether an element's text is TeX that a script is to set. */
export function isMathBox(name: string, attributes: Attributes): boolean {
  if ((name !== "span" && name !== "div") || attributes === noAttributes) return false;
  const { class: names = "" } = attributes;
  return names.includes("math") && /(^|\s)(math|math-container|arithmatex)(\s|$)/.test(names);
}

/** Wikipedia wraps every formula in the style in which it is set, others in the signs that scripts look for. */
export function cleanTex(tex: string): string {
  const text = tex.replace(/\s+/g, " ").trim();
  const inner = /^(?:\\\((.*)\\\)|\\\[(.*)\\\]|\$\$(.*)\$\$|\$([^$]*)\$)$/.exec(text);
  if (inner !== null) return inner.slice(1).join("").trim();
  return /^\{\\(?:display|text)style (.*)\}$/.exec(text)?.[1]?.trim() ?? text;
}
