import { CfWorkerJsonSchemaValidator } from "@modelcontextprotocol/server/validators/cf-worker";
import type { Json } from "../job/json.ts";

/** Compiles a JSON Schema into a check that says what does not fit, or nothing. It makes no code at run time. */
export function compileSchema(schema: Json): (value: unknown) => string | undefined {
  const validate = new CfWorkerJsonSchemaValidator().getValidator(schema as Record<string, unknown>);
  return (value) => {
    const { valid, errorMessage } = validate(value);
    return valid ? undefined : (errorMessage ?? "it does not").replace(/\.$/, "");
  };
}
