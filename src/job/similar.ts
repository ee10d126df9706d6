/** The known word that a misspelt one is most like, if any is like it. */
export function findSimilar(word: string, known: readonly string[]): string | undefined {
  const [nearest] = known
    .map((each) => ({ each, distance: editDistance(word, each) }))
    .filter(({ each, distance }) => distance <= 3 && distance * 2 <= Math.max(word.length, each.length))
    .toSorted((one, other) => one.distance - other.distance);
  return nearest?.each;
}

/** How many letters must be added, left out or changed. */
function editDistance(from: string, to: string): number {
  if (Math.abs(from.length - to.length) > 3) return Infinity;
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let at = 0; at < from.length; at++) {
    const next = [at + 1];
    for (let index = 0; index < to.length; index++) {
      const changed = (row[index] ?? 0) + (from[at] === to[index] ? 0 : 1);
      next.push(Math.min(changed, (row[index + 1] ?? 0) + 1, (next[index] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
