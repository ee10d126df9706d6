/** The offsets at which this stream's files begin, in order. */
export function toStarts(names: readonly string[], stream: string): number[] {
  return names
    .filter((name) => name.startsWith(`${stream}.`) && /\.\d+$/.test(name))
    .map((name) => Number(name.slice(stream.length + 1)))
    .filter(Number.isSafeInteger)
    .toSorted((a, b) => a - b);
}
