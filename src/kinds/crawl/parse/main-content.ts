import type { Block } from "./block.ts";
import { isEntry } from "./block-label.ts";
import { findBest, heading, isLeaf, isMarked, linkDensity, toCandidate, type Candidate } from "./candidate.ts";

/** Pieces of the cleaned document, from one up to another. */
export interface PieceRange {
  readonly start: number;
  readonly end: number;
}

/**
 * The main content of a page. Of an article, which says so of itself, the blocks that hold its running text: pages of news and blogs wrap it
 * in much else. Of any other page what it marks as its main part, or else all of it: lists, tables and code are content there.
 */
export function findMainContent(page: Block, isArticle: boolean): PieceRange[] {
  const { marked, hasEntry, title } = findMarked(page);
  if (isArticle || hasEntry) {
    const ranges: PieceRange[] = [];
    const region = narrow(toCandidate(page), ranges);
    if (region.mass >= leastArticle) return ranges;
  }
  return marked === page ? leaveOutLinks(toCandidate(page), title) : [marked];
}

const leastArticle = 150;
/** With less running text a page is rather a list, and its links are what it has to say. */
const leastRunning = 500;

/** The biggest `main`, else an article that holds half of the text, else the page. */
function findMarked(page: Block): { marked: Block; hasEntry: boolean; title: Block | undefined } {
  let main: Block | undefined;
  let title: Block | undefined;
  let article: Block | undefined;
  let hasEntry = false;
  const look = (block: Block): void => {
    const { name, attributes, length } = block;
    if ((name === "main" || attributes["role"] === "main") && length > (main?.length ?? 0)) main = block;
    if (name === "article" && length > (article?.length ?? 0)) article = block;
    if (name === "h1" && title?.name !== "h1") title = block;
    if (name === "h2") title ??= block;
    hasEntry ||= isEntry(attributes);
    for (const child of block.children) look(child);
  };
  look(page);
  const hasHalf = article !== undefined && article.length * 2 >= page.length;
  return { marked: main ?? (hasHalf ? article : undefined) ?? page, hasEntry, title };
}

/**
 * All of a page but the lists of links before the block that has its title and most of its text. Tables that only arrange a page are
 * no tables in what is kept.
 */
function leaveOutLinks(page: Candidate, title: Block | undefined): PieceRange[] {
  const ranges: PieceRange[] = [];
  const best = findBest(page);
  const isTitled = best !== undefined && (title === undefined || isWithin(title, best.block));
  if (!isTitled || best.mass < leastRunning || best.mass < page.mass / 2) return [page.block];
  const isLayout = /^(table|tbody|tr|td)$/.test(page.block.name);
  let { start } = page.block;
  for (const child of page.children) {
    if (child !== best && (child.block.start > best.block.start || !isLinkList(child))) {
      if (isLayout) ranges.push(child.block);
      continue;
    }
    if (!isLayout) ranges.push({ start, end: child.block.start });
    if (child === best) ranges.push(...leaveOutLinks(child, title));
    start = child.block.end;
  }
  if (!isLayout) ranges.push({ start, end: page.block.end });
  return ranges;
}

function isWithin(inner: Block, outer: Block): boolean {
  return inner.start >= outer.start && inner.end <= outer.end;
}

/** Goes from block to block to the one that holds the running text, and adds what is to be kept. Answers which it was. */
function narrow(candidate: Candidate, ranges: PieceRange[], isLast = true): Candidate {
  const best = findBest(candidate);
  if (best === undefined) {
    if (isLast) findEnd(candidate, candidate.mass);
    keep(candidate, candidate.mass, ranges);
    return candidate;
  }
  const bestAt = candidate.children.indexOf(best);
  const kept = candidate.children.filter((child, at) => child === best || isCompanion(child, best, at < bestAt));
  if (isLast) dropEnd(kept, best);
  let region = candidate;
  for (const child of kept) {
    if (child === best) region = narrow(best, ranges, isLast && child === kept.at(-1));
    else keep(child, best.mass, ranges);
  }
  return region;
}

function dropEnd(kept: Candidate[], best: Candidate): void {
  for (let last = kept.at(-1); last !== undefined && last !== best; last = kept.at(-1)) {
    if (isLeaf(last) || !findEnd(last, best.mass)) return;
    kept.pop();
  }
}

