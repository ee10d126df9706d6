import { CfWorkerJsonSchemaValidator } from "@modelcontextprotocol/server/validators/cf-worker";
import { LonghaulError } from "../job/error.ts";
import { parseInput } from "../job/issue.ts";
import type { Json } from "../job/json.ts";
import { compileJsonSchema } from "../text/json-schema.ts";

/** Compiles a JSON Schema into a check that says what does not fit, or nothing. It makes no code at run time. */
export function compileSchema(schema: Json): (value: unknown) => string | undefined {
  const validate = new CfWorkerJsonSchemaValidator().getValidator(schema as Record<string, unknown>);
  return (value) => {
    const { valid, errorMessage } = validate(value);
    return valid ? undefined : (describe(schema, value) ?? errorMessage ?? "it does not").replace(/\.$/, "");
  };
}

/** In the words that all input is refused with; undefined for the few schemas that only the validator knows. */
function describe(schema: Json, value: unknown): string | undefined {
  try {
    parseInput(compileJsonSchema(schema as Record<string, Json>, "input_schema"), value, "The input");
    return undefined;
  } catch (error) {
    return error instanceof LonghaulError && "field" in error.details ? error.message : undefined;
  }
}
