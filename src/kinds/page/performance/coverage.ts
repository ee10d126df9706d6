/** How much of one file, or of all that is written into the page itself, was of no use. In characters. */
export interface Coverage {
  readonly url: string;
  readonly isInline: boolean;
  readonly length: number;
  readonly unused: number;
}

/** How often a word stands in a text, up to so many times. */
export function countOf(word: string, text: string, max: number): number {
  let count = 0;
  for (let at = text.indexOf(word); at !== -1 && count < max; at = text.indexOf(word, at + word.length)) count += 1;
  return count;
}
