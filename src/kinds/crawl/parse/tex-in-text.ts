import type { Mark, Piece } from "./content-piece.ts";
import { cleanTex } from "./formula.ts";

/** Sets the formulas that a script of the page would have set. */
export function withFormulas(pieces: readonly Piece[]): Piece[] {
  let codeDepth = 0;
  return pieces.flatMap((piece): Piece | Piece[] => {
    if (typeof piece === "string") return codeDepth > 0 ? piece : splitFormulas(piece);
    if (piece.name === "pre" || piece.name === "code") codeDepth += piece.isOpen ? 1 : -1;
    return piece;
  });
}

/** Whether nothing is to be seen since the formula at this place. */
export function isAfterFormula(pieces: readonly Piece[], at: number): boolean {
  const [first, ...since] = pieces.slice(Math.max(at, pieces.length - 5));
  const isFormula = typeof first === "object" && first.name === "math";
  return isFormula && since.every((piece) => typeof piece !== "string" || piece.trim() === "");
}

const texInText = /\\\((.{1,500}?)\\\)|\\\[(.{1,2000}?)\\\]|\$\$(.{1,2000}?)\$\$/gs;

/** The formulas in a text of a page that loads a script to set them, and what is between. */
function splitFormulas(text: string): (string | Mark)[] {
  const parts: (string | Mark)[] = [];
  let from = 0;
  for (const match of text.matchAll(texInText)) {
    const [whole, inline, ...displays] = match;
    const value = cleanTex(inline ?? displays.find((display) => display !== undefined) ?? "");
    parts.push(text.slice(from, match.index), { name: "math", isOpen: true, value, isDisplay: inline === undefined });
    from = match.index + whole.length;
  }
  return [...parts, text.slice(from)];
}
