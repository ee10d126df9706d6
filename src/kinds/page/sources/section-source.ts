import type { PageAnalysis, PageInput } from "../contract.ts";

/** CSS properties with their computed values. */
export type Declarations = Readonly<Record<string, string>>;

export interface SourceElement {
  readonly tag: string;
  readonly attributes: Readonly<Record<string, string>>;
  /** Which of the section's styles it has. */
  readonly style: number;
  readonly children: readonly SourceNode[];
}

/** Text, or an element. */
export type SourceNode = string | SourceElement;

export interface SourceStyle {
  readonly base: Declarations;
  /** What is different at each of the section's `widths`, from the widest on. */
  readonly narrower: readonly Declarations[];
}

/** A section of a page as it can stand alone: its elements, with nothing that runs, and what each looks like. */
export interface SectionSource {
  /** The section's id within its page. */
  readonly section: string;
  readonly root: SourceElement;
  readonly styles: readonly SourceStyle[];
  /** Window widths below which something looks different, from the widest on. */
  readonly widths: readonly number[];
  /** It had more than is kept of a section. */
  readonly isCut: boolean;
}

/** An analysed page as it is handed over to be kept longer than its job. */
export interface KeptPage {
  /** The id of its job. */
  readonly id: string;
  readonly owner: string;
  readonly input: Pick<PageInput, "url" | "html">;
  readonly analysis: PageAnalysis;
  readonly sources: readonly SectionSource[];
}

/** What the browser tells of a section; the page's author decides what it says, so it is not trusted. */
export interface RawSource {
  readonly section: string;
  readonly root: SourceElement;
  /** Of each element, in the order of their `style` numbers. */
  readonly styles: readonly Declarations[];
  readonly isCut: boolean;
}
