import type { Block } from "./block.ts";
import { isArticleBody, isEntry, signOf, type BlockSign } from "./block-label.ts";

/** Pieces of the cleaned document, from one up to another. */
export interface PieceRange {
  readonly start: number;
  readonly end: number;
}

/** A block of an article, and what speaks for it. */
interface Candidate {
  readonly block: Block;
  readonly children: readonly Candidate[];
  readonly sign: BlockSign;
  /** How much running text it has itself, and with all in it: words of links, headings and captions do not count. */
  readonly ownMass: number;
  readonly mass: number;
  /** How much of it schema.org calls the body of an article. */
  readonly bodyMass: number;
  /** Headings that lead to other pages. */
  readonly linkedHeadings: number;
  /** One of several that each tell of another page. */
  isTeaser: boolean;
}

/**
 * The main content of a page. Of an article, which says so of itself, the blocks that hold its running text: pages of news and blogs wrap it
 * in much else. Of any other page what it marks as its main part, or else all of it: lists, tables and code are content there.
 */
export function findMainContent(page: Block, isArticle: boolean): PieceRange[] {
  const { marked, hasEntry } = findMarked(page);
  if (isArticle || hasEntry) {
    const ranges: PieceRange[] = [];
    const region = narrow(toCandidate(page), ranges);
    if (region.mass >= leastArticle) return ranges;
  }
  return [marked];
}

const leastArticle = 150;

/** The biggest `main`, else an article that holds half of the text, else the page. */
function findMarked(page: Block): { marked: Block; hasEntry: boolean } {
  let main: Block | undefined;
  let article: Block | undefined;
  let hasEntry = false;
  const look = (block: Block): void => {
    const { name, attributes, length } = block;
    if ((name === "main" || attributes["role"] === "main") && length > (main?.length ?? 0)) main = block;
    if (name === "article" && length > (article?.length ?? 0)) article = block;
    hasEntry ||= isEntry(attributes);
    for (const child of block.children) look(child);
  };
  look(page);
  const hasHalf = article !== undefined && article.length * 2 >= page.length;
  return { marked: main ?? (hasHalf ? article : undefined) ?? page, hasEntry };
}

const smallLength = 150;
const maxTeaserMass = 500;
const leastTeasers = 3;

function toCandidate(block: Block): Candidate {
  const children = block.children.map(toCandidate);
  const sign = block.name === "body" ? "none" : signOf(block.attributes, block.length < smallLength);
  const ownMass = massOf(block);
  const linkedHeadings = children.reduce((sum, child) => sum + child.linkedHeadings, isLinkedHeading(block) ? 1 : 0);
  const teasers = children.filter(
    (child) => child.linkedHeadings >= 1 && child.linkedHeadings <= 2 && child.mass < maxTeaserMass,
  );
  const hasTeasers = teasers.length >= leastTeasers;
  if (hasTeasers) for (const teaser of teasers) teaser.isTeaser = true;
  const mass = children.reduce((sum, child) => sum + child.mass * (child.isTeaser ? 0.3 : 1), ownMass);
  return {
    block,
    children,
    sign,
    ownMass,
    mass: sign === "decoration" ? mass * 0.1 : mass,
    bodyMass: isArticleBody(block.attributes) ? mass : children.reduce((sum, child) => sum + child.bodyMass, 0),
    linkedHeadings,
    isTeaser: hasTeasers && teasers.length > children.length * 0.6,
  };
}

const heading = /^h[1-6]$/;

function massOf({ name, ownLength, ownLinkLength, ownStops }: Block): number {
  const plain = ownLength - ownLinkLength;
  const isText = plain >= 25 && ownLinkLength <= ownLength / 2 && (ownStops > 0 || plain >= 80);
  return isText && !heading.test(name) ? plain : 0;
}

function isLinkedHeading({ name, ownLength, ownLinkLength }: Block): boolean {
  return heading.test(name) && ownLength >= 15 && ownLinkLength > ownLength * 0.8;
}

/** Goes from block to block to the one that holds the running text, and adds what is to be kept. Answers which it was. */
function narrow(candidate: Candidate, ranges: PieceRange[]): Candidate {
  const best = findBest(candidate);
  if (best === undefined) {
    keep(candidate, candidate.mass, ranges);
    return candidate;
  }
  let region = candidate;
  let isBefore = true;
  for (const child of candidate.children) {
    if (child === best) {
      region = narrow(best, ranges);
      isBefore = false;
    } else if (isCompanion(child, best, isBefore)) keep(child, best.mass, ranges);
  }
  return region;
}

/** The child that holds most of the text; none where the text is spread over several, or stands in the block itself. */
function findBest({ children, ownMass, mass }: Candidate): Candidate | undefined {
  let best: Candidate | undefined;
  for (const child of children) if (best === undefined || weigh(child) > weigh(best)) best = child;
  if (best === undefined || isLeaf(best)) return undefined;
  let weight = ownMass;
  let loose = 0;
  let nextMarked = 0;
  for (const child of children) {
    weight += weigh(child);
    if (child === best) continue;
    if (child.sign !== "decoration" && child.ownMass === child.mass) loose += child.ownMass;
    if (isMarked(child)) nextMarked = Math.max(nextMarked, weigh(child));
  }
  const isOnlyMarked = isMarked(best) && nextMarked < weigh(best) * 0.3;
  const isEnough = weigh(best) >= weight * (isOnlyMarked ? 0.35 : 0.5);
  return isEnough && ownMass <= mass * 0.2 && loose <= mass * 0.1 ? best : undefined;
}

function weigh({ sign, mass, bodyMass }: Candidate): number {
  return bodyMass + (sign === "content" ? mass * 1.4 : mass);
}

function isMarked({ sign, bodyMass, block }: Candidate): boolean {
  return sign === "content" || bodyMass > 0 || block.name === "main" || block.name === "article";
}

const leaves = new Set("p pre blockquote ul ol dl table h1 h2 h3 h4 h5 h6".split(" "));

function isLeaf({ block }: Candidate): boolean {
  return leaves.has(block.name);
}

/** Whether a block beside the one with the text belongs to it: its title, a part of the same kind, a paragraph that stands apart. */
function isCompanion(child: Candidate, best: Candidate, isBefore: boolean): boolean {
  const { block, mass } = child;
  if (isDecoration(child, best.mass)) return false;
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

function isDecoration({ sign, isTeaser, mass }: Candidate, regionMass: number): boolean {
  return sign === "decoration" || isTeaser || (sign === "doubtful" && mass < regionMass * 0.2);
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
  const { block, mass } = child;
  if (block.name === "p") return block.ownLength >= 30 && block.ownLinkLength > block.ownLength * 0.9;
  return /^(ul|ol|div|section|table)$/.test(block.name) && mass < 100 && linkDensity(block) > 0.5;
}

function linkDensity({ length, linkLength }: Block): number {
  return length === 0 ? 0 : linkLength / length;
}
