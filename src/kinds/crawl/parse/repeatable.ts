import type { Block } from "./block.ts";
import type { PieceRange } from "./main-content.ts";

const maxRepeatable = 64;
const leastLength = 12;
const maxBoxLength = 600;
const containers = /^(div|section|article|main|td|tr|tbody|table|body|center|page)$/;

/**
 * Blocks of the main content that are the template's if they stand on most pages of a site: lists of links wherever they are, and boxes with
 * a link beside the block that holds the running text. Nothing within that text, which may well say the same on several pages.
 */
export function findRepeatable(page: Block, ranges: readonly PieceRange[]): Block[] {
  const found: Block[] = [];
  const isContent = ({ start, end }: Block): boolean =>
    ranges.some((range) => range.start <= start && end <= range.end && end - start < range.end - range.start);
  const look = (block: Block, isAround: boolean): void => {
    const text = isAround ? textBlock(block) : undefined;
    for (const child of block.children) {
      if (found.length >= maxRepeatable) return;
      const isBeside = text !== undefined && child !== text;
      if ((isLinkList(child) || (isBeside && isBox(child))) && isContent(child)) found.push(child);
      look(child, isAround && child === text);
    }
  };
  look(page, true);
  return found;
}

/** Ranges without some of the blocks in them. */
export function leaveOut(ranges: readonly PieceRange[], blocks: readonly Block[]): PieceRange[] {
  return ranges.flatMap(({ start, end }) => {
    const rest: PieceRange[] = [];
    let from = start;
    for (const block of blocks) {
      if (block.start < from || block.end > end) continue;
      rest.push({ start: from, end: block.start });
      from = block.end;
    }
    return [...rest, { start: from, end }];
  });
}

/** The child that holds nearly all of a block's plain text. */
function textBlock({ children, length, linkLength }: Block): Block | undefined {
  return children.find(
    (child) => containers.test(child.name) && child.length - child.linkLength > (length - linkLength) * 0.6,
  );
}

function isLinkList({ name, length, linkLength, insideLength, isNote }: Block): boolean {
  const isList = /^(ul|ol|dl|div|section|table|td|form|p)$/.test(name) && length >= leastLength && !isNote;
  return isList && linkLength > length * 0.6 && insideLength > linkLength / 2;
}

function isBox(block: Block): boolean {
  const { name, length, linkLength, isNote } = block;
  const isSmall = /^(div|section|form|td|p|figure)$/.test(name) && length >= leastLength && length <= maxBoxLength;
  return isSmall && linkLength > 0 && !isNote && !holdsFacts(block);
}

function holdsFacts({ children }: Block): boolean {
  return children.some((child) => /^(h1|pre|table|dl)$/.test(child.name) || holdsFacts(child));
}
