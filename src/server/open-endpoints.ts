import type { LoadedConfig } from "../config/config.ts";
import { readBroughtRunpod } from "../config/endpoints.ts";
import { LonghaulError } from "../job/error.ts";
import { messageOf } from "../job/failure.ts";
import { EndpointDirectory } from "../kinds/endpoint/directory.ts";
import { inheritEnv } from "../kinds/shell/policy.ts";

/** The endpoints of a configuration. The code that checks schemas is loaded only if one has a schema. */
export async function openEndpoints(config: LoadedConfig): Promise<EndpointDirectory> {
  const { named, anyRunpod } = config.endpoints;
  const hasSchema = Object.values(named).some(
    (endpoint) => endpoint.type === "local" && endpoint.inputSchema !== undefined,
  );
  const compileSchema = hasSchema ? (await import("./json-schema.ts")).compileSchema : () => () => undefined;
  try {
    return new EndpointDirectory({
      home: config.paths.home,
      named,
      anyRunpod,
      readBroughtRunpod,
      env: inheritEnv(config.shell.inherit_env, config.env),
      fetch: (url, init) => fetch(url, init),
      compileSchema,
    });
  } catch (error) {
    throw new LonghaulError(
      "invalid_input",
      `An input_schema of an endpoint is not a valid JSON Schema: ${messageOf(error)}.`,
      {
        cause: error,
      },
    );
  }
}
