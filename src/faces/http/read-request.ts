import type { IncomingMessage } from "node:http";
import { z } from "zod";
import { LonghaulError } from "../../job/error.ts";
import { readBody } from "../door/read-body.ts";
import { pathFields, type Fields, type OperationRoute } from "./route.ts";

/** Reads the fields of a request: from its path and its query or body. */
export type FieldReader = (request: IncomingMessage, path: Fields) => Fields | Promise<Fields>;

export function createFieldReader(route: OperationRoute, maxBodyBytes: number): FieldReader {
  const bound = pathFields(route.path).map((name) => (route.isOneOfMany === true && name === "id" ? "ids" : name));
  const toBound = (path: Fields): Fields => (route.isOneOfMany === true ? { ids: [path["id"]] } : path);
  const merge = (given: Fields, path: Fields): Fields => {
    for (const name of bound) {
      if (Object.hasOwn(given, name)) {
        throw new LonghaulError("invalid_input", `${name} comes from the path and cannot be given a second time.`);
      }
    }
    return bound.length === 0 ? given : { ...given, ...toBound(path) };
  };
  if (route.fields === "body") {
    return async (request, path) => merge(await readBody(request, maxBodyBytes), path);
  }
  let types: Map<string, Set<string>> | undefined;
  return ({ url = "" }, path) => {
    const start = url.indexOf("?");
    if (start === -1) return merge({}, path);
    types ??= fieldTypes(route);
    return merge(readQuery(url.slice(start + 1), types), path);
  };
}

function readQuery(text: string, types: ReadonlyMap<string, ReadonlySet<string>>): Fields {
  const fields: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
  const query = new URLSearchParams(text);
  for (const name of new Set(query.keys())) {
    const values = query.getAll(name);
    const wanted = types.get(name);
    if (wanted?.has("array") === true) fields[name] = values.flatMap((value) => value.split(","));
    else fields[name] = values.length > 1 ? values : toValue(values[0] ?? "", wanted);
  }
  return { ...fields };
}

/** A text that is not of the type that is wanted stays as it is: the operation says what is wrong with it. */
function toValue(text: string, wanted: ReadonlySet<string> | undefined): unknown {
  if (wanted?.has("integer") === true && /^-?\d{1,15}$/.test(text)) return Number(text);
  if (wanted?.has("boolean") === true && (text === "true" || text === "false")) return text === "true";
  return text;
}

interface Schema {
  readonly type?: string;
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
}

function fieldTypes({ operation }: OperationRoute): Map<string, Set<string>> {
  const { properties = {} } = z.toJSONSchema(operation.input, { io: "input" }) as Schema;
  const typesOf = ({ type, anyOf = [] }: Schema): string[] => [
    ...(type === undefined ? [] : [type]),
    ...anyOf.flatMap(typesOf),
  ];
  return new Map(Object.entries(properties).map(([name, schema]) => [name, new Set(typesOf(schema))]));
}
