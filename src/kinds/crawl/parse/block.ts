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
  /** Signs that end or divide sentences. */
  ownStops: number;
  /** With all blocks in it. */
  length: number;
  linkLength: number;
}

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
    ownStops: 0,
    length: 0,
    linkLength: 0,
  };
  parent?.children.push(block);
  return block;
}

export function closeBlock(block: Block, end: number): void {
  block.end = end;
  block.length += block.ownLength;
  block.linkLength += block.ownLinkLength;
  if (block.parent === undefined) return;
  block.parent.length += block.length;
  block.parent.linkLength += block.linkLength;
}

export function addText(block: Block, text: string, isLink: boolean): void {
  const { length } = text.trim();
  block.ownLength += length;
  if (isLink) block.ownLinkLength += length;
  else if (length > 0) block.ownStops += countStops(text);
}

const stops = new Set(Array.from(",.;!?，、。；！？،؟।", (sign) => sign.charCodeAt(0)));

function countStops(text: string): number {
  let count = 0;
  for (let index = 0; index < text.length; index++) if (stops.has(text.charCodeAt(index))) count += 1;
  return count;
}
