/** Parts of a formula in MathML, and what they are in TeX. */
interface Node {
  readonly name: string;
  readonly parts: string[];
}

/** Signs that are not seen: "times", "applied to". */
const unseen = /[\u2061-\u2064\u200B]/g;
const maxDepth = 60;

/** Makes TeX of MathML, from the events of one parse. */
export class MathMl {
  readonly #open: Node[] = [{ name: "math", parts: [] }];
  #flat = 0;

  get tex(): string {
    return this.#open.map(({ parts }) => parts.join("")).join("");
  }

  openTag(name: string): void {
    if (this.#open.length > maxDepth) this.#flat += 1;
    else this.#open.push({ name, parts: [] });
  }

  text(text: string): void {
    const seen = text.replace(unseen, "").trim();
    if (seen !== "") this.#open.at(-1)?.parts.push(seen);
  }

  closeTag(): void {
    if (this.#flat > 0) this.#flat -= 1;
    else if (this.#open.length > 1) {
      const node = this.#open.pop();
      const tex = node === undefined ? "" : toTex(node);
      // An empty part counts: what comes after it stands in its own place.
      if (tex !== "" || node?.name.startsWith("m")) this.#open.at(-1)?.parts.push(tex);
    }
  }
}

function toTex({ name, parts }: Node): string {
  const [first = "", second = "", third = ""] = parts;
  const text = parts.join("");
  switch (name) {
    case "msup":
    case "mover":
      return `${group(first)}^{${second}}`;
    case "msub":
    case "munder":
      return `${group(first)}_{${second}}`;
    case "msubsup":
    case "munderover":
      return `${group(first)}_{${second}}^{${third}}`;
    case "mfrac":
      return `\\frac{${first}}{${second}}`;
    case "msqrt":
      return `\\sqrt{${text}}`;
    case "mroot":
      return `\\sqrt[${second}]{${first}}`;
    case "mtable":
      return `\\begin{matrix} ${parts.join(" \\\\ ")} \\end{matrix}`;
    case "mtr":
      return parts.join(" & ");
    case "mtext":
      return text === "" ? "" : `\\text{${text}}`;
    case "mi":
      return /^[a-z]{2,}$/i.test(text) ? `\\mathrm{${text}}` : text;
    default:
      return text;
  }
}

/** What a sign is put to, kept together. */
function group(tex: string): string {
  return tex.length > 1 && !/^\\[a-z]+(\{[^{}]*\})?$/i.test(tex) ? `{${tex}}` : tex;
}
