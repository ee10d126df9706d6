import { distance, readHex } from "../kinds/page/layout/color.ts";
import type { Condition, EntryFacts } from "./library.ts";

/** The facts that searches have conditions on: they are held in memory. */
const searchedKeys = [
  ...["theme", "contrast", "background"],
  ...["motion_type", "trigger", "duration_ms", "properties"],
  ...["categories", "pairs", "breakpoints"],
];

export function searchedFacts(facts: EntryFacts): EntryFacts {
  return Object.fromEntries(searchedKeys.flatMap((key) => (facts[key] === undefined ? [] : [[key, facts[key]]])));
}

/** Whether an entry's facts meet all conditions; a fact that is not known meets none. */
export function meets(facts: EntryFacts, conditions: readonly Condition[]): boolean {
  return conditions.every((condition) => {
    const value = facts[condition.key];
    const values = Array.isArray(value) ? value : [value];
    if ("anyOf" in condition) return values.some((one) => condition.anyOf.some((wanted) => wanted === one));
    if ("color" in condition) return values.some((one) => isNear(one, condition.color, condition.tolerance));
    const { min = -Infinity, max = Infinity } = condition;
    return values.some((one) => typeof one === "number" && one >= min && one <= max);
  });
}

/** The tolerance is in hundredths of the way from black to white. */
function isNear(value: unknown, wanted: string, tolerance: number): boolean {
  const one = typeof value === "string" ? readHex(value) : undefined;
  const other = readHex(wanted);
  const whole = distance(black, white);
  return one !== undefined && other !== undefined && (distance(one, other) / whole) * 100 <= tolerance;
}

const black = { red: 0, green: 0, blue: 0, alpha: 1 };
const white = { red: 255, green: 255, blue: 255, alpha: 1 };
