/** A word of the filter, in quotes where it has spaces. */
export function filterWord(name: string, value: string): string {
  return `${name}:${/[\s"]/.test(value) ? `"${value.replaceAll('"', "")}"` : value}`;
}

/** Where the jobs are listed that match all of these words. */
export function jobsMatching(...words: readonly string[]): string {
  return `/jobs?q=${encodeURIComponent(words.join(" "))}`;
}
