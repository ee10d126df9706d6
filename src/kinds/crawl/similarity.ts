/** 64 bits, in two halves, of which similar texts share most. */
export type Fingerprint = readonly [high: number, low: number];

/** Fewer words than these make a fingerprint of chance. */
const fewestWords = 50;
const manyWords = 200;
const mostWords = 5_000;
const bytesOfFingerprint = 8;

/**
 * The simhash of a text's runs of three words, given by their hashes; undefined for a text that is too short to have one.
 * Counts how often each byte of the hashes has each value, and only then its bits: that takes an eighth of the time.
 */
export function fingerprint(words: Int32Array): Fingerprint | undefined {
  if (words.length < fewestWords) return undefined;
  const counts = new Uint16Array(bytesOfFingerprint * 256);
  const length = Math.min(words.length, mostWords);
  let total = 0;
  for (let i = 2; i < length; i++) {
    const pair = mix(Math.imul(words[i - 1] ?? 0, 5) ^ (words[i] ?? 0));
    // Every other run, chosen by what it says and not by its place, tells as much.
    if ((pair & 1) === 1 && length > manyWords) continue;
    const high = mix(Math.imul(words[i - 2] ?? 0, 3) ^ pair);
    countBytes(counts, 0, high);
    countBytes(counts, 4, mix(high ^ 0x9e3779b9));
    total += 1;
  }
  return [fold(counts, 0, total), fold(counts, 4, total)];
}

/** In how many of the 64 bits they differ. */
export function distance(a: Fingerprint, b: Fingerprint): number {
  return bitsIn(a[0] ^ b[0]) + bitsIn(a[1] ^ b[1]);
}

function mix(value: number): number {
  let hash = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return hash ^ (hash >>> 16);
}

function countBytes(counts: Uint16Array, first: number, hash: number): void {
  for (let byte = 0; byte < 4; byte++) {
    const slot = (first + byte) * 256 + ((hash >>> (byte * 8)) & 255);
    counts[slot] = (counts[slot] ?? 0) + 1;
  }
}

/** Each bit that is set in more than half of the hashes. */
function fold(counts: Uint16Array, first: number, total: number): number {
  const ones = new Uint32Array(32);
  for (let byte = 0; byte < 4; byte++) {
    for (let value = 1; value < 256; value++) {
      const times = counts[(first + byte) * 256 + value] ?? 0;
      if (times === 0) continue;
      for (let bit = 0; bit < 8; bit++)
        if (((value >>> bit) & 1) === 1) ones[byte * 8 + bit] = (ones[byte * 8 + bit] ?? 0) + times;
    }
  }
  return ones.reduce((bits, count, bit) => (count * 2 > total ? bits | (1 << bit) : bits), 0) >>> 0;
}

function bitsIn(value: number): number {
  let left = value >>> 0;
  let bits = 0;
  for (; left !== 0; bits++) left &= left - 1;
  return bits;
}
