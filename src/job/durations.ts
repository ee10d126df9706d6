/** How often each length of time occurred, in buckets of which four come to a doubling: bucket → how many. */
export type Durations = Readonly<Record<string, number>>;

const bucketsPerDoubling = 4;

export function addDuration(durations: Durations, ms: number): Durations {
  const bucket = toBucket(ms);
  return { ...durations, [bucket]: (durations[bucket] ?? 0) + 1 };
}

export function mergeDurations(one: Durations, other: Durations): Durations {
  const merged = { ...one };
  for (const [bucket, count] of Object.entries(other)) merged[bucket] = (merged[bucket] ?? 0) + count;
  return merged;
}

/** The length that this share of all did not exceed, in milliseconds; undefined when there is none. */
export function durationAt(durations: Durations, share: number): number | undefined {
  const buckets = Object.entries(durations)
    .map(([bucket, count]) => ({ bucket: Number(bucket), count }))
    .toSorted((one, other) => one.bucket - other.bucket);
  const total = buckets.reduce((sum, { count }) => sum + count, 0);
  let below = 0;
  for (const { bucket, count } of buckets) {
    const wanted = share * total - below;
    // Within a bucket they are taken to be spread evenly.
    if (wanted <= count)
      return Math.round(lowestOf(bucket) + (lowestOf(bucket + 1) - lowestOf(bucket)) * (wanted / count));
    below += count;
  }
  return undefined;
}

/** What took less than a millisecond is in bucket 0. */
function toBucket(ms: number): number {
  return ms < 1 ? 0 : 1 + Math.floor(bucketsPerDoubling * Math.log2(ms));
}

function lowestOf(bucket: number): number {
  return bucket === 0 ? 0 : 2 ** ((bucket - 1) / bucketsPerDoubling);
}
