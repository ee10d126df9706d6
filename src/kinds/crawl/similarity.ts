/** Four marks that pages which say the same have mostly in common, then 128 bits that tell in how much two pages differ. */
export type Fingerprint = readonly number[];

export const markCount = 4;
const bitWords = 4;
/** In a shorter text every word counts. */
const fewestWords = 100;

/**
 * Of a text's runs of three words, given by the hashes of its words; undefined for a text that is too short to have one.
 * Every run turns one of the bits over. Runs that two texts share turn the same bits, so what is left between them is what they
 * do not share, however long they are. A mark is the smallest hash of a quarter of the runs, with the title's.
 */
export function fingerprint(words: Int32Array, titleHash: number): Fingerprint | undefined {
  if (words.length < fewestWords) return undefined;
  const marks = new Uint32Array(markCount).fill(0xffffffff);
  const bits = new Uint32Array(bitWords);
  for (let i = 2; i < words.length; i++) {
    const pair = mix(Math.imul(words[i - 1] ?? 0, 5) ^ (words[i] ?? 0));
    const run = mix(Math.imul(words[i - 2] ?? 0, 3) ^ pair);
    const slot = (run >>> 5) % bitWords;
    bits[slot] = (bits[slot] ?? 0) ^ (1 << (run & 31));
    const quarter = (run >>> 7) % markCount;
    marks[quarter] = Math.min(marks[quarter] ?? 0, mix(run));
  }
  return [...marks.map((mark) => mix(mark ^ titleHash)), ...bits];
}

/** How many of their bits differ: never more than runs do, which are six for a word that was changed. */
export function distance(a: Fingerprint, b: Fingerprint): number {
  let bits = 0;
  for (let i = markCount; i < markCount + bitWords; i++) bits += bitsIn((a[i] ?? 0) ^ (b[i] ?? 0));
  return bits;
}

function mix(value: number): number {
  let hash = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

function bitsIn(value: number): number {
  let left = value >>> 0;
  let bits = 0;
  for (; left !== 0; bits++) left &= left - 1;
  return bits;
}
