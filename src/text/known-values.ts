export const hidden = "[redacted]";

/** Shorter values occur in ordinary words. */
const minLength = 6;
/** So few are looked for one after the other, which is quicker than looking at each character. */
const fewValues = 32;

/** Hides these values only, for texts in which nothing else may change. */
export function hideValues(known: readonly string[]): (text: string) => string {
  const values = known.filter(isLongEnough).toSorted((a, b) => b.length - a.length);
  if (values.length <= fewValues) {
    return (text) => values.reduce((shown, value) => shown.replaceAll(value, hidden), text);
  }
  const byStart = groupBy(values, (value) => value.slice(0, minLength));
  return (text) => {
    const kept: string[] = [];
    let end = 0;
    for (let place = 0; place + minLength <= text.length; place++) {
      const found = byStart.get(text.slice(place, place + minLength))?.find((value) => text.startsWith(value, place));
      if (found === undefined) continue;
      kept.push(text.slice(end, place), hidden);
      end = place + found.length;
      place = end - 1;
    }
    return kept.length === 0 ? text : kept.join("") + text.slice(end);
  };
}

/** How many characters at the end of a text may be the beginning of a known value. */
export function findUnfinished(known: readonly string[]): (text: string) => number {
  const values = known.filter(isLongEnough);
  const byFirst = groupBy(values, (value) => value.charAt(0));
  const longest = values.reduce((max, { length }) => Math.max(max, length), 0);
  return (text) => {
    for (let start = Math.max(0, text.length - longest + 1); start < text.length; start++) {
      const end = text.slice(start);
      if (byFirst.get(text.charAt(start))?.some((value) => value.startsWith(end)) === true) return end.length;
    }
    return 0;
  };
}

/** The values, and what can be seen of them in base64, whatever stands before and after them there. */
export function withEncodings(known: readonly string[]): string[] {
  const encoded = known.filter(isLongEnough).flatMap((value) =>
    [0, 1, 2].flatMap((shift) => {
      const bytes = Buffer.concat([Buffer.alloc(shift), Buffer.from(value)]);
      // Characters that hold bits of a neighbour differ from text to text.
      const from = Math.ceil((shift * 8) / 6);
      const to = Math.floor((bytes.length * 8) / 6);
      return [bytes.toString("base64").slice(from, to), bytes.toString("base64url").slice(from, to)];
    }),
  );
  return [...new Set([...known, ...encoded])];
}

function isLongEnough(value: string): boolean {
  return value.length >= minLength;
}

function groupBy(values: readonly string[], startOf: (value: string) => string): Map<string, string[]> {
  const groups = new Map<string, string[]>();
  for (const value of values) {
    const group = groups.get(startOf(value));
    if (group === undefined) groups.set(startOf(value), [value]);
    else group.push(value);
  }
  return groups;
}
