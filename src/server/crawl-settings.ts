import type { LoadedConfig } from "../config/config.ts";
import type { CrawlSettings } from "../kinds/crawl/crawl-settings.ts";
import { createAddressRules, toAllowEntry } from "../net/address/address-rules.ts";
import { createGuardedFetch } from "../net/fetch/guarded-fetch.ts";
import { createHostGate } from "../net/fetch/host-gate.ts";
import { defaultUserAgent } from "../net/fetch/user-agent.ts";
import type { Web } from "./open-web.ts";
import { readVersion } from "./version.ts";

/** How crawl jobs reach the web, from the configuration. */
export function openCrawlSettings(
  { net, crawl, search }: LoadedConfig,
  web: Web,
): { settings: CrawlSettings; close: () => Promise<void> } {
  // Whoever configures a search engine means it, wherever it is; pages must not reach it for that.
  const engine = search?.base_url === undefined ? [] : [toAllowEntry(search.base_url)];
  const searchWeb = createGuardedFetch({
    rules: createAddressRules([...net.allow, ...engine]),
    userAgent: net.user_agent ?? defaultUserAgent(readVersion()),
    limits: { timeoutMs: net.timeout_ms, maxBodyBytes: net.max_body_mb * 1_000_000 },
  });
  const settings: CrawlSettings = {
    web: web.guarded,
    robots: web.robots,
    browser: web.browser,
    gate: createHostGate({ perHost: crawl.per_host, minimumDelayMs: crawl.minimum_delay_ms }),
    concurrency: crawl.concurrency,
    search: { web: searchWeb, engine: search?.engine, baseUrl: search?.base_url, apiKey: search?.api_key },
  };
  return { settings, close: () => searchWeb.close() };
}
