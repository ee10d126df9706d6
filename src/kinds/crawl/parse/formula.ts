import type { Mark } from "./content-piece.ts";
import type { Attributes } from "./element-rules.ts";

/**
 * A formula in MathML, as TeX: most pages have that beside it, in an annotation (KaTeX, Wikipedia, pandoc) or as the element's text for
 * readers (LaTeXML). One without is the text of its parts, which is better than a hole.
 */
export class Formula {
  readonly depth: number;
  readonly isDisplay: boolean;
  readonly #said: string;
  #annotation = "";
  #parts = "";
  #isInTex = false;
  #isInOther = false;

  constructor({ alttext = "", display = "" }: Attributes, depth: number) {
    this.depth = depth;
    this.isDisplay = display === "block";
    this.#said = alttext;
  }

  get tex(): string {
    return [this.#annotation, this.#said, this.#parts].map(clean).find((text) => text !== "") ?? "";
  }

  openTag(name: string, { encoding = "" }: Attributes): void {
    if (!name.startsWith("annotation")) return;
    this.#isInTex = /tex/i.test(encoding);
    this.#isInOther = !this.#isInTex;
  }

  text(text: string): void {
    if (this.#isInTex) this.#annotation += text;
    else if (!this.#isInOther) this.#parts += text;
  }

  closeTag(name: string): void {
    if (!name.startsWith("annotation")) return;
    this.#isInTex = false;
    this.#isInOther = false;
  }
}

/** Wikipedia and blogs show formulas as images that are described by their TeX. */
export function formulaOfImage({ alt = "", class: names = "" }: Attributes): Mark | undefined {
  if (!/(^|\s)(mwe-math-fallback-image-(inline|display)|latex|tex)(\s|$)/.test(names)) return undefined;
  const value = clean(alt);
  return value === ""
    ? undefined
    : { name: "math", isOpen: true, value, isDisplay: names.includes("mwe-math-fallback-image-display") };
}

/** Wikipedia wraps every formula in the style in which it is set. */
function clean(tex: string): string {
  const text = tex.replace(/\s+/g, " ").trim();
  return /^\{\\(?:display|text)style (.*)\}$/.exec(text)?.[1]?.trim() ?? text;
}
