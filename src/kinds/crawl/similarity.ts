/** 64 bits, in two halves, of which similar texts share most. */
export type Fingerprint = readonly [high: number, low: number];

/** Fewer words than these make a fingerprint of chance. */
const fewestWords = 50;
const mostWords = 5_000;

/** The simhash of a text's runs of three words; undefined for a text that is too short to have one. */
export function fingerprint(words: readonly string[]): Fingerprint | undefined {
  if (words.length < fewestWords) return undefined;
  const counts = new Int32Array(64);
  const hashes = words.slice(0, mostWords).map(hashWord);
  for (let i = 2; i < hashes.length; i++) {
    const mixed = mix((hashes[i - 2] ?? 0) * 3 + mix((hashes[i - 1] ?? 0) * 5 + mix(hashes[i] ?? 0)));
    count(counts, 0, mixed);
    count(counts, 32, mix(mixed ^ 0x9e3779b9));
  }
  return [fold(counts, 0), fold(counts, 32)];
}

/** In how many of the 64 bits they differ. */
export function distance(a: Fingerprint, b: Fingerprint): number {
  return bitsIn(a[0] ^ b[0]) + bitsIn(a[1] ^ b[1]);
}

function hashWord(word: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < word.length; i++) hash = Math.imul(hash ^ word.charCodeAt(i), 0x01000193);
  return hash;
}

function mix(value: number): number {
  let hash = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return hash ^ (hash >>> 16);
}

function count(counts: Int32Array, offset: number, hash: number): void {
  for (let bit = 0; bit < 32; bit++) counts[offset + bit] = (counts[offset + bit] ?? 0) + ((hash >>> bit) & 1) * 2 - 1;
}

function fold(counts: Int32Array, offset: number): number {
  let bits = 0;
  for (let bit = 0; bit < 32; bit++) if ((counts[offset + bit] ?? 0) > 0) bits |= 1 << bit;
  return bits >>> 0;
}

function bitsIn(value: number): number {
  let left = value >>> 0;
  let bits = 0;
  for (; left !== 0; bits++) left &= left - 1;
  return bits;
}
