import { statSync } from "node:fs";
import { loadConfig, type LoadedConfig } from "../config/config.ts";
import { readBroughtRunpod } from "../config/endpoints.ts";
import type { LocalEndpoint } from "../job/endpoint.ts";
import { LonghaulError } from "../job/error.ts";
import { messageOf } from "../job/failure.ts";
import { EndpointDirectory } from "../kinds/endpoint/directory.ts";
import { AccountReader } from "../kinds/endpoint/runpod-account.ts";
import { inheritEnv } from "../kinds/shell/policy.ts";
import { createAddressRules, toAllowEntry } from "../net/address/address-rules.ts";
import { createGuardedFetch } from "../net/fetch/guarded-fetch.ts";
import { defaultUserAgent } from "../net/fetch/user-agent.ts";
import { readVersion } from "./version.ts";

/** A worker's log may be silent for as long as it is read. */
const idleTimeoutMs = 60_000;

/** The endpoints of a configuration. The code that checks schemas is loaded only if one has a schema. */
export async function openEndpoints(
  config: LoadedConfig,
): Promise<{ endpoints: EndpointDirectory; close: () => Promise<void> }> {
  const { named, anyRunpod, publicUrl, namedUrls } = config.endpoints;
  const hasSchema = Object.values(named).some(
    (endpoint) => endpoint.type === "local" && endpoint.inputSchema !== undefined,
  );
  const compileSchema = hasSchema ? (await import("./json-schema.ts")).compileSchema : () => () => undefined;
  const web = createGuardedFetch({
    // Whoever configures an address means it, wherever it is.
    rules: createAddressRules([...config.net.allow, ...namedUrls.map(toAllowEntry)]),
    userAgent: config.net.user_agent ?? defaultUserAgent(readVersion()),
    limits: { idleTimeoutMs },
  });
  try {
    const endpoints = new EndpointDirectory({
      home: config.paths.home,
      named,
      readAdded: createReader(config),
      anyRunpod,
      readBroughtRunpod,
      env: inheritEnv(config.shell.inherit_env, config.env),
      fetch: (url, init) => fetch(url, init),
      accounts: new AccountReader(web, publicUrl),
      compileSchema,
    });
    const close = async (): Promise<void> => {
      await Promise.all([endpoints.close(), web.close()]);
    };
    return { endpoints, close };
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

/**
 * Reads the local endpoints anew when the configuration file has changed, so that one that was just written can be used. What cannot be
 * read, or has a schema or a key, waits for a restart.
 */
function createReader({ paths, env }: LoadedConfig): () => Record<string, LocalEndpoint> | undefined {
  const lookAt = (): number => statSync(paths.config, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  let seen = lookAt();
  return () => {
    const changed = lookAt();
    if (changed === seen) return undefined;
    seen = changed;
    try {
      const { named } = loadConfig({}, env).endpoints;
      const added = Object.entries(named).filter(
        (entry): entry is [string, LocalEndpoint] => entry[1].type === "local" && entry[1].inputSchema === undefined,
      );
      return Object.fromEntries(added);
    } catch {
      return undefined;
    }
  };
}
