import { isRecord } from "../../../../src/job/is-record.ts";

/** Parameters in the notation of the recorded facts: `number 1..10 = 5`, `skip|abort`, or objects of such. */
export type Takes = { readonly [name: string]: string | Takes };

/** Where a listed parameter lacks, or has another type, bound, word or default than the original's. */
export function differingParameters(schema: unknown, takes: Takes, place: string): string[] {
  const properties = isRecord(schema) && isRecord(schema["properties"]) ? schema["properties"] : {};
  return Object.entries(takes).flatMap(([name, wanted]) => {
    const found = properties[name];
    const at = `${place}.${name}`;
    if (!isRecord(found)) return [`${at} is not listed`];
    if (typeof wanted !== "string") return differingParameters(found, wanted, at);
    const ours = describeParameter(found, wanted);
    return ours === wanted ? [] : [`${at} is "${ours}" instead of "${wanted}"`];
  });
}

/** A parameter in the notation of the recorded facts; bounds that they do not name are left out. */
function describeParameter(schema: Readonly<Record<string, unknown>>, wanted: string): string {
  const { type, minimum, maximum, minLength, maxLength, minItems, maxItems } = schema;
  const kind = Array.isArray(schema["enum"]) ? schema["enum"].join("|") : type === "integer" ? "number" : String(type);
  const [low, high] = [minimum ?? minLength ?? minItems, maximum ?? maxLength ?? maxItems];
  const [, wantedLow, wantedHigh] = / (\S*)\.\.(\S*)/.exec(wanted) ?? [];
  const range =
    wantedLow === undefined
      ? ""
      : ` ${wantedLow === "" ? "" : JSON.stringify(low)}..${wantedHigh === "" ? "" : JSON.stringify(high)}`;
  const preset = schema["default"];
  return `${kind}${range}${wanted.includes(" = ") ? ` = ${String(preset)}` : ""}`;
}
