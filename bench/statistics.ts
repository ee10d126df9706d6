/** The smallest value that at least this share (0 to 1) of the values does not exceed. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const value = sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)];
  if (value === undefined) throw new Error("There is no quantile of no values.");
  return value;
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** The median of each figure over several rounds. */
export function medians<Result extends object>(rounds: readonly Result[]): Result {
  const [first] = rounds;
  if (first === undefined) throw new Error("There are no medians of no rounds.");
  const names = Object.keys(first) as (keyof Result)[];
  return Object.fromEntries(names.map((name) => [name, median(rounds.map((round) => Number(round[name])))])) as Result;
}
