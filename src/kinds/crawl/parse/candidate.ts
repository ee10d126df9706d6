import type { Block } from "./block.ts";
import { isArticleBody, signOf, type BlockSign } from "./block-label.ts";

/** A block of an article, and what speaks for it. */
export interface Candidate {
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
  /** It comes after the end of the article. */
  isAfterEnd: boolean;
}

const smallLength = 150;
const maxTeaserMass = 500;
const leastTeasers = 3;

export function toCandidate(block: Block): Candidate {
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
    isAfterEnd: false,
  };
}

export const heading = /^h[1-6]$/;

function massOf({ name, ownLength, ownLinkLength, ownStops }: Block): number {
  const plain = ownLength - ownLinkLength;
  const isText = plain >= 25 && ownLinkLength <= ownLength / 2 && (ownStops > 0 || plain >= 80);
  return isText && !heading.test(name) ? plain : 0;
}

function isLinkedHeading({ name, ownLength, ownInsideLength }: Block): boolean {
  return heading.test(name) && ownLength >= 15 && ownInsideLength > ownLength * 0.8;
}

/** The child that holds most of the text; none where the text is spread over several, or stands in the block itself. */
export function findBest({ children, ownMass, mass }: Candidate): Candidate | undefined {
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

export function isMarked({ sign, bodyMass, block }: Candidate): boolean {
  return sign === "content" || bodyMass > 0 || block.name === "main" || block.name === "article";
}

const leaves = new Set("p pre blockquote ul ol dl table h1 h2 h3 h4 h5 h6".split(" "));

export function isLeaf(candidate: Candidate): boolean {
  return leaves.has(candidate.block.name) && !isLayout(candidate);
}

const leastLayout = 500;

/** A table that arranges a page: nearly all of its text is in one cell. */
function isLayout({ block, children, mass }: Candidate): boolean {
  if (block.name !== "table" || mass < leastLayout) return false;
  const rows = children.flatMap((child) => (child.block.name === "tbody" ? child.children : child));
  return rows.some((row) => row.children.some((cell) => cell.mass > mass * 0.7));
}

export function linkDensity({ length, linkLength }: Block): number {
  return length === 0 ? 0 : linkLength / length;
}
