import type { Attributes } from "./element-rules.ts";

/** A block of the page: which pieces of the cleaned document are its own, and how much it says. Lengths are in characters. */
export interface Block {
  readonly name: string;
  readonly attributes: Attributes;
  readonly parent: Block | undefined;
  readonly children: Block[];
  readonly start: number;
  end: number;
  /** What it says itself, without the blocks in it. */
  ownLength: number;
  ownLinkLength: number;
  /** Of its links, those to pages of the same site. */
  ownInsideLength: number;
  /** Signs that end or divide sentences. */
  ownStops: number;
  /** With all blocks in it. */
  length: number;
  linkLength: number;
  insideLength: number;
  /** Of all its text and images, so that it is known when it comes again; zero where it has neither. */
  hash: number;
  /** A footnote, or it has some. */
  isNote: boolean;
}

/** What kind of link a text stands in: to a page of the same site, to another site, or none. */
export type LinkKind = "inside" | "outside" | "none";

export function openBlock(name: string, attributes: Attributes, start: number, parent: Block | undefined): Block {
  const block: Block = {
    name,
    attributes,
    parent,
    children: [],
    start,
    end: Infinity,
    ownLength: 0,
    ownLinkLength: 0,
    ownInsideLength: 0,
    ownStops: 0,
    length: 0,
    linkLength: 0,
    insideLength: 0,
    hash: 0,
    isNote: false,
  };
  parent?.children.push(block);
  return block;
}

export function closeBlock(block: Block, end: number): void {
  block.end = end;
  block.length += block.ownLength;
  block.linkLength += block.ownLinkLength;
  block.insideLength += block.ownInsideLength;
  if (block.parent === undefined) return;
  block.parent.length += block.length;
  block.parent.linkLength += block.linkLength;
  block.parent.insideLength += block.insideLength;
  block.parent.isNote ||= block.isNote;
  block.parent.hash = Math.imul(block.parent.hash ^ block.hash, 0x01000193);
}

export function addText(block: Block, text: string, link: LinkKind): void {
  const { length } = text.trim();
  if (length === 0) return;
  block.ownLength += length;
  const stopsFound = readSigns(block, text);
  if (link === "none") {
    block.ownStops += stopsFound;
    return;
  }
  block.ownLinkLength += length;
  if (link === "inside") block.ownInsideLength += length;
}

/** Signs that end or divide sentences, by their code. */
const stops = new Uint8Array(0x10000);
for (const sign of ",.;!?，、。；！？،؟।") stops[sign.charCodeAt(0)] = 1;

/** Something that is seen and not read. */
export function addSight(block: Block, source: string): void {
  readSigns(block, source);
}

/** Counts the stops, and adds all other signs but white space to the hash. */
function readSigns(block: Block, text: string): number {
  let count = 0;
  let { hash } = block;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code > 32) hash = Math.imul(hash ^ code, 0x01000193);
    count += stops[code] ?? 0;
  }
  block.hash = hash;
  return count;
}
