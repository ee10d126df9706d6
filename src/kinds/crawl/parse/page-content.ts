import type { Block } from "./block.ts";
import type { Piece } from "./content-piece.ts";
import { resolveNotes } from "./footnotes.ts";
import { findMainContent, type PieceRange } from "./main-content.ts";
import { findRepeatable, leaveOut } from "./repeatable.ts";
import { withFormulas } from "./tex-in-text.ts";

/** What a page says, cleaned. */
export interface PageContent {
  readonly pieces: readonly Piece[];
  readonly blocks: Int32Array;
  readonly without: (template: Int32Array) => OwnContent | undefined;
}

export interface OwnContent {
  readonly pieces: readonly Piece[];
  /** Blocks that are not in it. */
  readonly leftOut: number;
}

export function contentOf(
  page: Block,
  isArticle: boolean,
  pieces: readonly Piece[],
  setsFormulas: boolean,
): PageContent {
  const take = (ranges: readonly PieceRange[]): readonly Piece[] => {
    const taken = resolveNotes(ranges.flatMap(({ start, end }) => pieces.slice(start, end)));
    return setsFormulas ? withFormulas(taken) : taken;
  };
  const ranges = findMainContent(page, isArticle);
  const blocks = findRepeatable(page, ranges);
  return {
    pieces: take(ranges),
    blocks: Int32Array.from(blocks, ({ hash }) => hash),
    without: (template) => {
      const left = outermost(blocks.filter(({ hash }) => template.includes(hash)));
      return left.length === 0 ? undefined : { pieces: take(leaveOut(ranges, left)), leftOut: left.length };
    },
  };
}

/** Of blocks in the order of the page. */
function outermost(blocks: readonly Block[]): Block[] {
  let end = 0;
  return blocks.filter((block) => {
    const isWithin = block.start < end;
    if (!isWithin) end = block.end;
    return !isWithin;
  });
}
