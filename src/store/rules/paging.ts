import { LonghaulError } from "../../job/error.ts";

/** A page of a list of which one row more than fits was read: that says whether there is a next page. */
export function toPage<Row>(
  rows: readonly Row[],
  limit: number,
  placeOf: (row: Row) => readonly number[],
): { readonly shown: Row[]; readonly cursor?: string } {
  const shown = rows.slice(0, limit);
  const last = rows.length > limit ? shown.at(-1) : undefined;
  return last === undefined ? { shown } : { shown, cursor: placeOf(last).join("-") };
}

/** The place that a cursor names: as many numbers as the order of its list has. */
export function parseCursor(cursor: string, numbers: number): number[] {
  const place = cursor.split("-");
  if (place.length === numbers && place.every((part) => /^\d{1,15}$/.test(part))) return place.map(Number);
  throw new LonghaulError("invalid_input", `The cursor "${cursor}" is not one that a list returned.`);
}
