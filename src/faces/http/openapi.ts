import { STATUS_CODES } from "node:http";
import type { z } from "zod";
import { schemaToJson } from "../../job/schema-to-json.ts";
import { jobViewSchema } from "../../operations/job-view.ts";
import { pathFields, type OperationRoute, type PageRoute, type Route } from "./route.ts";

export interface Schema {
  readonly [key: string]: unknown;
}

interface Parameter {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly required: boolean;
  readonly description?: string;
  readonly schema: Schema;
}

type Content = Readonly<Record<string, { readonly schema: Schema }>>;

export interface Described {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters: readonly Parameter[];
  readonly requestBody?: { readonly required: boolean; readonly content: Content };
  readonly responses: Readonly<
    Record<string, { readonly description?: string; readonly content?: Content; readonly $ref?: string }>
  >;
  readonly "x-scope": string;
}

export interface OpenApi {
  readonly openapi: "3.1.0";
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** The document is made from the table that the router is made from, so neither can say what the other does not do. */
export function createOpenApi(routes: readonly Route[], version: string): OpenApi {
  const paths: Record<string, Record<string, Described>> = {};
  for (const route of routes) {
    const described = "page" in route ? describePage(route) : describeOperation(route);
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: described };
  }
  const job = toSchema(jobViewSchema);
  return {
    openapi: "3.1.0",
    info: {
      title: "Longhaul",
      version,
      description:
        "Durable jobs: start long work, and find it again after any restart. Every error is problem details (RFC 9457).",
    },
    paths: shareJob(paths, JSON.stringify(job)) as OpenApi["paths"],
    components: {
      schemas: { Job: job, Json: jsonSchema, Problem: problemSchema },
      responses: {
        Problem: {
          description: "What went wrong, and what to do.",
          content: { "application/problem+json": { schema: refTo("Problem") } },
        },
      },
      securitySchemes: {
        token: {
          type: "http",
          scheme: "bearer",
          description: "A token. Each operation says which scope it needs: read, run or admin.",
        },
      },
    },
  };
}

const problemSchema: Schema = {
  type: "object",
  properties: {
    type: { type: "string", description: "urn:longhaul:problem: and the code." },
    title: { type: "string" },
    status: { type: "integer" },
    detail: { type: "string", description: "What was expected, what came, what to do." },
    code: { type: "string" },
    instance: { type: "string", description: "The path of the request." },
    details: { type: "object", description: "Facts for programs: the field, the limit." },
  },
  required: ["type", "title", "status", "detail", "code", "instance"],
};

const jsonSchema: Schema = {
  description: "Any JSON value.",
  anyOf: [
    ...["string", "number", "boolean", "null"].map((type) => ({ type })),
    { type: "array", items: { $ref: "#/components/schemas/Json" } },
    { type: "object", additionalProperties: { $ref: "#/components/schemas/Json" } },
  ],
};

function refTo(name: string): Schema {
  return { $ref: `#/components/schemas/${name}` };
}

function describeOperation(route: OperationRoute): Described {
  const { operation, path, fields, method } = route;
  const inPath = pathFields(path);
  const input = toSchema(operation.input) as { properties?: Record<string, Schema>; required?: string[] };
  const bound = new Set(route.isOneOfMany === true ? ["ids", "filter"] : inPath);
  const free = Object.entries(input.properties ?? {}).filter(([name]) => !bound.has(name));
  const required = (input.required ?? []).filter((name) => !bound.has(name));
  const parameters = [
    ...inPath.map((name): Parameter => ({ name, in: "path", required: true, schema: { type: "string" } })),
    ...(fields === "query" ? free.map(([name, schema]) => toParameter(name, schema, required.includes(name))) : []),
    ...Object.entries(headersOf(route)).map(([name, description]): Parameter => ({
      name,
      in: "header",
      required: false,
      description,
      schema: { type: "string" },
    })),
  ];
  const body =
    route.body === undefined
      ? {
          type: "object",
          properties: Object.fromEntries(free),
          additionalProperties: false,
          ...(required.length === 0 ? {} : { required }),
        }
      : toSchema(route.body);
  const statuses = route.statuses ?? [200];
  const good = { description: STATUS_CODES[statuses[0] ?? 200] ?? "", content: contentOf(route) };
  return {
    operationId: toOperationId(method, path),
    summary: operation.description,
    description:
      operation.scope === "attempt"
        ? "Needs the token of a running command."
        : `Needs the scope \`${operation.scope}\`.`,
    tags: [route.tag],
    security: [{ token: [] }],
    parameters,
    ...(fields === "body" && free.length > 0
      ? {
          requestBody: {
            required: route.body !== undefined || required.length > 0,
            content: { "application/json": { schema: body } },
          },
        }
      : {}),
    responses: {
      ...Object.fromEntries(statuses.map((status) => [String(status), good])),
      ...(route.live === undefined ? {} : { "204": { description: "The stream was read to its end." } }),
      ...(route.isRaw === undefined
        ? {}
        : {
            "206": {
              description: "The range that was asked for.",
              content: { "text/plain": { schema: { type: "string" } } },
            },
          }),
      default: { $ref: "#/components/responses/Problem" },
    },
    "x-scope": operation.scope,
  };
}

