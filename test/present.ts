export function present<T>(value: T | undefined): T {
  if (value === undefined) throw new Error("expected a value, got none");
  return value;
}
