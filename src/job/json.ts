export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

/** The same text for the same value, whatever the order of its keys: lets inputs be compared as text. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    isPlainObject(inner) && !isSorted(inner) ? sortKeys(inner) : inner,
  );
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isSorted(value: Record<string, unknown>): boolean {
  let previous = "";
  for (const key in value) {
    if (key < previous) return false;
    previous = key;
  }
  return true;
}

function sortKeys(value: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
