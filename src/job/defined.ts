/** The fields that have a value: an optional field is absent rather than undefined. */
export type Defined<T> = { [Key in keyof T]?: Exclude<T[Key], undefined> };

export function defined<T extends object>(fields: T): Defined<T> {
  const result: Record<string, unknown> = {};
  for (const key of Object.keys(fields) as (keyof T & string)[]) {
    if (fields[key] !== undefined) result[key] = fields[key];
  }
  return result as Defined<T>;
}
