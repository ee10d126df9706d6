import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { loadConfig, type LoadedConfig } from "../../src/config/config.ts";
import { makeTempFolder } from "../temp-folder.ts";

function load(config: unknown, env: Record<string, string> = {}): LoadedConfig {
  const home = makeTempFolder();
  writeFileSync(join(home, "config.json"), JSON.stringify(config));
  return loadConfig({}, { LONGHAUL_HOME: home, ...env });
}

describe("the search section of the configuration", () => {
  it("names one engine for all; its key may be in the environment, which alone is enough too", () => {
    const withKeys = (search: unknown, env: Record<string, string>): LoadedConfig => load({ search }, env);
    expect(load({}).search).toBeUndefined();
    const searxng = { engine: "searxng", base_url: "http://10.0.0.1:8888" };
    expect(withKeys(searxng, { BRAVE_API_KEY: "brave-key" }).search).toEqual(searxng);
    expect(withKeys(undefined, { SERPER_API_KEY: "serper-key" }).search).toEqual({
      engine: "serper",
      api_key: "serper-key",
    });
    const both = withKeys({ engine: "perplexity" }, { BRAVE_API_KEY: "brave-key", PERPLEXITY_API_KEY: "other-key" });
    expect(both.search).toEqual({ engine: "perplexity", api_key: "other-key" });
    expect(both.redact).toContain("other-key");
  });

  it.each([
    [{ engine: "searxng" }, "search.base_url"],
    [{ engine: "brave" }, "BRAVE_API_KEY"],
    [{ engine: "yahoo", api_key: "secret-key" }, "search.engine"],
    [{ engine: "brave", api_key: "secret-key", base_url: "ftp://x" }, "search.base_url"],
  ])("refuses %j by its name, and without its key", (search, field) => {
    expect(() => load({ search })).toThrow(field);
    expect(() => load({ search })).not.toThrow("secret-key");
  });
});

describe("the network section of the configuration", () => {
  it("allows nothing beyond the public internet unless it is said", () => {
    expect(load({}).net).toEqual({ allow: [], timeout_ms: 30_000, max_body_mb: 10 });
    const net = { allow: ["10.0.0.0/8"], user_agent: "Mine/1.0", timeout_ms: 1_000, max_body_mb: 0.5 };
    expect(load({ net }).net).toEqual(net);
  });

  it.each([
    [{ allow: "10.0.0.0/8" }, "net.allow"],
    [{ user_agent: "Mine\r\nx: y" }, "net.user_agent"],
    [{ timeout_ms: 0 }, "net.timeout_ms"],
    [{ max_body_mb: "much" }, "net.max_body_mb"],
    [{ proxy: "x" }, "net.proxy"],
  ])("refuses %j by its name", (net, field) => {
    expect(() => load({ net })).toThrow(field);
  });
});

describe("the folder of the browser", () => {
  it("is in the home, or elsewhere if the socket that the browser makes in it would not fit", () => {
    const browserOf = (home: string): string => loadConfig({}, { LONGHAUL_HOME: home }).paths.browser;
    expect(browserOf("/srv/longhaul")).toBe("/srv/longhaul/browser");
    const [one, other] = ["one", "other"].map((name) => browserOf(`/srv/${"long/".repeat(10)}${name}`));
    expect(one).not.toBe(other);
    expect(join(one ?? "", "run-123456", "org.chromium.Chromium.123456", "SingletonSocket").length).toBeLessThan(107);
  });
});
