/**
 * Makes `instanceof` true for the objects of another copy of this package, too: a program that loads modules of others may hold
 * several. Subclasses are told apart as usual.
 */
export function isBranded(value: unknown, brand: symbol, self: unknown, base: unknown): boolean {
  if (self !== base) return Function.prototype[Symbol.hasInstance].call(self as CallableFunction, value);
  return typeof value === "object" && value !== null && brand in value;
}
