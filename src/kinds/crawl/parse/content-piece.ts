/** The beginning or the end of an element that means something in Markdown. */
export interface Mark {
  readonly name: MarkName;
  readonly isOpen: boolean;
  /** Of a link or an image its target, of code its language, of a list its first number, of a cell its alignment, of a formula its TeX, of a note its name. */
  readonly value?: string;
  /** The text that stands for an image. */
  readonly alt?: string;
  /** How many columns a cell takes. */
  readonly span?: number;
  /** A formula that stands by itself. */
  readonly isDisplay?: boolean;
}

export type MarkName =
  | "block"
  | "h1"
  | "h2"
  | "h3"
  | "h4"
  | "h5"
  | "h6"
  | "ul"
  | "ol"
  | "li"
  | "blockquote"
  | "pre"
  | "table"
  | "caption"
  | "tr"
  | "th"
  | "td"
  | "hr"
  | "br"
  | "img"
  | "box"
  | "math"
  | "note"
  | "noteref"
  | "a"
  | "code"
  | "strong"
  | "em"
  | "del"
  | "sub"
  | "sup";

/** A page in short: its text as it is, and the marks between. */
export type Piece = string | Mark;
