import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { loadConfig, type LoadedConfig } from "../../src/config/config.ts";

describe("the configuration of endpoints", () => {
  let home = "";
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), "longhaul-config-"));
  });
  afterEach(() => {
    rmSync(home, { recursive: true, force: true });
  });
  const load = (endpoints: unknown, env: NodeJS.ProcessEnv = {}): LoadedConfig["endpoints"] => {
    writeFileSync(join(home, "config.json"), JSON.stringify({ endpoints }));
    return loadConfig({}, { LONGHAUL_HOME: home, ...env }).endpoints;
  };

  it("takes keys from the file, from a variable that it names, or from RUNPOD_API_KEY", () => {
    const file = {
      a: { type: "runpod", api_key: "key-in-file" },
      b: { type: "runpod", endpoint_id: "ep", api_key_env: "MY_KEY", base_url: "http://127.0.0.1:1/v2/" },
      c: { type: "runpod" },
    };
    const { named, anyRunpod, secrets } = load(file, { MY_KEY: "key-in-variable" });
    expect(named).toMatchObject({
      a: { apiKey: "key-in-file", endpointId: "a", baseUrl: "https://api.runpod.ai/v2" },
      b: { apiKey: "key-in-variable", endpointId: "ep", baseUrl: "http://127.0.0.1:1/v2" },
      c: { apiKey: undefined },
    });
    expect(anyRunpod).toBeUndefined();
    expect(secrets).toEqual(["key-in-file", "key-in-variable"]);
    const withKey = load(file, { RUNPOD_API_KEY: "usual", RUNPOD_SERVERLESS_API_URL: "http://127.0.0.1:2/v2" });
    expect(withKey.named["c"]).toMatchObject({ apiKey: "usual", baseUrl: "http://127.0.0.1:2/v2" });
    expect(withKey.anyRunpod).toMatchObject({ apiKey: "usual", baseUrl: "http://127.0.0.1:2/v2" });
  });

  it("gives a local endpoint RunPod's usual time, and one worker", () => {
    expect(load({ x: { type: "local", command: "./run" } }).named["x"]).toMatchObject({
      argv: ["sh", "-c", "./run"],
      mode: "per_job",
      concurrency: 1,
      timeoutMs: 600_000,
    });
  });

  it.each([
    [{ "a b": { type: "runpod" } }, /endpoints/],
    [{ a: { type: "cloud" } }, /endpoints\.a/],
    [{ a: { type: "local" } }, /must have either command or argv/],
    [{ a: { type: "local", command: "x", argv: ["x"] } }, /must have either command or argv/],
    [{ a: { type: "local", command: "x", cwd: "here" } }, /absolute path/],
    [{ a: { type: "local", command: "x", mode: "hot" } }, /mode/],
    [{ a: { type: "runpod", base_url: "ftp://x" } }, /base_url/],
    [{ a: { type: "runpod", nonsense: 1 } }, /nonsense/],
  ])("refuses %j", (endpoints, message) => {
    expect(() => load(endpoints)).toThrow(message);
  });

  it("shows RunPod's lists only keys that are meant for RunPod", () => {
    const file = {
      runpod: { type: "runpod" },
      other: { type: "runpod", api_key: "k", base_url: "https://example.com/v2" },
      both: { type: "runpod", api_key: "k", base_url: "https://example.com/v2", api_base_url: "https://example.com/" },
    };
    const { named, anyRunpod } = load(file, { RUNPOD_API_KEY: "usual" });
    expect(anyRunpod).toMatchObject({ restUrl: "https://api.runpod.io" });
    expect(named).toMatchObject({
      runpod: { restUrl: "https://api.runpod.io" },
      other: { restUrl: undefined },
      both: { restUrl: "https://example.com" },
    });
    const elsewhere = { RUNPOD_API_KEY: "usual", RUNPOD_SERVERLESS_API_URL: "https://example.com/v2" };
    expect(load({}, elsewhere).anyRunpod).toMatchObject({ restUrl: undefined });
    const withLists = { ...elsewhere, RUNPOD_API_BASE_URL: "http://127.0.0.1:3/rest/" };
    expect(load({}, withLists)).toMatchObject({
      anyRunpod: { restUrl: "http://127.0.0.1:3/rest" },
      namedUrls: ["http://127.0.0.1:3/rest/"],
    });
  });

  it.each(["RUNPOD_SERVERLESS_API_URL", "RUNPOD_API_BASE_URL", "RUNPOD_PUBLIC_GRAPHQL_URL"])(
    "refuses a bad %s by its name",
    (name) => {
      expect(() => load({}, { [name]: "nowhere" })).toThrow(`${name} must be a URL`);
    },
  );
});