/** Whether a block beside the one with the text belongs to it: its title, a part of the same kind, a paragraph that stands apart. */
function isCompanion(child: Candidate, best: Candidate, isBefore: boolean): boolean {
  const { block, mass } = child;
  if (isDecoration(child, best.mass)) return false;
  if (block.isNote) return true;
  if (heading.test(block.name)) return block.name === "h1" && isBefore;
  if (isTwin(block, best.block)) return true;
  const density = linkDensity(block);
  if (/^(pre|table|dl)$/.test(block.name)) return density < 0.5;
  return density < 0.25 && (isLeaf(child) ? mass > 60 : !isMarked(best) && mass >= best.mass * 0.2);
}

function isTwin(a: Block, b: Block): boolean {
  const { class: names } = a.attributes;
  return a.name === b.name && names !== undefined && names === b.attributes["class"];
}

function isDecoration({ sign, isTeaser, isAfterEnd, mass }: Candidate, regionMass: number): boolean {
  return sign === "decoration" || isTeaser || isAfterEnd || (sign === "doubtful" && mass < regionMass * 0.2);
}

/**
 * Marks what follows the last of the article: headings with nothing below them, lists of other pages and what they are called. Answers whether
 * that is all there is.
 */
function findEnd({ block, children, ownMass }: Candidate, regionMass: number): boolean {
  if (ownMass > 0) return false;
  let isLabelled = false;
  const shown = children.filter((child) => child.block.hash !== 0);
  for (const [index, child] of [...shown.entries()].toReversed()) {
    const isLinks = isJunk(child, regionMass) || isListOfPages(child.block);
    const isTail =
      isLinks || isTitle(child.block) || (isLabel(child.block) && (isLabelled || isUnderTitle(shown[index - 1])));
    if (!isTail && (isLeaf(child) || !findEnd(child, regionMass))) return false;
    isLabelled = isLinks;
    child.isAfterEnd = true;
  }
  return block.ownLength === 0;
}

function isTitle({ name }: Block): boolean {
  return heading.test(name) && name !== "h1";
}

/** Each item leads to another page of the site. */
function isListOfPages({ name, children }: Block): boolean {
  return name === "ul" && children.length > 1 && children.every((item) => item.insideLength > item.length * 0.25);
}

function isUnderTitle(above: Candidate | undefined): boolean {
  return above !== undefined && isTitle(above.block);
}

function isLabel({ name, length, children, ownStops }: Block): boolean {
  return /^(p|div)$/.test(name) && children.length === 0 && length <= 40 && ownStops <= 1;
}

/** Adds a block without what is decoration in it. */
function keep(candidate: Candidate, regionMass: number, ranges: PieceRange[]): void {
  const { block, children } = candidate;
  let { start } = block;
  for (const child of children) {
    const isDropped = isJunk(child, regionMass);
    if (!isDropped && isLeaf(child)) continue;
    ranges.push({ start, end: child.block.start });
    if (!isDropped) keep(child, regionMass, ranges);
    start = child.block.end;
  }
  ranges.push({ start, end: block.end });
}

/** Decoration, a list of links, or a paragraph that is nothing but a link to elsewhere. */
function isJunk(child: Candidate, regionMass: number): boolean {
  if (isDecoration(child, regionMass)) return true;
  const { block } = child;
  if (block.name === "p") return isLead(block);
  return isLinkList(child) && (block.insideLength * 2 > block.linkLength || !isListOfSources(block));
}

function isLinkList({ block, mass }: Candidate): boolean {
  return (
    /^(ul|ol|div|section|table|tr|td)$/.test(block.name) && mass < 100 && linkDensity(block) > 0.5 && !block.isNote
  );
}

const maxLabel = 20;

/** "Read more: …". What an article says of other pages it says in sentences. */
function isLead({ ownLength, ownLinkLength, ownInsideLength, ownStops }: Block): boolean {
  if (ownLength >= 30 && ownLinkLength > ownLength * 0.9) return true;
  return ownInsideLength >= 30 && ownLength - ownInsideLength <= maxLabel && ownStops <= 1;
}

/** Links to other sites that each say more than who they are, as buttons to share a page do. */
function isListOfSources({ name, length, children }: Block): boolean {
  return /^[uo]l$/.test(name) && length > children.length * 20;
}
