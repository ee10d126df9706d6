import type { Mark, Piece } from "./content-piece.ts";
import { noAttributes, type Attributes } from "./element-rules.ts";

const referenceName = /footnote|noteref|citation-reference|(^|\s)fn-?ref/i;
const noteName = /footnote|endnote|cite_note|(^|\s)fn/i;
const noteTarget = /^#(user-content-)?(fn|footnote|endnote|cite_note|ftn|_ftn|_edn|sdfootnote)\d*/i;
const backTarget = /^#(user-content-)?(cite_ref|(fn|footnote|ftn|_ftn|_edn|endnote)-?ref)/i;
const noteLabel = /^[\s^[\](),.↑]*$/;
const noteElements = new Set("li aside p tr dt".split(" "));
const noteBoxes = new Set("div table section".split(" "));

/** The footnotes of a page, as far as they are referred to before they come. */
export class Footnotes {
  readonly #wanted = new Set<string>();
  /** Where their links back lead. */
  readonly #backs = new Set<string>();
  #open: { readonly depth: number; isFresh: boolean } | undefined;
  /** The name of a note, where that stands apart from it. */
  #next: string | undefined;

  /** A link to a note, by the element that it stands in; what it refers to, or undefined if it is another link. */
  refer(link: Attributes, parentName: string, parent: Attributes): string | undefined {
    const { href = "", class: names = "", role = "", id } = link;
    const isNote = parentName === "sup" || noteTarget.test(href) || referenceName.test(`${names} ${role}`);
    if (!isNote || href.length < 2) return undefined;
    const target = href.slice(1);
    this.#wanted.add(target);
    for (const back of [id, parent["id"]]) if (back !== undefined) this.#backs.add(back);
    return target;
  }

  /** Whether an element is a note that was referred to. */
  isNote(name: string, attributes: Attributes): boolean {
    if (this.#wanted.size === 0 || attributes === noAttributes) return false;
    const { id, class: names = "", role = "" } = attributes;
    if (id === undefined || !this.#wanted.has(id)) return false;
    return noteElements.has(name) || (noteBoxes.has(name) && noteName.test(`${names} ${id} ${role}`));
  }

  /** Whether a definition is the note that the term before it names. */
  isNamed(name: string): boolean {
    return name === "dd" && this.#next !== undefined;
  }

  /** Begins a note; answers its name, or undefined where only the name is there yet. */
  begin(name: string, { id }: Attributes, depth: number): string | undefined {
    const note = this.#next ?? id;
    this.#next = name === "dt" ? id : undefined;
    if (name === "dt") return undefined;
    this.#open = { depth, isFresh: true };
    return note;
  }

  end(depth: number): void {
    if (this.#open?.depth === depth) this.#open = undefined;
  }

  isBackLink(href: string): boolean {
    return this.#open !== undefined && (backTarget.test(href) || this.#backs.has(href.slice(1)));
  }

  /** Whether a text is what stands before a note: its number without the link back. */
  isLabel(text: string): boolean {
    if (this.#open?.isFresh !== true) return false;
    this.#open.isFresh = noteLabel.test(text);
    return this.#open.isFresh;
  }
}

/** Numbers the notes; a reference to one that is not there is a link. */
export function resolveNotes(pieces: readonly Piece[]): readonly Piece[] {
  if (!pieces.some((piece) => isMark(piece, "noteref"))) return pieces;
  const notes = new Set(pieces.flatMap((piece) => (isMark(piece, "note") ? (piece.value ?? "") : [])));
  const labels = new Map<string, string>();
  const labelOf = (target: string): string => {
    const label = labels.get(target) ?? String(labels.size + 1);
    labels.set(target, label);
    return label;
  };
  const open: Mark[] = [];
  return pieces.map((piece): Piece => {
    if (typeof piece === "string" || (piece.name !== "note" && piece.name !== "noteref")) return piece;
    const { name, isOpen, value = "" } = piece;
    if (name === "note") return isOpen ? { ...piece, value: labelOf(value) } : piece;
    if (!isOpen) return { ...(open.pop() ?? piece), isOpen: false };
    open.push(notes.has(value) ? { ...piece, value: labelOf(value) } : { name: "a", isOpen, value: `#${value}` });
    return open.at(-1) ?? piece;
  });
}

function isMark(piece: Piece, name: Mark["name"]): piece is Mark {
  return typeof piece !== "string" && piece.isOpen && piece.name === name;
}
