export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

/** The same text for the same value, whatever the order of its keys: lets inputs be compared as text. */
export function canonicalJson(value: unknown): string {
  // Most inputs are small and in order already; a replacer makes writing them several times slower.
  if (isInOrder(value)) return JSON.stringify(value);
  return JSON.stringify(value, (_key, inner: unknown) =>
    isPlainObject(inner) && !hasKeysInOrder(inner) ? sortKeys(inner) : inner,
  );
}

function isInOrder(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return true;
  if (Array.isArray(value)) return value.length < 100 && value.every((inner) => typeof inner !== "object");
  if (Object.getPrototypeOf(value) !== Object.prototype) return false;
  return hasKeysInOrder(value) && Object.values(value).every(isInOrder);
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function hasKeysInOrder(value: object): boolean {
  let previous = "";
  for (const key of Object.keys(value)) {
    if (key < previous) return false;
    previous = key;
  }
  return true;
}

function sortKeys(value: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