function describePage(route: PageRoute): Described {
  const [type = route.type] = route.type.split(";");
  return {
    operationId: toOperationId(route.method, route.path),
    summary: route.summary,
    description: route.scope === undefined ? "Needs no token." : `Needs the scope \`${route.scope}\`.`,
    tags: [route.tag],
    security: route.scope === undefined ? [] : [{ token: [] }],
    parameters: [],
    responses: {
      "200": {
        description: "OK",
        content: { [type]: { schema: { type: type === "application/json" ? "object" : "string" } } },
      },
      default: { $ref: "#/components/responses/Problem" },
    },
    "x-scope": route.scope ?? "none",
  };
}

function headersOf(route: OperationRoute): Readonly<Record<string, string>> {
  return {
    ...route.headers,
    ...(route.live === undefined
      ? {}
      : { "last-event-id": "With text/event-stream: the id of the last event that was read." }),
    ...(route.isRaw === undefined ? {} : { range: "With text/plain: bytes=first-last." }),
  };
}

function contentOf(route: OperationRoute): Content {
  if (route.isFile === true) return { "application/octet-stream": { schema: { type: "string", format: "binary" } } };
  const output = toSchema(route.operation.output) as { properties?: Record<string, { items?: Schema }> };
  // A reply that is made from the output is the one job in it; a submission of many is answered with all of them.
  const one = output.properties?.["jobs"]?.items;
  const isOne = route.reply !== undefined && one !== undefined;
  const schema = isOne ? (route.body === undefined ? one : { anyOf: [one, output] }) : (output as Schema);
  return {
    "application/json": { schema },
    ...(route.live === undefined ? {} : { "text/event-stream": { schema: { type: "string" } } }),
    ...(route.isRaw === undefined ? {} : { "text/plain": { schema: { type: "string" } } }),
    ...(route.hasLines === undefined ? {} : { "application/x-ndjson": { schema: { type: "string" } } }),
  };
}

function toParameter(name: string, { description, ...schema }: Schema, isRequired: boolean): Parameter {
  const described = typeof description === "string" ? { description } : {};
  return { name, in: "query", required: isRequired, ...described, schema };
}

function toOperationId(method: string, path: string): string {
  const words = path
    .replace(/^\/v1/, "")
    .split(/[^a-zA-Z]+/)
    .filter((word) => word !== "");
  return [method.toLowerCase(), ...words]
    .map((word, index) => (index === 0 ? word : word.charAt(0).toUpperCase() + word.slice(1)))
    .join("");
}

/** As it is sent: replies too, because a client must not mind what a later version adds to them. */
function toSchema(schema: z.ZodType): Schema {
  const { $schema: _dialect, $defs: _definitions, ...json } = schemaToJson(schema, "input");
  return withReferences(json) as Schema;
}

/** The one definition that zod makes for our schemas is that of any JSON value. */
function withReferences(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(withReferences);
  if (typeof node !== "object" || node === null) return node;
  if ("$ref" in node) return refTo("Json");
  return Object.fromEntries(Object.entries(node).map(([key, inner]) => [key, withReferences(inner)]));
}

/** A list of jobs, wherever it is, is a list of the one that is described once. */
function shareJob(node: unknown, job: string): unknown {
  if (Array.isArray(node)) return node.map((inner: unknown) => shareJob(inner, job));
  if (typeof node !== "object" || node === null) return node;
  if (JSON.stringify(node) === job) return refTo("Job");
  return Object.fromEntries(Object.entries(node).map(([key, inner]) => [key, shareJob(inner, job)]));
}
